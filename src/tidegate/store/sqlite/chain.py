"""The chain of a journal: each event carries a hash over itself and everything before it.

The run's row carries the link of its head. So an event that was changed, moved or taken out is
found, and so is an end that was cut off. It is no protection from somebody who can write the file
and knows how: for that, a head has to be kept elsewhere.
"""

import hashlib
from struct import Struct

from tidegate.model.events import Record
from tidegate.model.ids import RunId, Seq
from tidegate.store.sqlite.faults import Damaged
from tidegate.store.sqlite.rows import Row, record_of

__all__ = ["Chain", "first_link", "next_link"]

_SIZE = 16
"""Bytes of a link."""
_place = Struct(">qd").pack


def first_link(run_id: str) -> bytes:
    """Return what stands before a run's first event."""
    return hashlib.blake2b(run_id.encode(), digest_size=_SIZE).digest()


def next_link(previous: bytes, seq: int, at: float, body: bytes) -> bytes:
    """Return the link of an event, from that of the one before and what is stored of it."""
    return hashlib.blake2b(previous + _place(seq, at) + body, digest_size=_SIZE).digest()


class Chain:
    """Reads rows of a journal in order and finds the first that is not what was written."""

    def __init__(self, run_id: RunId, after: int) -> None:
        """Begin.

        Args:
            run_id: Whose journal it is.
            after: The first event that is wanted is the next one. The row of this one comes first, as its link
                is where the chain goes on from; 0 has no row.
        """
        self._run_id = run_id
        self._after = after
        self._seq = after
        self._link = first_link(run_id) if after == 0 else b""

    def read(self, row: Row) -> Record | None:
        """Return the event in a row of `EVENT_COLUMNS`; None for the one before the first.

        Raises:
            Damaged: it is not what was written, or one before it is missing.
        """
        seq, at, _, body, link = row
        if not self._link and seq == self._seq:
            self._link = link
            return None
        if seq != self._seq + 1 or not self._link:
            raise self._damaged(f"event {self._seq + bool(self._link)} of run {self._run_id} is missing")
        if next_link(self._link, seq, at, body) != link:
            raise self._damaged(f"event {seq} of run {self._run_id} is damaged")
        self._seq, self._link = seq, link
        return record_of(self._run_id, row)

    def end(self, head: int, link: bytes, upto: Seq | None) -> None:
        """Check where it ended.

        Args:
            head: The run's, as its row says.
            link: Of that head, as its row says.
            upto: Where reading was to stop; None: at the head.

        Raises:
            Damaged: the end is missing, or is not what the run's row says.
        """
        last = head if upto is None else min(head, upto)
        if self._seq < last:
            raise self._damaged(f"event {self._seq + 1} of run {self._run_id} is missing")
        if self._seq > head or (self._seq == head and self._link and self._link != link):
            raise self._damaged(
                f"run {self._run_id} says that it ends at event {head}, and its journal says otherwise"
            )

    def _damaged(self, problem: str) -> Damaged:
        # Of what was before the first event that is wanted nothing is known here.
        return Damaged(problem, self._run_id, self._seq if self._after == 0 else None)
