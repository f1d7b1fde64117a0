"""A database file read page by page, without SQLite: for a file whose tree is broken and whose leaves are not.

Every row of a table lies in some leaf, whole, whatever became of the pages that lead there. What the log
has committed is laid over the file, as SQLite does it. Nothing read here is taken on trust: whoever uses
it checks hashes.

The format: https://www.sqlite.org/fileformat2.html
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from struct import Struct
from typing import BinaryIO, Final, TypeAlias

__all__ = ["Cell", "Pages"]

Cell: TypeAlias = tuple[int | None, tuple[int | float | str | bytes | None, ...]]
"""A row with its number (None in an index); an `INTEGER PRIMARY KEY` is None in the row itself."""

_INTERIOR_INDEX, _LEAF_INDEX, _LEAF_TABLE = 2, 10, 13
_HEADER: Final = 100
"""Bytes of the file's header, on its first page."""
_SIZES: Final = tuple(512 << power for power in range(8))
_LOG_MAGIC: Final = frozenset({0x377F0682, 0x377F0683})
_log_header, _frame_header = Struct(">8I"), Struct(">6I")
_FIXED: Final = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 7: 8}
"""Bytes of a value by its type; 0, 8 and 9 take none, 12 and more say their length."""
_float = Struct(">d").unpack
_MOST_PAYLOAD: Final = 2**30


class _Broken(Exception):
    """Here is no cell."""


class Pages:
    """The pages of a database file and of its log."""

    def __init__(self, file: BinaryIO, log: bytes) -> None:
        """Read from *file*, which must stay open.

        Args:
            file: The database.
            log: What lies beside it as its log; empty if nothing does.
        """
        self._file = file
        self._length = file.seek(0, 2)
        self.size = self._page_size()
        """Bytes of a page."""
        self._newer = dict(_committed(log, self.size))
        self._free = self._free_pages()

    def _page_size(self) -> int:
        """Return what the header says; if that is damaged, the size with which most pages look like leaves."""
        said = int.from_bytes(self._at(16, 2))
        size = 65536 if said == 1 else said
        if size in _SIZES and self._at(0, 15) == b"SQLite format 3":
            return size
        found = Counter({guess: self._leaves(guess) for guess in _SIZES})
        # A larger page also begins where a smaller one would: of equals the largest is right.
        return max(_SIZES, key=lambda guess: (found[guess] * guess, guess))

    def _leaves(self, size: int) -> int:
        starts = range(size, min(self._length, size * 2_000), size)
        return sum(self._at(start, 1) in (b"\x0a", b"\x0d") for start in starts)

    def _at(self, offset: int, length: int) -> bytes:
        self._file.seek(offset)
        return self._file.read(length)

    def __len__(self) -> int:
        return max([-(-self._length // self.size), *self._newer])

    def page(self, number: int) -> bytes:
        """Return a page, counted from 1; what is missing of it is zeros."""
        content = self._newer.get(number)
        if content is None:
            content = self._at((number - 1) * self.size, self.size)
        return content.ljust(self.size, b"\0")

    def _free_pages(self) -> frozenset[int]:
        """Return the pages that nothing is in any more, as far as the list of them can be read."""
        free: set[int] = set()
        trunk = int.from_bytes(self.page(1)[32:36])
        while 0 < trunk <= len(self) and trunk not in free:
            content = self.page(trunk)
            count = min(int.from_bytes(content[4:8]), self.size // 4 - 2)
            leaves = (int.from_bytes(content[8 + 4 * n : 12 + 4 * n]) for n in range(count))
            free |= {trunk, *leaves}
            trunk = int.from_bytes(content[:4])
        return frozenset(free)

    # -- cells --------------------------------------------------------------------------------

    def cells(self) -> Iterator[Cell]:
        """Yield every row that lies in a leaf of a table, or anywhere in an index."""
        for number in range(1, len(self) + 1):
            if number not in self._free:
                yield from self._cells_of(number)

    def _cells_of(self, number: int) -> Iterator[Cell]:
        content = self.page(number)
        start = _HEADER if number == 1 else 0
        kind = content[start]
        if kind not in (_INTERIOR_INDEX, _LEAF_INDEX, _LEAF_TABLE):
            return
        pointers = start + (12 if kind == _INTERIOR_INDEX else 8)
        count = min(int.from_bytes(content[start + 3 : start + 5]), (self.size - pointers) // 2)
        for n in range(count):
            at = int.from_bytes(content[pointers + 2 * n : pointers + 2 * n + 2])
            try:
                yield self._cell(content, at, kind)
            except (_Broken, IndexError, ValueError, OverflowError):
                continue  # Of a damaged page whatever is whole.

    def _cell(self, content: bytes, at: int, kind: int) -> Cell:
        if kind == _INTERIOR_INDEX:
            at += 4
        length, at = _varint(content, at)
        rowid = None
        if kind == _LEAF_TABLE:
            rowid, at = _varint(content, at)
        if length > _MOST_PAYLOAD:
            raise _Broken
        return rowid, _record(self._payload(content, at, length, is_table=kind == _LEAF_TABLE))

    def _payload(self, content: bytes, at: int, length: int, *, is_table: bool) -> bytes:
        """Return a cell's content, gathered from the pages that it overflows to."""
        most = self.size - 35 if is_table else (self.size - 12) * 64 // 255 - 23
        if length <= most:
            return content[at : at + length]
        least = (self.size - 12) * 32 // 255 - 23
        local = least + (length - least) % (self.size - 4)
        local = local if local <= most else least
        parts, got = [content[at : at + local]], local
        following = int.from_bytes(content[at + local : at + local + 4])
        while got < length:
            if not 0 < following <= len(self):
                raise _Broken
            page = self.page(following)
            parts.append(page[4 : 4 + length - got])
            got += len(parts[-1])
            following = int.from_bytes(page[:4])
        return b"".join(parts)


def _record(payload: bytes) -> tuple[int | float | str | bytes | None, ...]:
    size, at = _varint(payload, 0)
    kinds = []
    while at < size:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    lengths = [_length_of(kind) for kind in kinds]
    if at != size or at + sum(lengths) != len(payload):
        raise _Broken
    values = []
    for kind, length in zip(kinds, lengths, strict=True):
        values.append(_value(kind, payload[at : at + length]))
        at += length
    return tuple(values)


def _length_of(kind: int) -> int:
    if kind >= 12:  # noqa: PLR2004  # see _FIXED
        return (kind - 12) // 2
    return _FIXED.get(kind, 0)


def _value(kind: int, content: bytes) -> int | float | str | bytes | None:
    match kind:
        case 0:
            return None
        case 7:
            return float(_float(content)[0])
        case 8 | 9:
            return kind - 8
        case 1 | 2 | 3 | 4 | 5 | 6:
            return int.from_bytes(content, signed=True)
        case 10 | 11:
            raise _Broken
        case _:
            return content if kind % 2 == 0 else content.decode()


def _varint(content: bytes, at: int) -> tuple[int, int]:
    """Return a number of 1 to 9 bytes, and where it ends."""
    value = 0
    for n in range(8):
        byte = content[at + n]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:  # noqa: PLR2004  # the last one has no high bit
            return value, at + n + 1
    value = value << 8 | content[at + 8]
    return value - (1 << 64) if value >= 1 << 63 else value, at + 9


def _committed(log: bytes, page_size: int) -> Iterator[tuple[int, bytes]]:
    """Yield the pages in a log, oldest first, up to the last commit of which all is there."""
    if len(log) < _log_header.size:
        return
    magic, _, size, _, *salt_and_sum = _log_header.unpack_from(log)
    if magic not in _LOG_MAGIC or size != page_size:
        return
    salt = tuple(salt_and_sum[:2])
    words = Struct(f"{'>' if magic & 1 else '<'}{(8 + page_size) // 4}I")
    state = _summed(Struct(f"{words.format[0]}6I").unpack_from(log), (0, 0))
    if state != tuple(salt_and_sum[2:]):
        return
    waiting: list[tuple[int, bytes]] = []
    for at in range(
        _log_header.size, len(log) - _frame_header.size - page_size + 1, _frame_header.size + page_size
    ):
        number, pages, *rest = _frame_header.unpack_from(log, at)
        content = log[at + _frame_header.size : at + _frame_header.size + page_size]
        state = _summed(words.unpack(log[at : at + 8] + content), state)
        if tuple(rest) != (*salt, *state):
            return
        waiting.append((number, content))
        if pages:  # A commit; the number is that of the file's pages after it.
            yield from waiting
            waiting = []


def _summed(words: Sequence[int], state: tuple[int, int]) -> tuple[int, int]:
    """Return a log's checksum after more of it."""
    one, two = state
    for n in range(0, len(words), 2):
        one = (one + words[n] + two) & 0xFFFFFFFF
        two = (two + words[n + 1] + one) & 0xFFFFFFFF
    return one, two
