"""How to call us again: what a command tells people to type next."""

import shlex

from tidegate.settings import Settings

__all__ = ["call_of"]


def call_of(settings: Settings) -> str:
    """Return how to call us again for the same store, as a person would type it."""
    is_named = settings.store_origin == "--store"
    return f"tidegate --store {shlex.quote(settings.store)}" if is_named else "tidegate"
