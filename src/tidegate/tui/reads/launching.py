"""What an operator wants to start, and what is read for it: the file as it is now, and with what the form begins."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tidegate.errors import DefinitionError, Fault, TidegateError
from tidegate.model.base import Json, JsonObject
from tidegate.model.ids import RunId
from tidegate.model.workflow import WorkflowDefinition, definition_hash
from tidegate.tui.nouns.launch import Launch, LaunchWish
from tidegate.tui.session import Session

if TYPE_CHECKING:
    from tidegate.history.shelf import WorkflowFile
    from tidegate.model.state import RunState

__all__ = ["read_launch", "start_launch"]


async def read_launch(session: Session, wish: LaunchWish) -> Launch:
    """Return what is to be started, as its file is now.

    Raises:
        DefinitionError: the file has faults; nothing is started from it.
        RunNotFound: the run that was to be started once more is gone.
    """
    from tidegate.history.shelf import read_file

    if wish.run_id is not None:
        return await _read_again(session, wish.run_id)
    if wish.path is None:
        raise TidegateError("nothing was chosen that could be started")
    definition, source = _sound(await read_file(wish.path))
    return Launch(definition, source, wish.path)


async def _read_again(session: Session, run_id: RunId) -> Launch:
    from tidegate.history.shelf import path_of, read_file

    state = await session.history.state(run_id)
    pinned = state.graph.definition
    path = path_of(pinned)
    if path is None or not path.exists():
        why = f"its file {path} is gone" if path else "it came from no file"
        notice = f"What runs is what run {run_id} was started with: {why}."
        return Launch(pinned, given=_given(pinned, state), like=run_id, notices=(notice,))
    definition, source = _sound(await read_file(path))
    change = await session.history.definition_change(run_id)
    notices = (
        ("The file has changed since that run started: what runs is what the file says now.",)
        if change == "changed"
        else ()
    )
    lost = [name for name in state.inputs if name not in {declared.name for declared in definition.inputs}]
    if lost:
        notices = (*notices, f"It takes these inputs of that run no more: {', '.join(lost)}.")
    return Launch(definition, source, path, _given(definition, state), run_id, notices)


def _given(definition: WorkflowDefinition, state: "RunState") -> JsonObject:
    names = [declared.name for declared in definition.inputs if declared.name in state.inputs]
    return {name: state.inputs[name] for name in names}


def _sound(file: "WorkflowFile") -> tuple[WorkflowDefinition, str]:
    if file.definition is None:
        raise FaultyFile(file.path, file.faults)
    return file.definition, file.source


class FaultyFile(DefinitionError):
    """Nothing is started from a file with faults."""

    def __init__(self, path: Path, faults: tuple[Fault, ...]) -> None:
        super().__init__(str(path), faults)
        more = f" (and {len(faults) - 1} more; 4 shows them)" if len(faults) > 1 else ""
        self.args = (f"nothing can be started from it yet: {faults[0].describe(path.name)}{more}",)


async def start_launch(session: Session, launch: Launch, given: Mapping[str, Json]) -> RunId | None:
    """Start the run; return which one it is, or None if the file says something else by now.

    Args:
        session: Where.
        launch: What the operator has seen.
        given: What was typed or chosen, by name.

    Raises:
        DefinitionError: the file has faults by now.
        InputsError: the inputs break a rule.
        StoreError: the run could not be recorded; none was started.
    """
    from tidegate.history.shelf import read_file, read_inputs

    if launch.path is not None:
        now, _ = _sound(await read_file(launch.path))
        if definition_hash(now) != definition_hash(launch.definition):
            return None
    inputs = read_inputs(launch.definition, given)
    return await session.executor.start(launch.definition, inputs, by=session.operator, source=launch.source)
