"""How an HTTP call is told: never with what should stay secret."""

import re
from urllib.parse import parse_qsl, quote, urlsplit, urlunsplit

__all__ = ["shown_url"]

_SECRET = re.compile(r"token|key|secret|passw|pwd|auth|credential|signature|\bsig\b|session", re.IGNORECASE)
_HIDDEN = "***"
_NONE = "(no URL)"
_LIMIT = 300
"""Characters."""


def shown_url(url: str) -> str:
    """Return *url* for a message: bounded, without a password in it, and without secret parameters.

    A parameter is secret if its name says so: token, key, secret, password and the like.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return _NONE
    if not parts.netloc:
        # Of `http:/user:password@host` nobody can tell what is what.
        return _NONE
    host = parts.netloc.rpartition("@")[2]
    shown = urlunsplit(
        (
            parts.scheme,
            f"{_HIDDEN}@{host}" if "@" in parts.netloc else host,
            parts.path,
            _shown_query(parts.query),
            "",
        )
    )
    return shown if len(shown) <= _LIMIT else shown[: _LIMIT - 3] + "..."


def _shown_query(query: str) -> str:
    pairs = parse_qsl(query, keep_blank_values=True)
    return "&".join(
        f"{quote(name)}={_HIDDEN if _SECRET.search(name) else quote(value)}" for name, value in pairs
    )
