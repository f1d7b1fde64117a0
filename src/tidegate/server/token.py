"""The token that clients over HTTP must know."""

import secrets
from pathlib import Path

from tidegate.errors import SettingsError

__all__ = ["new_token", "read_token"]

_LEAST = 16
_OTHERS = 0o077


def new_token() -> str:
    """Return a token that nobody guesses."""
    return secrets.token_urlsafe(32)


def read_token(path: Path) -> str:
    """Return the token that a file holds.

    Raises:
        SettingsError: it cannot be read, others may read it, or it holds no token.
    """
    try:
        mode, token = path.stat().st_mode, path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError("--token-file", str(path), f"a file that can be read ({error})") from error
    if mode & _OTHERS:
        raise SettingsError("--token-file", str(path), "a file that only you may read (chmod 600)")
    if len(token) < _LEAST or not token.isascii() or not token.isprintable():
        raise SettingsError("--token-file", str(path), f"a file with {_LEAST} or more characters of ASCII")
    return token
