"""How to call us again: what a command tells people to type next."""

import shlex
from pathlib import Path

from tidegate.settings import DEFAULT_ORIGIN, Settings

__all__ = ["call_of", "lasting_call_of"]


def call_of(settings: Settings) -> str:
    """Return how to call us again for the same store, as a person would type it."""
    is_named = settings.store_origin == "--store"
    return f"tidegate --store {shlex.quote(settings.store)}" if is_named else "tidegate"


def lasting_call_of(settings: Settings) -> str:
    """Return the same for a command that is copied: in another folder, or another environment, it means this store."""
    if settings.store_origin == DEFAULT_ORIGIN:
        return "tidegate"
    named = settings.store
    store = named if "://" in named else str(Path(named).expanduser().absolute())
    return f"tidegate --store {shlex.quote(store)}"
