"""The chain of a journal: each event carries a hash over itself and everything before it.

The run's row carries the link of its head. A fork's own events are a chain of their own. So an event that was changed, moved or taken out is
found, and so is an end that was cut off. It is no protection from somebody who can write the file
and knows how: for that, a head has to be kept elsewhere.
"""

import hashlib
from struct import Struct

from tidegate.model.events import Record
from tidegate.model.ids import RunId, Seq
from tidegate.model.lineage import Origin
from tidegate.store.keys import PLAIN, Cipher
from tidegate.store.sqlite.faults import Damaged
from tidegate.store.sqlite.rows import Row, record_of

__all__ = ["Chain", "ChainedRows", "first_link", "next_link"]

_SIZE = 16
"""Bytes of a link."""
_place = Struct(">qd").pack
_TYPES: tuple[type, ...] = (int, float, int, bytes, bytes)
"""Of `EVENT_COLUMNS`."""
_ROW_TYPES: tuple[type | tuple[type, ...], ...] = (int, bytes, (str, type(None)), int)
"""Of the head, the link and the origin that a run's row says."""


def first_link(run_id: str) -> bytes:
    """Return what stands before a run's first event."""
    return hashlib.blake2b(run_id.encode(), digest_size=_SIZE).digest()


def next_link(previous: bytes, seq: int, at: float, body: bytes) -> bytes:
    """Return the link of an event, from that of the one before and what is stored of it."""
    return hashlib.blake2b(previous + _place(seq, at) + body, digest_size=_SIZE).digest()


class Chain:
    """Reads rows of a journal in order and finds the first that is not what was written."""

    def __init__(self, run_id: RunId, after: int, start: int = 0, cipher: Cipher = PLAIN) -> None:
        """Begin.

        Args:
            run_id: Whose journal it is.
            after: The first event that is wanted is the next one. The row of this one comes first, as its link
                is where the chain goes on from, unless the chain begins there.
            start: The event before the run's first own one: for a fork that at which it begins.
            cipher: What the store's rows are encrypted with.
        """
        self._run_id, self._cipher = run_id, cipher
        self._start = start
        self._after = self._seq = max(after, start)
        self._link = first_link(run_id) if after <= start else b""

    def read(self, row: Row) -> Record | None:
        """Return the event in a row of `EVENT_COLUMNS`, and perhaps more; None for the one before the first.

        Raises:
            Damaged: it is not what was written, or one before it is missing.
        """
        seq, at, _, body, link, *_ = row
        # Damage may turn one type into another: SQLite keeps a type with each value.
        if not all(map(isinstance, row, _TYPES)):
            raise self._damaged(f"event {seq} of run {self._run_id} is damaged")
        if not self._link and seq == self._seq:
            self._link = link
            return None
        if seq != self._seq + 1 or not self._link:
            raise self._damaged(f"event {self._seq + bool(self._link)} of run {self._run_id} is missing")
        if next_link(self._link, seq, at, body) != link:
            raise self._damaged(f"event {seq} of run {self._run_id} is damaged")
        self._seq, self._link = seq, link
        return record_of(self._run_id, row, self._cipher)

    def end(self, head: int, link: bytes, upto: Seq | None) -> None:
        """Check where it ended.

        Args:
            head: The run's, as its row says.
            link: Of that head, as its row says.
            upto: Where reading was to stop; None: at the head.

        Raises:
            Damaged: the end is missing, or is not what the run's row says.
        """
        last = head if upto is None else min(head, max(upto, self._start))
        if self._seq < last:
            raise self._damaged(f"event {self._seq + 1} of run {self._run_id} is missing")
        if self._seq > head or (self._seq == head and self._link and self._link != link):
            raise self._damaged(
                f"run {self._run_id} says that it ends at event {head}, and its journal says otherwise"
            )

    def _damaged(self, problem: str) -> Damaged:
        # Of what was before the first event that is wanted nothing is known here.
        return Damaged(problem, self._run_id, self._seq if self._after == self._start else None)


class ChainedRows:
    """Reads the rows of `queries.events`: a run's own events in a span."""

    def __init__(self, run_id: RunId, after: int, upto: Seq | None, cipher: Cipher = PLAIN) -> None:
        """Begin, with the span that was asked for."""
        self._cipher = cipher
        self.origin: Origin | None = None
        """The point of another run where the run's own events begin; known once a row was read."""
        self._span = (run_id, max(after, 0), upto)
        self._chain: Chain | None = None
        self._end: tuple[int, bytes] = (0, b"")

    def read(self, row: Row) -> Record | None:
        """Return the event in a row; None if the row has none that is wanted.

        Raises:
            Damaged: it is not what was written, or one before it is missing.
        """
        if self._chain is None:
            self._chain = self._begun(row)
        return None if row[0] is None else self._chain.read(row)

    def _begun(self, row: Row) -> Chain:
        run_id, after, _ = self._span
        *_, head, link, origin, seq = row
        if not all(map(isinstance, (head, link, origin, seq), _ROW_TYPES)):
            raise Damaged(f"the row of run {run_id} is damaged", run_id)
        self._end = (head, link)
        self.origin = None if origin is None else Origin(run_id=RunId(origin), seq=Seq(seq))
        return Chain(run_id, after, seq, self._cipher)

    def end(self) -> None:
        """Check where it ended: what is missing there would otherwise never have happened.

        Raises:
            Damaged: the end is missing, or is not what the run's row says.
        """
        if self._chain is not None:
            self._chain.end(*self._end, self._span[2])
