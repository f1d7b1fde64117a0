"""Runs of every kind to be exported, and what there is of a run in a store, to be compared."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tidegate.blocks.registry import catalog
from tidegate.clock import SystemClock
from tidegate.history.arriving import Import
from tidegate.history.export import prepare_export
from tidegate.history.importing import Parcel, unpack
from tidegate.history.points import find_point
from tidegate.model.events import AttemptStarted
from tidegate.model.ids import RunId
from tidegate.model.listing import CheckpointFilter, PauseFilter, RunFilter
from tidegate.model.value import stored_in
from tidegate.model.workflow import WorkflowDefinition
from tidegate.store.protocol import Store
from tidegate.workflows.loader import load_workflow

CHILD = """
name: child
blocks:
  - {id: say, type: Shell, inputs: {command: "echo child"}}
  - {id: ask, type: GetInput, depends_on: [say], inputs: {prompt: "Which?"}}
"""
EVERYTHING = """
name: everything
inputs: {flag: {type: string}}
blocks:
  - {id: big, type: Shell, inputs: {command: "seq 1 3000; printf '\\\\377\\\\376' >&2"}}
  - id: flaky
    type: Shell
    depends_on: [big]
    inputs: {command: "echo try; test -e ${flag} || { touch ${flag}; exit 3; }"}
    retry: {max_attempts: 2}
    checkpoint: {label: "after the storm", metadata: {how: "${flaky.exit_code}"}}
  - {id: each, type: Shell, depends_on: [big], for_each: [red, green], inputs: {command: 'echo "${item}"'}}
  - {id: never, type: Shell, depends_on: [big], condition: "${big.exit_code} == 7", inputs: {command: "true"}}
  - {id: loop, type: Shell, depends_on: [each], loop: {until: "${loop.stdout} == 'x'", max_iterations: 3}, inputs: {command: "echo x"}}
  - {id: bad, type: Shell, depends_on: [each], on_failure: continue, inputs: {command: "echo oops >&2; exit 4"}}
  - {id: sub, type: ExecuteWorkflow, depends_on: [loop, bad, flaky], inputs: {workflow: child.yaml}}
  - {id: gate, type: ConfirmOperation, depends_on: [sub], inputs: {message: "Go?", operation: deploy}}
outputs: {status: "${sub.status}"}
"""


def everything(folder: Path) -> WorkflowDefinition:
    """Return a workflow with one block of each kind of history, from a file in *folder*."""
    (folder / "child.yaml").write_text(CHILD)
    (folder / "everything.yaml").write_text(EVERYTHING)
    return load_workflow(folder / "everything.yaml", catalog()).definition


async def exported(store: Store, point: str, *, output: bool = True) -> bytes:
    """Return the file that a run is exported as."""
    made = await prepare_export(store, await find_point(store, point), SystemClock(), output=output)
    return b"".join([piece async for piece in made.whole()])


async def imported(store: Store, file: bytes) -> Parcel:
    """Import a file; return what was in it."""
    parcel = unpack({"run.json": file})
    await Import(store, parcel, SystemClock(), "run.json").write()
    return parcel


def content(file: bytes) -> Mapping[str, Any]:
    """Return what is in a file, without what says when and by what it was written, and where it came from."""
    document = json.loads(file)
    for run in document["runs"]:
        run.pop("origin", None)
        # One more each time that it is written on after an end.
        run.pop("epoch", None)
    return {
        name: value for name, value in document.items() if name not in ("exported_at", "digest", "tidegate")
    }


async def everything_of(store: Store, run_id: RunId) -> dict[str, Any]:
    """Return all that a store has of a run and of those below it, but who drives them."""
    rows = await store.runs(RunFilter(root=run_id, limit=1_000))
    return {row.run_id: await _all_of(store, row.run_id) for row in rows}


async def _all_of(store: Store, run_id: RunId) -> dict[str, Any]:
    row = await store.run(run_id)
    records = await store.read(run_id)
    values = {value.sha256 for record in records for value in stored_in(record.event)}
    attempts = {
        (record.event.block, record.event.attempt)
        for record in records
        if isinstance(record.event, AttemptStarted)
    }
    return {
        "row": row.evolve(epoch=0, owner="", lease_until=0.0),
        "definition": await store.definition(row.definition),
        "source": await store.definition_source(row.definition),
        "events": records,
        "pauses": await store.pauses(PauseFilter(run_id=run_id, open_only=False)),
        "checkpoints": await store.checkpoints(CheckpointFilter(run_id=run_id)),
        "values": await store.values(sorted(values)),
        "output": {where: await store.read_output(run_id, *where, limit=1_000) for where in sorted(attempts)},
    }
