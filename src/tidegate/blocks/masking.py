"""Masks: what must not be kept, found in whatever a block writes or gives, and replaced.

A secret is looked for in the forms of `secret_forms`, line breaks between its characters ignored, so
that folded text is found, too. Of a stream it does not matter in which chunks it comes: what may be the
beginning of a secret waits until it is known whether it is. Memory stays bounded whatever is written.

What overlaps is replaced together: nothing of one secret stays because it is also a part of another.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping

from tidegate.blocks.secret_forms import LEAST_LINE, forms_of, without_breaks
from tidegate.model.base import Json
from tidegate.model.codec import NotJson, plain
from tidegate.model.secret import mask_of

__all__ = ["NO_MASKS", "Masks", "StreamMask"]

_FOLDED = 3
"""A form with so many times its own length in bytes, line breaks included, is none any more."""
_BREAK = re.compile(rb"[\r\n]")
_CUT = re.compile(r"\.\.\.|\Z")
"""Where a message may have been cut off."""
_LEAST_PIECE = LEAST_LINE
"""Characters at the beginning of a secret that are masked where a text is cut off after them."""

_Form = tuple[bytes, str]
"""What to look for, and the name of its secret."""
_Span = tuple[int, int, str]
"""From where to where a secret stands, and its name."""


class Masks:
    """The secrets that must not be kept. Has no text of its own: nothing shows what is in it."""

    __slots__ = ("_forms", "_values")

    def __init__(self, values: Mapping[str, str]) -> None:
        """Mask *values*, by the names of their secrets."""
        self._values = {value: name for name, value in values.items()}
        found = {form: name for name, value in values.items() for form in forms_of(value)}
        self._forms: tuple[_Form, ...] = tuple(found.items())

    def stream(self) -> "StreamMask":
        """Return what masks one stream, from its first chunk on."""
        return StreamMask(self._forms)

    def text(self, text: str) -> str:
        """Return *text* masked."""
        if not self._forms:
            return text
        mask = self.stream()
        # Half a surrogate pair is refused where the text is kept; here it is passed on.
        data = text.encode("utf-8", "surrogatepass")
        return (mask.feed(data) + mask.end()).decode("utf-8", "surrogatepass")

    def message(self, text: str) -> str:
        """Return a message masked; it may quote the beginning of a secret, cut off with `...`."""
        if not self._forms:
            return text
        masked, done = "", 0
        for cut in _CUT.finditer(whole := self.text(text)):
            masked += self.text(whole[done : cut.start()]) + cut.group()
            done = cut.end()
        return masked

    def json(self, value: Json) -> Json:
        """Return *value* masked: its texts, its keys, and numbers that are a secret.

        What no journal can hold comes back as it is: it is refused where it would be kept.
        """
        if not self._forms:
            return value
        try:
            return self._within(plain(value, ""))
        except NotJson:
            return value

    def _within(self, value: Json) -> Json:
        match value:
            case str():
                return self.text(value)
            case list():
                return [self._within(item) for item in value]
            case dict():
                return {self.text(key): self._within(item) for key, item in value.items()}
            case bool() | None:
                return value
            case _:
                name = self._values.get(str(value))
                return value if name is None else mask_of(name)


class StreamMask:
    """Masks one stream, chunk by chunk."""

    __slots__ = ("_covered", "_forms", "_rest")

    def __init__(self, forms: tuple[_Form, ...]) -> None:
        """Look for *forms*."""
        self._forms = forms
        self._rest = b""
        """What may be the beginning of a secret, and has not been given back."""
        self._covered = 0
        """How many bytes of it belong to something that was replaced already."""

    def feed(self, data: bytes) -> bytes:
        """Take the next bytes; return what can be kept of the stream as far as it is known."""
        if not self._forms:
            return data
        view = _Unbroken(self._rest + data)
        begun = min(view.begun(self._forms), default=len(view.data))
        return self._given(view, begun, view.spans(self._forms))

    def end(self) -> bytes:
        """Return the rest. What is left of a secret that was cut off is masked, too, if it is not too short."""
        if not self._rest:
            return b""
        view = _Unbroken(self._rest)
        spans = view.spans(self._forms)
        spans += view.pieces(self._forms)
        return self._given(view, len(view.data), spans)

    def _given(self, view: "_Unbroken", upto: int, spans: list[_Span]) -> bytes:
        """Return what stands before *upto*, and remember what comes after it."""
        given, position, covered = bytearray(), 0, max(0, self._covered - upto)
        for start, end, name in _merged(spans, self._covered):
            if start >= upto:
                break
            given += view.data[position:start]
            if name:
                given += mask_of(name).encode()
            position, covered = min(end, upto), max(0, end - upto)
        given += view.data[position:upto]
        self._rest, self._covered = view.data[upto:], covered
        return bytes(given)


def _merged(spans: list[_Span], covered: int) -> Iterator[_Span]:
    """Yield *spans* in their order, those that overlap as one, which has the name of its first.

    The first *covered* bytes are the end of one whose mask has been written: it has no name any more.
    """
    ordered = sorted(spans, key=lambda span: (span[0], -span[1]))
    open_ = (0, covered, "") if covered else None
    for span in ordered:
        if open_ is not None and span[0] < open_[1]:
            open_ = (open_[0], max(open_[1], span[1]), open_[2])
            continue
        if open_ is not None:
            yield open_
        open_ = span
    if open_ is not None:
        yield open_


class _Unbroken:
    """Bytes as they are found in: without line breaks, but with the places where they stood."""

    __slots__ = ("_squeezed", "_starts", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._squeezed = without_breaks(data)
        breaks = (found.start() for found in _BREAK.finditer(data))
        self._starts = [place - number for number, place in enumerate(breaks)]
        """Before how many other bytes each line break stands."""

    def _place(self, index: int) -> int:
        """Return where in the data a byte of the unbroken text stands."""
        return index + bisect_right(self._starts, index)

    def spans(self, forms: tuple[_Form, ...]) -> list[_Span]:
        """Return where whole forms stand."""
        return [span for form, name in forms for span in self._of(form, name)]

    def _of(self, form: bytes, name: str) -> Iterator[_Span]:
        at = self._squeezed.find(form)
        while at >= 0:
            start, end = self._place(at), self._place(at + len(form) - 1) + 1
            if end - start <= _FOLDED * len(form):
                yield start, end, name
            at = self._squeezed.find(form, at + 1)

    def begun(self, forms: tuple[_Form, ...]) -> Iterator[int]:
        """Yield for each form where it has begun at the earliest, if it may still become whole."""
        for form, _ in forms:
            yield from (start for start, _ in self._beginnings(form))

    def pieces(self, forms: tuple[_Form, ...]) -> list[_Span]:
        """Return where forms have begun, and got far enough to be masked although more does not come."""
        return [
            (start, len(self.data), name)
            for form, name in forms
            for start, size in self._beginnings(form)
            if size >= _LEAST_PIECE
        ]

    def _beginnings(self, form: bytes) -> Iterator[tuple[int, int]]:
        """Yield the longest beginning of *form* at the end, as its place and its size; nothing if there is none."""
        size = len(self._squeezed)
        at = self._squeezed.find(form[:1], max(0, size - len(form) + 1))
        while at >= 0:
            start = self._place(at)
            if form.startswith(self._squeezed[at:]) and len(self.data) - start < _FOLDED * len(form):
                yield start, size - at
                return
            at = self._squeezed.find(form[:1], at + 1)


NO_MASKS = Masks({})
"""For where there is nothing to hide."""
