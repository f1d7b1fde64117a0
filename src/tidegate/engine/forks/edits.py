"""What a person wants to be other than it was, when a run is forked: read, checked, and put where it belongs."""

import copy
import json
from collections.abc import Collection, Sequence

from tidegate.engine.forks.edit_rules import (
    gives_in_parts,
    why_no_output,
    why_no_outputs,
    why_not_given,
    why_unknown,
)
from tidegate.engine.forks.edited import Edit, EditedValue, Edits, InvalidEdit
from tidegate.engine.forks.edited_answers import edit_answer
from tidegate.engine.forks.edited_references import must_read_what_is_there
from tidegate.engine.view import View
from tidegate.errors import InputsError
from tidegate.model.base import Json, JsonObject
from tidegate.model.catalog import ValueType
from tidegate.model.codec import NotJson, plain
from tidegate.model.ids import BlockId
from tidegate.model.state import Pause
from tidegate.model.workflow import InputType
from tidegate.workflows.calls import call_problems
from tidegate.workflows.declared_inputs import has_type, type_name
from tidegate.workflows.expressions import has_reference
from tidegate.workflows.nearest import did_you_mean, listed
from tidegate.workflows.output_types import OF_ITEMS
from tidegate.workflows.run_inputs import validate_inputs

__all__ = ["Edit", "EditedValue", "Edits", "InvalidEdit", "read_edits"]

_WHERE = (
    "write inputs.NAME, state.NAME, blocks.BLOCK.outputs.NAME, blocks.BLOCK.inputs.NAME or blocks.BLOCK.answer; "
    "what is inside of it follows after another dot"
)


async def read_edits(view: View, edits: Sequence[Edit], asked: Collection[Pause], *, by: str) -> Edits:
    """Return what *edits* make of the run in *view*.

    Args:
        view: The other run at the point, with the definition that the fork goes on with.
        edits: What is to be other than it was.
        asked: All that the other run has asked, also after the point.
        by: Who forks: any other answer is given by them.

    Raises:
        InvalidEdit: one leads nowhere, or its value is not what is expected there.
    """
    found = Edits()
    for edit in edits:
        match edit.path:
            case ("inputs", str(name), *inner):
                _edit_input(view, found, edit, name, inner)
            case ("state", str(name), *inner):
                await _edit_variable(view, found, edit, name, inner)
            case ("blocks", str(place), "answer", *_):
                _refuse(edit, why_unknown(view.state, BlockId(place)))
                edit_answer(view.state, asked, found, edit, BlockId(place), by)
            case ("blocks", str(place), "outputs", str(name), *inner):
                await _edit_output(view, found, edit, BlockId(place), name, inner)
            case ("blocks", str(block), "inputs", str(name), *inner):
                _edit_given(view, found, edit, BlockId(block), name, inner)
            case _:
                raise InvalidEdit(edit.path, f"nothing there can be changed: {_WHERE}")
    _must_be_callable(view, found)
    return found


# -- where it belongs -------------------------------------------------------------------------


def _edit_input(view: View, found: Edits, edit: Edit, name: str, inner: Sequence[str | int]) -> None:
    before = found.inputs.get(name, view.state.inputs.get(name))
    given = {**view.state.inputs, **found.inputs, name: _changed(edit, before, inner)}
    try:
        # Typed texts are read by the declared type, as on the command line that starts a run.
        inputs = validate_inputs(view.state.graph.definition, given, from_text=edit.as_text and not inner)
    except InputsError as error:
        raise InvalidEdit(edit.path, error.problem) from None
    found.inputs[name] = inputs[name]
    found.note(("inputs", name), before, inputs[name])


async def _edit_variable(view: View, found: Edits, edit: Edit, name: str, inner: Sequence[str | int]) -> None:
    before = found.variables.get(name, (await view.load(view.state.variables)).get(name))
    after = _changed(edit, before, inner) if inner else _read(edit, ValueType.ANY, before)
    found.variables[name] = after
    found.note(("state", name), before, after)


async def _edit_output(
    view: View, found: Edits, edit: Edit, place: BlockId, name: str, inner: Sequence[str | int]
) -> None:
    _refuse(edit, why_unknown(view.state, place) or why_no_outputs(view.state, place))
    outputs = await view.load(view.state.block(place).outputs)
    before = found.outputs.get(place, {}).get(name, outputs.get(name))
    kind = _type_of_output(view, edit, place, name)
    after = _changed(edit, before, inner) if inner else _read(edit, kind, before)
    found.outputs.setdefault(place, {})[name] = after
    found.note(("blocks", place, "outputs", name), before, after)


def _type_of_output(view: View, edit: Edit, place: BlockId, name: str) -> ValueType:
    spec, definition = view.body(place).spec, view.state.definition_of(place)
    _refuse(edit, why_no_output(view.state, spec, place, name))
    in_parts = gives_in_parts(view.state, place)
    if in_parts and definition.for_each is not None:
        return OF_ITEMS.get(name, ValueType.ANY)
    if name in definition.outputs:
        return ValueType.ANY
    return spec.outputs.get(name, ValueType.INTEGER if in_parts and name == "iterations" else ValueType.ANY)


def _edit_given(
    view: View, found: Edits, edit: Edit, block: BlockId, name: str, inner: Sequence[str | int]
) -> None:
    _refuse(edit, why_unknown(view.state, block) or why_not_given(block))
    spec, definition = view.body(block).spec, view.state.definition_of(block)
    written = definition.inputs
    given = {**view.state.given.get(block, {}), **found.given.get(block, {})}
    before = given.get(name, written.get(name))
    after = _changed(edit, before, inner) if inner else _read(edit, ValueType.ANY, before)
    inputs = {**written, **given, name: after}
    problems = [problem.message for problem in spec.check(inputs, has_reference)]
    if problems:
        raise InvalidEdit(edit.path, "; ".join(problems))
    must_read_what_is_there(view, edit, definition.evolve(inputs={name: after}))
    found.given.setdefault(block, {})[name] = after
    found.note(("blocks", block, "inputs", name), before, after)


def _refuse(edit: Edit, why: str) -> None:
    if why:
        raise InvalidEdit(edit.path, why)


def _must_be_callable(view: View, found: Edits) -> None:
    """Refuse calls that would fail at once, as a file with them would: once all is known that is other in them."""
    for block, changed in found.given.items():
        spec, written = view.body(block).spec, view.state.definition_of(block).inputs
        inputs = {**written, **view.state.given.get(block, {}), **changed}
        if spec.calls is not None and (problem := _call_problem(view, str(inputs.get(spec.calls)), inputs)):
            raise InvalidEdit(("blocks", block, "inputs", next(iter(changed))), problem)


def _call_problem(view: View, name: str, inputs: JsonObject) -> str:
    children, passed = view.state.graph.definition.children, inputs.get("inputs") or {}
    if name not in children:
        hint = did_you_mean(name, children) or f"; there is {listed(sorted(children))}"
        return f"there is no workflow '{name}' among those it was loaded with{hint}"
    # What is a reference as a whole is known in the run alone.
    problems = call_problems(children[name], passed) if isinstance(passed, dict) else ()
    return "; ".join(problem for _, problem in problems)


# -- values -----------------------------------------------------------------------------------


def _read(edit: Edit, kind: ValueType, before: Json) -> Json:
    """Return what an edit puts in the place of a whole value of a type."""
    # What was a text stays one: 012 and true are texts, too.
    is_text = kind is ValueType.STRING or (kind is ValueType.ANY and isinstance(before, str))
    value = _journalled(edit, edit.value if is_text else _guessed(edit))
    if kind is not ValueType.ANY and not has_type(value, InputType(kind.value)):
        shown = json.dumps(value, ensure_ascii=False)[:60]
        raise InvalidEdit(edit.path, f"it is {shown}, expected {type_name(InputType(kind.value))}")
    return value


def _guessed(edit: Edit) -> Json:
    """Return what was typed as JSON, if it is that, or as the text that it is."""
    if not edit.as_text or not isinstance(edit.value, str):
        return edit.value
    try:
        value: Json = json.loads(edit.value)
    except (ValueError, RecursionError):
        return edit.value
    return value


def _journalled(edit: Edit, value: Json) -> Json:
    try:
        return plain(value, "value")
    except NotJson as error:
        raise InvalidEdit(edit.path, error.problem) from None


def _changed(edit: Edit, whole: Json, inner: Sequence[str | int]) -> Json:
    """Return a copy of *whole* with the edit's value at *inner* in it; without steps, the value itself."""
    if not inner:
        return edit.value
    changed = copy.deepcopy(whole)
    holder, last = _holder(edit, changed, inner)
    if isinstance(holder, list):
        index = _index(edit, holder, last)
        holder[index] = _read(edit, ValueType.ANY, holder[index])
    else:
        holder[str(last)] = _read(edit, ValueType.ANY, holder.get(str(last)))
    return changed


def _holder(edit: Edit, whole: Json, inner: Sequence[str | int]) -> tuple[list[Json] | JsonObject, str | int]:
    """Return the list or mapping that holds what is to be changed, and its key there."""
    for step, following in zip(inner, [*inner[1:], None], strict=True):
        if not isinstance(whole, list | dict):
            raise InvalidEdit(edit.path, f"there is nothing inside of {json.dumps(whole)[:60]}")
        if following is None:
            return whole, step
        if isinstance(whole, list):
            whole = whole[_index(edit, whole, step)]
        elif str(step) in whole:
            whole = whole[str(step)]
        else:
            raise InvalidEdit(edit.path, f"there is no '{step}'{did_you_mean(str(step), whole)}")
    raise InvalidEdit(edit.path, f"nothing there can be changed: {_WHERE}")


def _index(edit: Edit, values: list[Json], step: str | int) -> int:
    text = str(step)
    if not (text.isascii() and text.isdecimal() and int(text) < len(values)):
        raise InvalidEdit(edit.path, f"'{step}' is no position in a list of {len(values)}, counted from 0")
    return int(text)
