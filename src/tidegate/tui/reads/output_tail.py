"""The end of what a block wrote, as lines: decoded piece by piece, bounded, safe.

Bounds what is kept by lines and each line by characters, so that five megabytes without a line
break cost what five short lines cost. All of it stays in the store.
"""

from collections import deque
from collections.abc import Iterable

from tidegate.model.listing import OutputChunk, Stream
from tidegate.safe_text import TextDecoder, safe_lines
from tidegate.tui.lines import Line, Tone, text_line

__all__ = ["OutputTail"]

_LINES = 4_000
_LINE = 4_000
"""Characters; a longer line is broken."""
_KEPT = 262_144
"""Characters of one reading that are looked at: no more than the last lines could hold anyway."""


class OutputTail:
    """Grows by chunks."""

    def __init__(self) -> None:
        self.position = -1
        """Of the newest chunk it has."""
        self._decoders = {stream: TextDecoder() for stream in Stream}
        self._partial: dict[Stream, str] = dict.fromkeys(Stream, "")
        self._done: deque[Line] = deque(maxlen=_LINES)
        self._count = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing was written."""
        return not self._done and not any(self._partial.values())

    def feed(self, chunks: Iterable[OutputChunk]) -> None:
        """Add what was written since."""
        for chunk in chunks:
            self.position = chunk.n
            if chunk.damage:
                self._tear(chunk)
            self._add(chunk.stream, self._decoders[chunk.stream].feed(chunk.data))

    def _add(self, stream: Stream, text: str) -> None:
        whole = (self._partial[stream] + text)[-_KEPT:]
        *complete, rest = whole.split("\n")
        for line in complete:
            self._finish(stream, line)
        while len(rest) > _LINE:
            self._finish(stream, rest[:_LINE])
            rest = rest[_LINE:]
        self._partial[stream] = rest

    def _tear(self, chunk: OutputChunk) -> None:
        """End the line that was begun, and say that what follows it is damaged."""
        self._add(chunk.stream, self._decoders[chunk.stream].finish())
        if self._partial[chunk.stream]:
            self._add(chunk.stream, "\n")
        self._add(chunk.stream, f"{chunk.notice}\n")

    def _finish(self, stream: Stream, line: str) -> None:
        for text in safe_lines(line) or [""]:
            self._count += 1
            self._done.append(_shown(stream, text, str(self._count)))

    def lines(self) -> list[Line]:
        """Return what there is, the unfinished lines last."""
        rest = [
            _shown(stream, text, f"rest:{stream}")
            for stream, part in self._partial.items()
            for text in safe_lines(part)
        ]
        return [*self._done, *rest]


def _shown(stream: Stream, text: str, key: str) -> Line:
    if stream is Stream.STDERR:
        return text_line(text, Tone.WAITING, key=key, mark="!")
    return text_line(text, key=key)
