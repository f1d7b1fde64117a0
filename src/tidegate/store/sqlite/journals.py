"""What is written about runs: the jobs that add events, and the rows that follow from them.

Each job runs inside one transaction on the writer's connection. It checks everything it may
refuse before it writes anything, so a refusal costs nobody else their transaction.
"""

import hashlib
import sqlite3
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tidegate.errors import JournalConflict, RunNotFound, StaleEpoch
from tidegate.model.events import (
    BlockPaused,
    CheckpointMarked,
    JournalEvent,
    PauseAnswered,
    PauseAssigned,
    PauseExpired,
    RunFinished,
    RunForked,
    RunStarted,
    RunStatus,
)
from tidegate.model.ids import PauseId, Seq
from tidegate.model.listing import Epoch
from tidegate.model.prompt import Assignment
from tidegate.model.state import PauseState, RunSummary
from tidegate.store.keys import Cipher
from tidegate.store.orders import Append, Claim, NewRun
from tidegate.store.sqlite import statements as sql
from tidegate.store.sqlite.chain import first_link, next_link
from tidegate.store.sqlite.connections import cipher_of
from tidegate.store.sqlite.removal import refuse_if_removed
from tidegate.store.sqlite.rows import encode, pack

__all__ = ["append_events", "create_run"]


class _Place(NamedTuple):
    """Where events go, and what is to be said about them."""

    run_no: int
    after: int
    at: float
    summary: bytes
    marks: Mapping[str, RunSummary]
    """Of the run at a mark, by the checkpoint's id; `summary` where it says nothing."""


class _Linked(NamedTuple):
    """An event as it is stored."""

    seq: int
    codec: int
    body: bytes
    link: bytes


def create_run(connection: sqlite3.Connection, run: NewRun) -> Claim:
    """Add a run with its first events and its definition.

    Raises:
        JournalConflict: it is there already.
        RunNotFound: the run whose block starts it, or that it goes on from, was removed.
    """
    taken = connection.execute(sql.FIND_RUN, (run.run_id,)).fetchone()
    if taken is not None:
        raise JournalConflict(run.run_id, 0, taken[1])
    _refuse_after_removed(connection, run)
    epoch = run.epoch if run.owner else Epoch(0)
    start = run.origin.seq if run.origin is not None else 0
    head = Seq(start + len(run.events))
    _keep_definition(connection, run)
    cipher = cipher_of(connection)
    chained = _chained(cipher, first_link(run.run_id), (start, run.at), run.events)
    values = _run_values(run, epoch, head) | {"link": chained[-1].link}
    run_no = connection.execute(sql.ADD_RUN, values).lastrowid
    _add_events(connection, _Place(run_no or 0, start, run.at, encode(run.summary), {}), run.events, chained)
    return Claim(run_id=run.run_id, epoch=epoch, head=head)


def _refuse_after_removed(connection: sqlite3.Connection, run: NewRun) -> None:
    """Refuse what somebody asks for who slept through the end, and the removal, of the run that it comes from."""
    if run.parent is not None:
        refuse_if_removed(connection, run.parent.root)
        refuse_if_removed(connection, run.parent.run_id)
    if run.origin is not None:
        refuse_if_removed(connection, run.origin.run_id)


def _keep_definition(connection: sqlite3.Connection, run: NewRun) -> None:
    row = (run.definition_hash, run.definition.name, encode(run.definition), run.source, run.at)
    connection.execute(sql.KEEP_DEFINITION, row)


def _run_values(run: NewRun, epoch: Epoch, head: Seq) -> dict[str, object]:
    first, parent, origin = run.events[0], run.parent, run.origin
    by = first.by if isinstance(first, RunStarted | RunForked) else ""
    return {
        "run_id": run.run_id,
        "workflow": run.definition.name,
        "definition": run.definition_hash,
        "began_at": run.at if run.began_at is None else run.began_at,
        "at": run.at,
        "head": head,
        "by": by,
        "epoch": epoch,
        "owner": run.owner,
        "until": run.lease_until if run.owner else 0.0,
        "status": run.summary.status.value,
        "summary": encode(run.summary),
        "parent": parent.run_id if parent else None,
        "root": parent.root if parent else None,
        "path": "/".join(parent.path) if parent else "",
        "origin": origin.run_id if origin else None,
        "origin_seq": origin.seq if origin else 0,
    }


def append_events(connection: sqlite3.Connection, append: Append) -> Seq:
    """Add events to a run's journal, and what belongs to them.

    Raises:
        RunNotFound: there is no such run, or the one at its top was removed and this one will be.
        StaleEpoch: the run has another epoch than the writer's.
        JournalConflict: the head is not where the writer thought.
    """
    run_no, status, link = _admit(connection, append)
    if RunStatus(status).is_terminal and not append.summary.status.is_terminal:
        _refuse_reopening_below_removed(connection, append)
    new_values = _unknown(connection, append.values)
    head = Seq(append.after + len(append.events))
    summary = encode(append.summary)
    place = _Place(run_no, append.after, append.at, summary, append.marks)
    chained = _chained(cipher_of(connection), link, (append.after, append.at), append.events)
    _keep_values(connection, run_no, append.values, new_values)
    _add_events(connection, place, append.events, chained)
    if append.closed or append.deadlines:
        _settle_pauses(connection, run_no, append)
    if append.secrets:
        kept = [(pause_id, run_no, text.encode()) for pause_id, text in append.secrets.items()]
        connection.executemany(sql.KEEP_ANSWER, kept)
    connection.execute(
        sql.MOVE_HEAD, (head, chained[-1].link if chained else link, append.at, summary, run_no)
    )
    if append.summary.status != status:
        connection.execute(sql.SET_STATUS, (append.summary.status.value, run_no))
    return head


def _admit(connection: sqlite3.Connection, append: Append) -> tuple[int, str, bytes]:
    row = connection.execute(sql.FIND_RUN, (append.run_id,)).fetchone()
    if row is None:
        raise RunNotFound(append.run_id)
    run_no, head, epoch, status, link = row
    # A writer whose time is over must hear that first: it would read on and try again otherwise.
    if append.epoch is not None and append.epoch != epoch:
        raise StaleEpoch(append.run_id, append.epoch, epoch)
    if head != append.after:
        raise JournalConflict(append.run_id, append.after, head)
    return run_no, status, link


def _refuse_reopening_below_removed(connection: sqlite3.Connection, append: Append) -> None:
    """Refuse to let a run go on that is a part of a large tree of which the rest is removed already."""
    root = connection.execute(sql.FIND_ROOT, (append.run_id,)).fetchone()[0]
    if root is not None:
        refuse_if_removed(connection, root)


def _unknown(connection: sqlite3.Connection, values: Mapping[str, bytes]) -> list[tuple[bytes, bytes]]:
    new = []
    for name, data in values.items():
        digest = bytes.fromhex(name)
        if connection.execute(sql.HAS_VALUE, (digest,)).fetchone() is None:
            # Stored under a wrong name it would be found damaged only when somebody needs it.
            if hashlib.sha256(data).digest() != digest:
                raise ValueError(f"a value is not what its hash {name} says")
            new.append((digest, data))
    return new


def _keep_values(
    connection: sqlite3.Connection,
    run_no: int,
    values: Mapping[str, bytes],
    new: Sequence[tuple[bytes, bytes]],
) -> None:
    if values:
        connection.executemany(sql.ADD_VALUE, [(digest, *pack(data)) for digest, data in new])
        connection.executemany(sql.USE_VALUE, [(run_no, bytes.fromhex(name)) for name in values])


def _chained(
    cipher: Cipher, link: bytes, place: tuple[int, float], events: Sequence[JournalEvent]
) -> list[_Linked]:
    """Return *events* as they are stored, each with its link: after which event, and when."""
    after, at = place
    chained = []
    for seq, event in enumerate(events, after + 1):
        codec, packed = pack(encode(event))
        # Chained is what is stored: who has no key can check it, and can guess nothing by it.
        body = cipher.encrypt(packed)
        link = next_link(link, seq, at, body)
        chained.append(_Linked(seq, codec, body, link))
    return chained


def _add_events(
    connection: sqlite3.Connection, place: _Place, events: Sequence[JournalEvent], chained: Sequence[_Linked]
) -> None:
    base = place.run_no << 32
    connection.executemany(
        sql.ADD_EVENT, [(base | seq, place.at, codec, body, link) for seq, codec, body, link in chained]
    )
    for (seq, *_), event in zip(chained, events, strict=True):
        _project(connection, place, seq, event)


def _project(connection: sqlite3.Connection, place: _Place, seq: int, event: JournalEvent) -> None:
    """Write the rows that follow from one event."""
    match event:
        case BlockPaused():
            _open_pause(connection, place, seq, event)
        case PauseAssigned(pause_id=pause_id, to=to, by=by, note=note):
            said = encode(Assignment(to=to, by=by, at=place.at, note=note))
            connection.execute(sql.ASSIGN_PAUSE, (said, pause_id, place.run_no))
        case PauseAnswered(pause_id=pause_id, answer=answer):
            _close_pause(connection, place, pause_id, (PauseState.ANSWERED, encode(answer)))
        case PauseExpired(pause_id=pause_id):
            _close_pause(connection, place, pause_id, (PauseState.EXPIRED, None))
        case CheckpointMarked():
            _mark(connection, place, seq, event)
        case RunFinished(discarded=discarded):
            connection.execute(sql.CLOSE_PAUSES, (place.at, place.run_no))
            connection.execute(sql.END_LEASE, (place.run_no,))
            connection.execute(sql.FORGET_ANSWERS, (place.run_no,))
            if discarded:
                connection.execute(sql.DROP_CHECKPOINTS, (place.run_no,))
        case _:
            pass


def _open_pause(connection: sqlite3.Connection, place: _Place, seq: int, event: BlockPaused) -> None:
    prompt, assigned = encode(event.prompt), event.assignment and encode(event.assignment)
    asked = (event.pause_id, place.run_no, event.block, event.attempt, prompt)
    row = (*asked, place.at, seq, event.deadline, assigned)
    connection.execute(sql.OPEN_PAUSE, row)


def _close_pause(
    connection: sqlite3.Connection, place: _Place, pause_id: PauseId, how: tuple[PauseState, bytes | None]
) -> None:
    state, answer = how
    connection.execute(sql.CLOSE_PAUSE, (state, place.at, answer, pause_id, place.run_no))


def _settle_pauses(connection: sqlite3.Connection, run_no: int, append: Append) -> None:
    """Close the pauses that the writer gives up, and move deadlines; what is closed stays as it is."""
    closed = (PauseState.CLOSED, append.at, None)
    connection.executemany(sql.CLOSE_PAUSE, [(*closed, pause_id, run_no) for pause_id in append.closed])
    moved = [(deadline, pause_id, run_no) for pause_id, deadline in append.deadlines.items()]
    connection.executemany(sql.SET_DEADLINE, moved)


def _mark(connection: sqlite3.Connection, place: _Place, seq: int, event: CheckpointMarked) -> None:
    summary = place.marks.get(event.checkpoint_id)
    row = (
        event.checkpoint_id,
        place.run_no,
        seq,
        event.kind.value,
        place.at,
        event.block,
        event.label,
        place.summary if summary is None else encode(summary),
        encode(event.metadata) if event.metadata else None,
    )
    connection.execute(sql.ADD_CHECKPOINT, row)
