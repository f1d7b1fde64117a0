"""One stream of one attempt, on its way from bytes to lines."""

from dataclasses import dataclass, field

from tidegate.clock import iso_precise
from tidegate.model.listing import OutputChunk
from tidegate.safe_text import TextDecoder, safe_lines

__all__ = ["LogText"]

_LONGEST_LINE = 64 * 1024
"""Characters after which a line is printed before it has ended, so that memory stays bounded."""
_NOT_NOTED = " " * len(iso_precise(0.0))


@dataclass(slots=True)
class LogText:
    """What was read of a stream and is not yet a whole line."""

    dated: bool = False
    """Whether each line begins with when it came."""
    decoder: TextDecoder = field(default_factory=TextDecoder)
    line: str = ""
    """What came after the last line break."""
    begun_at: float = 0.0
    """When that came. Seconds since 1970 UTC; 0: that was not noted."""
    end: int = 0
    """How many bytes of the stream were read or are known to be missing."""
    is_torn: bool = False
    """Whether the newest chunk is damaged: how much is missing after it is not told again."""

    def feed(self, chunk: OutputChunk) -> str:
        """Return the lines that a chunk completes, and a mark where bytes are missing before it, or it is damaged."""
        if chunk.damage:
            self.is_torn = True
            return self.finish() + self._as_told(f"{chunk.notice}\n", 0.0, 0.0)
        missing, self.end = chunk.offset - self.end, chunk.offset + len(chunk.data)
        was_torn, self.is_torn, mark = self.is_torn, False, ""
        if missing > 0 and not was_torn:
            mark = self.finish() + self._as_told(f"… {missing:,} bytes are not kept …\n", 0.0, 0.0)
        first = self.begun_at if self.line else chunk.at
        text = self.line + self.decoder.feed(chunk.data)
        lines, line_break, self.line = text.rpartition("\n")
        if len(self.line) > _LONGEST_LINE:
            lines, line_break, self.line = text, "\n", ""
        self.begun_at = chunk.at if line_break else first
        return mark + self._as_told(lines + line_break, first, chunk.at)

    def finish(self) -> str:
        """Return the line that was begun and not ended."""
        text, self.line = self.line + self.decoder.finish(), ""
        return self._as_told(f"{text}\n", self.begun_at, self.begun_at) if text else ""

    def _as_told(self, text: str, first: float, others: float) -> str:
        """Return lines with when they came, the first of them and the others; made safe, so that none hides it."""
        if not self.dated or not text:
            return text
        head, *rest = safe_lines(text)
        return f"{_stamp(first)} {head}\n" + "".join(f"{_stamp(others)} {line}\n" for line in rest)


def _stamp(at: float) -> str:
    return iso_precise(at) if at else _NOT_NOTED
