"""What opens a store that is encrypted, and changing that. None of its rows is touched here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidegate.errors import StoreNotFound
from tidegate.store.opening import WrongStore, file_of

if TYPE_CHECKING:
    from pathlib import Path

    from tidegate.store.keys import Envelope, Keys

__all__ = ["change_keys", "envelope_at"]


def envelope_at(url: str) -> Envelope | None:
    """Return what holds the key of a store; None: it is plain.

    Raises:
        StoreNotFound: there is nothing.
        WrongStore: it is of a kind that is never encrypted.
        StoreUnavailable: it cannot be read now.
        CorruptStore: what holds its key is damaged.
    """
    # Here: whoever sees only the contract loads no SQLite.
    from tidegate.store.sqlite.envelopes import read_envelope_of

    return read_envelope_of(_path_of(url), url)


def change_keys(url: str, keys: Keys) -> Envelope:
    """Let *keys* open a store from now on, and no others; return what holds its key then.

    Whoever has it open goes on undisturbed.

    Raises:
        StoreNotFound: there is nothing.
        StoreLocked: none of *keys* opens it now, or it is not encrypted.
        StoreUnavailable: it cannot be written now.
    """
    from tidegate.store.sqlite.envelopes import change_envelope

    return change_envelope(_path_of(url), url, keys)


def _path_of(url: str) -> Path:
    path = file_of(url)
    if path is None or url.startswith("file://"):
        raise WrongStore(url, "only a store in a SQLite file can be encrypted", "See docs/encryption.md")
    if not path.exists():
        raise StoreNotFound(url)
    return path.resolve()
