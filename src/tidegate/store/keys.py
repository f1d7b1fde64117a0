"""Encryption at rest: the keys that open a store, and what they open.

A store has one key of its own, which encrypts its rows and never leaves it. The keys that people hold only
wrap that one (the envelope), so to change them touches no row. All of it is Fernet of the package
`cryptography`: AES-128 in CBC mode with an HMAC over it (https://github.com/fernet/spec).
"""

import hashlib
import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from tidegate.errors import StoreUnavailable, TidegateError
from tidegate.model.base import Noun

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

__all__ = [
    "PLAIN",
    "Cipher",
    "Envelope",
    "KeyFault",
    "Keys",
    "StoreLocked",
    "in_sql",
    "new_key",
    "plain",
    "refuse_to_encrypt",
]

KEY, KEY_FILE = "TIDEGATE_KEY", "TIDEGATE_KEY_FILE"
"""Variables: one or several keys; a file with such, a line each."""

_MARK = b"\x80tg1"
"""How each encrypted text begins."""


class StoreLocked(StoreUnavailable):
    """A store and the keys that were given do not belong together."""


class KeyFault(TidegateError):
    """What was given as a key is none, or cannot be used here."""


class Cipher(Protocol):
    """What stands between a row as it is and as it is stored."""

    def encrypt(self, data: bytes) -> bytes:
        """Return what is stored of *data*."""
        ...

    def decrypt(self, data: bytes) -> bytes:
        """Return what `encrypt` was given; nothing, if it is not what `encrypt` made."""
        ...


class _Plain:
    def encrypt(self, data: bytes) -> bytes:
        return data

    def decrypt(self, data: bytes) -> bytes:
        return data


PLAIN: Cipher = _Plain()
"""Of a store that is not encrypted."""


class _Encrypting:
    """With one key."""

    def __init__(self, fernet: "Fernet") -> None:
        self._fernet = fernet

    def encrypt(self, data: bytes) -> bytes:
        # A token is base64 for those who send it by mail; a third less is stored.
        return _MARK + urlsafe_b64decode(self._fernet.encrypt(data))

    def decrypt(self, data: bytes) -> bytes:
        # What is not encrypted was not written by whoever has the key, and is no better than what cannot be read.
        if not data.startswith(_MARK):
            return b""
        return _opened(self._fernet, urlsafe_b64encode(data[len(_MARK) :])) or b""


def plain(_data: Any) -> Any:
    """Return what it is given: what stands for a cipher in SQL where there is none."""
    return _data


class Envelope(Noun):
    """A store's own key, wrapped in each of the keys that open it."""

    wrapped: dict[str, str]
    """By the name of the key that opens it."""

    def encode(self) -> str:
        """Return it as a store keeps it."""
        return msgspec.json.encode(self).decode()

    @classmethod
    def decode(cls, text: str) -> "Envelope":
        """Return what `encode` was given.

        Raises:
            msgspec.MsgspecError: it is none.
        """
        return msgspec.json.decode(text, type=cls)


class Keys:
    """The keys that somebody gave, the one for new stores first. None: stores are plain."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        """Take keys as `new_key` makes them.

        Raises:
            KeyFault: one is no key, or what they need is not installed.
        """
        self._by_name = {name_of(text): _fernet(text) for text in texts}

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> "Keys":
        """Return the keys that the variables name; those of the file come last.

        Raises:
            KeyFault: one is no key, the file cannot be read, or what they need is not installed.
        """
        known = os.environ if environ is None else environ
        texts = known.get(KEY, "").split()
        if path := known.get(KEY_FILE, "").strip():
            texts += _lines_of(Path(path).expanduser())
        return cls(texts)

    @property
    def names(self) -> tuple[str, ...]:
        """What they are called: enough to tell them apart, and nothing to guess them by."""
        return tuple(self._by_name)

    def seal(self) -> Envelope | None:
        """Return the envelope of a new store, with a key of its own in it; None: it is plain."""
        if not self._by_name:
            return None
        return self._wrap(new_key().encode())

    def reseal(self, url: str, envelope: Envelope) -> Envelope:
        """Return *envelope* so that these keys open it, and no others.

        Raises:
            StoreLocked: none of them opens it now.
        """
        return self._wrap(self._unwrap(url, envelope))

    def cipher(self, url: str, envelope: Envelope | None) -> Cipher:
        """Return what reads and writes the rows of a store.

        Args:
            url: Of the store, for messages.
            envelope: That of the store; None: it has none.

        Raises:
            StoreLocked: it is encrypted and none of the keys opens it, or it is plain although there are keys.
        """
        if envelope is not None:
            return _Encrypting(_fernet(self._unwrap(url, envelope).decode()))
        if self._by_name:
            advice = (
                f"`tidegate encryption copy` makes an encrypted copy of it; without {KEY} it is used as it is"
            )
            raise StoreLocked(url, "it is not encrypted, and a key is given", advice)
        return PLAIN

    def _wrap(self, own: bytes) -> Envelope:
        return Envelope(wrapped={name: key.encrypt(own).decode() for name, key in self._by_name.items()})

    def _unwrap(self, url: str, envelope: Envelope) -> bytes:
        for name, wrapped in envelope.wrapped.items():
            fernet = self._by_name.get(name)
            if fernet is not None and (own := _opened(fernet, wrapped.encode())):
                return own
        wanted = " or ".join(f"'{name}'" for name in envelope.wrapped)
        if not self._by_name:
            problem = f"it is encrypted, and no key is given; the key {wanted} opens it"
            raise StoreLocked(url, problem, f"Set {KEY_FILE} to a file with that key, or {KEY} to the key")
        given = ", ".join(f"'{name}'" for name in self._by_name)
        problem = f"it is encrypted, and another key is given: {given}; the key {wanted} opens it"
        raise StoreLocked(url, problem, f"Correct {KEY_FILE} or {KEY}")


def refuse_to_encrypt(url: str, keys: Keys) -> None:
    """Refuse keys for a store that is made to be read with other tools.

    Raises:
        StoreLocked: there are some.
    """
    if keys.names:
        advice = "Use sqlite:///PATH, or keep the directory on a disk that is encrypted"
        raise StoreLocked(url, "a directory is not encrypted, and a key is given", advice)


def new_key() -> str:
    """Return a new random key."""
    return urlsafe_b64encode(os.urandom(32)).decode()


def name_of(key: str) -> str:
    """Return what a key is called."""
    return hashlib.blake2b(key.encode(), digest_size=4, person=b"tidegate key").hexdigest()


def _fernet(key: str) -> "Fernet":
    try:
        # Here: few need it, and whoever does not need it need not have it.
        from cryptography.fernet import Fernet
    except ImportError:
        problem = "keys need the package `cryptography`, which is not installed"
        raise KeyFault(f"{problem}: pip install 'tidegate[encryption]'") from None
    try:
        return Fernet(key)
    except ValueError:
        raise KeyFault(
            f"what {KEY} or {KEY_FILE} says is no key. `tidegate encryption key` makes one"
        ) from None


def _lines_of(path: Path) -> list[str]:
    try:
        return path.read_text("ascii").split()
    except (OSError, ValueError) as error:
        why = (isinstance(error, OSError) and error.strerror) or "it is no text of keys"
        raise KeyFault(f"the keys in {path}, which {KEY_FILE} names, cannot be read: {why}") from None


def _opened(fernet: "Fernet", token: bytes) -> bytes | None:
    from cryptography.fernet import InvalidToken

    try:
        return fernet.decrypt(token)
    except InvalidToken:
        return None


def in_sql(work: Callable[[bytes], bytes]) -> Callable[[Any], Any]:
    """Return *work* as a function of SQL: of bytes and of texts; nothing and no text stay what they are."""

    def carry_out(data: Any) -> Any:
        if isinstance(data, str):
            return work(data.encode()) if data else data
        return work(data) if isinstance(data, bytes) else data

    return carry_out
