"""Rows and nouns: what each column means, in both directions.

The order of columns is that of the ``*_COLUMNS`` next to each decoder.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import msgspec
import zstandard

from tidegate.model.base import JsonObject
from tidegate.model.events import TERMINAL, JournalEvent, Record
from tidegate.model.ids import BlockId, CheckpointId, PauseId, RunId, Seq
from tidegate.model.lineage import Origin
from tidegate.model.listing import (
    CheckpointRow,
    Counts,
    Epoch,
    OpenPause,
    PauseRow,
    RunRow,
)
from tidegate.model.policy import CheckpointKind
from tidegate.model.prompt import Answer, Assignment, Prompt
from tidegate.model.state import PauseState, RunSummary
from tidegate.model.workflow import WorkflowDefinition
from tidegate.store.damage import of_value
from tidegate.store.keys import PLAIN, Cipher
from tidegate.store.sqlite.faults import NOT_AS_WRITTEN, Damaged

__all__ = [
    "CHECKPOINT_COLUMNS",
    "ENDED",
    "EVENT_COLUMNS",
    "PAUSE_COLUMNS",
    "RUN_COLUMNS",
    "Row",
    "checkpoint_row",
    "count_row",
    "counts_of",
    "definition_of",
    "encode",
    "pack",
    "pause_row",
    "record_of",
    "run_row",
    "stored_value",
    "text_of",
    "unpack",
]

Row: TypeAlias = tuple[Any, ...]
"""As SQLite gives it; a decoder gives it types."""

EVENT_COLUMNS = "e.id & 4294967295, e.at, e.codec, e.body, e.link"
RUN_COLUMNS = (
    "r.run_id, r.workflow, r.definition, r.created_at, r.updated_at, r.head, decrypted(r.summary),"
    " r.started_by, r.epoch, r.owner, r.lease_until, r.parent, r.root, r.path, r.origin, r.origin_seq"
)
PAUSE_COLUMNS = (
    "p.pause_id, r.run_id, r.workflow, p.block, p.attempt, decrypted(p.prompt), p.opened_at, p.opened_seq,"
    " p.deadline, p.state, p.closed_at, decrypted(p.answer), r.root, r.path,"
    " decrypted(p.assigned)"
)
CHECKPOINT_COLUMNS = (
    "c.checkpoint_id, r.run_id, r.workflow, c.seq, c.kind, c.created_at, decrypted(c.summary), c.block,"
    " coalesce(c.new_label, c.label), decrypted(c.metadata), p.state, decrypted(p.prompt), c.pinned, c.new_label, c.placed"
)
ENDED = "(" + ", ".join(f"'{status.value}'" for status in TERMINAL) + ")"
"""The statuses of runs that have ended, as a list in SQL."""

_PLAIN, _ZSTD = 0, 1
_WORTH_COMPRESSING = 4096
"""Bytes: below, a compressed value saves less than it costs."""


class _Whose(msgspec.Struct):
    """What a prompt says of whose business it is; all else of it may be long, and is not made into anything."""

    assignee: str = ""


_encoder = msgspec.json.Encoder()
_event: msgspec.json.Decoder[JournalEvent] = msgspec.json.Decoder(JournalEvent)
_summary = msgspec.json.Decoder(RunSummary)
_prompt: msgspec.json.Decoder[Prompt] = msgspec.json.Decoder(Prompt)
_object: msgspec.json.Decoder[JsonObject] = msgspec.json.Decoder(dict[str, Any])
_answer = msgspec.json.Decoder(Answer)
_whose = msgspec.json.Decoder(_Whose)
_assignment = msgspec.json.Decoder(Assignment)
_definition = msgspec.json.Decoder(WorkflowDefinition)

encode = _encoder.encode
"""Noun to JSON."""


def record_of(run_id: RunId, row: Row, cipher: Cipher = PLAIN) -> Record:
    """Return an event in its place, from `EVENT_COLUMNS`. Whether it is what was written, its link tells."""
    seq, at, codec, body, *_ = row
    return Record(run_id=run_id, seq=seq, at=at, event=_event.decode(unpack(codec, cipher.decrypt(body))))


_NONE = type(None)
_REAL = float
_TEXT_OR_NULL, _REAL_OR_NULL, _BLOB_OR_NULL = (str, _NONE), (float, _NONE), (bytes, _NONE)
# Damage may turn one type into another: SQLite keeps a type with each value.
_RUN_TYPES = (
    *(str, str, str, _REAL, _REAL, int, bytes, str, int, str, _REAL),
    *(_TEXT_OR_NULL, _TEXT_OR_NULL, str, _TEXT_OR_NULL, int),
)
_PAUSE_TYPES = (
    *(str, str, str, str, int, bytes, _REAL, int, _REAL_OR_NULL, int, _REAL_OR_NULL, _BLOB_OR_NULL),
    *(_TEXT_OR_NULL, str, _BLOB_OR_NULL),
)
_CHECKPOINT_TYPES = (
    *(str, str, str, int, str, _REAL, bytes, _TEXT_OR_NULL, str),
    *(_BLOB_OR_NULL, (int, _NONE), _BLOB_OR_NULL, int, _TEXT_OR_NULL, int),
)


def _checked(row: Row, types: Sequence[type | tuple[type, ...]]) -> Row:
    """Return *row* if its values are of *types*.

    Raises:
        Damaged: they are not.
    """
    if not all(map(isinstance, row, types)):
        raise Damaged(f"{NOT_AS_WRITTEN}: something in it is of another kind")
    return row


def run_row(row: Row) -> RunRow:
    """Return a run's row from `RUN_COLUMNS`.

    Raises:
        Damaged: it is not what was written.
    """
    run_id, workflow, definition, created, updated, head, summary, by, epoch, owner, until, *above = _checked(
        row, _RUN_TYPES
    )
    parent, root, path, origin, origin_seq = above
    return RunRow(
        run_id=RunId(run_id),
        workflow=workflow,
        definition=definition,
        created_at=created,
        updated_at=updated,
        head=Seq(head),
        summary=_summary.decode(summary),
        by=by,
        epoch=Epoch(epoch),
        owner=owner,
        lease_until=until,
        parent=None if parent is None else RunId(parent),
        root=None if root is None else RunId(root),
        path=path,
        origin=None if origin is None else Origin(run_id=RunId(origin), seq=Seq(origin_seq)),
    )


def pause_row(row: Row) -> PauseRow:
    """Return a pause's row from `PAUSE_COLUMNS`.

    Raises:
        Damaged: it is not what was written.
    """
    pause_id, run_id, workflow, block, attempt, prompt, opened, seq, deadline, *more = _checked(
        row, _PAUSE_TYPES
    )
    state, closed, answer, root, path, assigned = more
    return PauseRow(
        pause_id=PauseId(pause_id),
        run_id=RunId(run_id),
        workflow=workflow,
        block=BlockId(block),
        attempt=attempt,
        prompt=_prompt.decode(prompt),
        opened_at=opened,
        opened_seq=Seq(seq),
        deadline=deadline,
        state=PauseState(state),
        closed_at=closed,
        answer=None if answer is None else _answer.decode(answer),
        root=None if root is None else RunId(root),
        path=path,
        assignment=None if assigned is None else _assignment.decode(assigned),
    )


def checkpoint_row(row: Row) -> CheckpointRow:
    """Return a checkpoint's row from `CHECKPOINT_COLUMNS`.

    Raises:
        Damaged: it is not what was written.
    """
    checkpoint_id, run_id, workflow, seq, kind, created, summary, block, label, metadata, *pause = _checked(
        row, _CHECKPOINT_TYPES
    )
    state, prompt, pinned, new_label, placed = pause
    return CheckpointRow(
        checkpoint_id=CheckpointId(checkpoint_id),
        run_id=RunId(run_id),
        workflow=workflow,
        seq=Seq(seq),
        kind=CheckpointKind(kind),
        created_at=created,
        summary=_summary.decode(summary),
        block=None if block is None else BlockId(block),
        label=label,
        metadata={} if metadata is None else _object.decode(metadata),
        pause_open=state == PauseState.OPEN,
        pause_text="" if prompt is None else _prompt.decode(prompt).text,
        pinned=bool(pinned),
        relabelled=new_label is not None,
        placed=bool(placed),
    )


def count_row(row: Row) -> tuple[str, int] | OpenPause:
    """Return a status with how many runs have it, or an open pause."""
    name, number, prompt, assigned = row
    if prompt is None:
        return str(name), int(number)
    said = None if assigned is None else _assignment.decode(assigned)
    assignee = _whose.decode(prompt).assignee if said is None else said.to
    return OpenPause(pause_id=PauseId(name), deadline=number, assignee=assignee)


def counts_of(found: Iterable[tuple[str, int] | OpenPause]) -> Counts:
    """Return what `count_row` gave, together."""
    found = tuple(found)
    return Counts(
        pauses=tuple(one for one in found if isinstance(one, OpenPause)),
        runs=dict(one for one in found if not isinstance(one, OpenPause)),
    )


def definition_of(row: Row) -> WorkflowDefinition:
    """Return a definition from its JSON.

    Raises:
        Damaged: it is not what was written.
    """
    try:
        return _definition.decode(row[0])
    except (msgspec.MsgspecError, TypeError) as error:
        raise Damaged("the definition of a run is damaged") from error


def text_of(row: Row) -> str:
    """Return a text that may be stored as bytes: encrypted it is."""
    text = row[0]
    return text.decode() if isinstance(text, bytes) else str(text)


def stored_value(row: Row) -> tuple[str, bytes]:
    """Return a value with its hash, from ``sha256, codec, data``.

    Raises:
        Damaged: it is not what its hash says.
    """
    digest, codec, data = row
    try:
        value = unpack(codec, data)
    except zstandard.ZstdError as error:
        raise Damaged(of_value(digest.hex(), "damaged")) from error
    if hashlib.sha256(value).digest() != digest:
        raise Damaged(of_value(digest.hex(), "damaged"))
    return digest.hex(), value


def pack(data: bytes) -> tuple[int, bytes]:
    """Return *data* as it is stored, with its codec: compressed when that pays."""
    if len(data) >= _WORTH_COMPRESSING:
        compressed = zstandard.compress(data, level=1)
        if len(compressed) < len(data) * 0.9:
            return _ZSTD, compressed
    return _PLAIN, data


def unpack(codec: int, data: bytes) -> bytes:
    """Return what `pack` was given."""
    return zstandard.decompress(data) if codec == _ZSTD else data
