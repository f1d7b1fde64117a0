"""What a block keeps of a stream: its beginning and its end, never more than a fixed amount."""

import codecs

from tidegate.blocks.masking import NO_MASKS, Masks

__all__ = ["Capture"]

_KEPT = 128 * 1024
_CONTINUATION = bytes(range(0x80, 0xC0))
_CUT = 3
"""How many bytes at the front may belong to a character that began before."""


class Capture:
    """The head and the tail of what one stream wrote. Memory stays bounded whatever is written."""

    __slots__ = ("_head", "_head_size", "_mask", "_tail", "_tail_size", "_written")

    def __init__(self, head: int = _KEPT, tail: int = _KEPT, *, masks: Masks = NO_MASKS) -> None:
        """Keep at most *head* bytes of the beginning and *tail* bytes of the end.

        They are masked first: of a secret that a cut goes through, one half would be no secret any more.
        """
        self._mask = masks.stream()
        self._head_size = head
        self._tail_size = tail
        self._head = bytearray()
        self._tail = bytearray()
        self._written = 0

    def add(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        self._keep(self._mask.feed(data))

    def _keep(self, data: bytes) -> None:
        self._written += len(data)
        room = self._head_size - len(self._head)
        self._head += data[:room]
        self._tail += data[max(room, 0) :]
        # Cut only at twice the size: deleting from the front moves all that stays.
        if len(self._tail) > 2 * self._tail_size:
            del self._tail[: len(self._tail) - self._tail_size]

    @property
    def left_out(self) -> int:
        """How many bytes between head and tail are gone."""
        return max(0, self._written - self._head_size - self._tail_size)

    def text(self) -> str:
        """Return what was kept of the stream, which is at its end, as `$(...)` gives it: without trailing newlines.

        What is not UTF-8 becomes U+FFFD. A gap is marked on a line of its own.
        """
        self._keep(self._mask.end())
        if not self.left_out:
            return (self._head + self._tail).decode(errors="replace").rstrip("\n")
        # Not final: a character that the cut goes through is left out instead of shown as damaged.
        head = codecs.getincrementaldecoder("utf-8")("replace").decode(self._head)
        tail = self._tail[-self._tail_size :] if self._tail_size else bytearray()
        tail[:_CUT] = tail[:_CUT].lstrip(_CONTINUATION)
        end = tail.decode(errors="replace")
        return f"{head}\n... [{self.left_out} bytes left out] ...\n{end}".rstrip("\n")
