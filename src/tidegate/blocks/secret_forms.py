"""The forms in which programs write a secret: as it is, quoted, escaped and encoded."""

import base64
import json
import shlex
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

from tidegate.model.secret import LEAST

__all__ = ["LEAST", "LEAST_LINE", "forms_of", "without_breaks"]

LEAST_LINE = 8
"""Characters of a line of a secret that is masked by itself."""

_BREAKS = b"\r\n"
_SAFE_IN_URLS = ("", "/", "~()*!'", "/~()*!'", ";,/?:@&=+$-_.!~*'()#")
"""What programs leave as it is: everything does so with letters, digits and `_.-~`."""
_ESCAPED_IN_HTML = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def without_breaks(data: bytes) -> bytes:
    """Return *data* without its line breaks: whoever folds a text puts them anywhere."""
    return data.translate(None, _BREAKS)


def forms_of(value: str) -> frozenset[bytes]:
    """Return every form of *value* that is looked for, without line breaks."""
    texts = set(_texts(value))
    # Programs print a text line by line, and each with something before it.
    for line in map(str.strip, value.split("\n")):
        if LEAST_LINE <= len(line) < len(value):
            texts |= {line, *_escaped(line)}
    plain = {text.encode() for text in texts}
    found = {without_breaks(data) for data in plain | set(_base64(value.encode()))}
    return frozenset(form for form in found if len(form) >= LEAST)


def _texts(value: str) -> Iterator[str]:
    yield value
    yield from _escaped(value)
    for safe in _SAFE_IN_URLS:
        for encoded in (quote(value, safe=safe), quote_plus(value, safe=safe)):
            yield encoded
            yield _lower_hex(encoded)


def _escaped(value: str) -> Iterator[str]:
    """Yield what JSON, Python and the shell make of it, and JSON of that."""
    for ascii_only in (True, False):
        once = json.dumps(value, ensure_ascii=ascii_only)[1:-1]
        yield from (once, once.replace("/", "\\/"), once.translate(_ESCAPED_IN_HTML))
        yield json.dumps(once, ensure_ascii=ascii_only)[1:-1]
    yield repr(value)[1:-1]
    yield repr(value.encode())[2:-1]
    yield value.replace("'", "'\\''")
    yield shlex.quote(value)[1:-1] if shlex.quote(value) != value else value


def _lower_hex(encoded: str) -> str:
    first, *others = encoded.split("%")
    return "%".join((first, *(part[:2].lower() + part[2:] for part in others)))


def _base64(data: bytes) -> Iterator[bytes]:
    """Yield the encodings of *data* by itself, and what they have in common wherever it stands in something."""
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        for whole in (data, data + b"\n"):
            yield encode(whole)
            yield encode(whole).rstrip(b"=")
        for before in range(3):
            # A character of the encoding is six bits: those with bits of the neighbours are left out.
            first, last = -(-8 * before // 6), 8 * (before + len(data)) // 6
            yield encode(bytes(before) + data)[first:last]
