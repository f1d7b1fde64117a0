"""What references mean among the names of a workflow, and of the block that they stand in."""

from collections.abc import Callable

from tidegate.errors import ExpressionError
from tidegate.workflows.nearest import did_you_mean
from tidegate.workflows.references import RawReference, Reference, Root, Step
from tidegate.workflows.scope import Names

__all__ = ["resolve"]

_NOT_IN_ITEMS = ", and not in for_each.items"
_OUT_OF_PLACE = (
    "a secret may stand only where nothing of it is kept: in env and stdin of Shell, env and args of Python, "
    "headers, body, json and form of HttpCall, and not in an expression; for a command write "
    'env: {{{name}: ${{secrets.{name}}}}}, and "${name}" in the command'
)


def resolve(raw: RawReference, names: Names) -> Reference:
    """Return what *raw* means among *names*.

    Raises:
        ExpressionError: it means nothing; names what is close.
    """
    known = _ROOTS.get(raw.root)
    if known is not None:
        return known(raw, names)
    if raw.root in names.blocks and not (raw.is_bare and raw.root in names.inputs):
        return _of_block(raw, raw.root, raw.steps)
    if raw.root in names.inputs:
        return _found(raw, Root.INPUT, raw.root, raw.steps)
    raise ExpressionError(raw.source, _unknown(raw, names))


def _found(raw: RawReference, root: Root, name: str = "", steps: tuple[Step, ...] = ()) -> Reference:
    return Reference(raw.source, root, name, steps, raw.has_default, raw.default)


def _unknown(raw: RawReference, names: Names) -> str:
    if raw.is_bare:
        hint = did_you_mean(raw.root, names.inputs) or did_you_mean(raw.root, names.blocks | _ROOTS.keys())
        return f"'{raw.root}' is no input of this workflow{hint}"
    hint = did_you_mean(raw.root, names.blocks) or did_you_mean(raw.root, names.inputs | _ROOTS.keys())
    return f"'{raw.root}' is neither a block nor an input of this workflow{hint}"


def _in_inputs(raw: RawReference, names: Names) -> Reference:
    if raw.is_bare:
        return _found(raw, Root.INPUTS)
    name = raw.steps[0]
    if name not in names.inputs:
        hint = did_you_mean(str(name), names.inputs)
        raise ExpressionError(raw.source, f"'{name}' is no input of this workflow{hint}")
    return _found(raw, Root.INPUT, str(name), raw.steps[1:])


def _in_blocks(raw: RawReference, names: Names) -> Reference:
    if raw.is_bare:
        raise ExpressionError(raw.source, "'blocks' alone has no value: name one, like blocks.build.stdout")
    name = raw.steps[0]
    if name not in names.blocks:
        hint = did_you_mean(str(name), names.blocks)
        raise ExpressionError(raw.source, f"'{name}' is no block of this workflow{hint}")
    return _of_block(raw, str(name), raw.steps[1:])


def _of_block(raw: RawReference, block: str, steps: tuple[Step, ...]) -> Reference:
    # `blocks.a.outputs.x` and `blocks.a.x` are two spellings of one thing.
    if len(steps) > 1 and steps[0] == "outputs":
        steps = steps[1:]
    if not steps or steps == ("outputs",) or not isinstance(steps[0], str):
        problem = f"'{block}' is a block: name one of its outputs, like ${{{block}.status}}"
        raise ExpressionError(raw.source, problem)
    return _found(raw, Root.BLOCK, block, steps)


def _of_item(raw: RawReference, names: Names) -> Reference:
    if not names.item:
        raise ExpressionError(raw.source, f"'item' is known in blocks with for_each only{_NOT_IN_ITEMS}")
    return _found(raw, Root.ITEM, "item", raw.steps)


def _of_index(raw: RawReference, names: Names) -> Reference:
    if not names.index:
        problem = f"'index' is known in blocks with for_each or loop only{_NOT_IN_ITEMS}"
        raise ExpressionError(raw.source, problem)
    if raw.steps:
        raise ExpressionError(raw.source, "'index' is a number, counted from 0: nothing can follow it")
    return _found(raw, Root.INDEX, "index")


def _of_run(raw: RawReference, names: Names) -> Reference:
    match (raw.root, *raw.steps):
        case ("run", "id"):
            return _found(raw, Root.RUN_ID)
        case ("run", "feedback") if names.feedback:
            return _found(raw, Root.RUN_FEEDBACK)
        case ("workflow", "name"):
            return _found(raw, Root.WORKFLOW_NAME)
        case ("run", ("status" | "failures") as word, *_) if not names.run:
            problem = f"'run.{word}' is known in blocks with 'always: true' only"
            raise ExpressionError(raw.source, problem)
        case ("run", "status"):
            return _found(raw, Root.RUN_STATUS)
        case ("run", "failures", *steps):
            return _found(raw, Root.RUN_FAILURES, "run.failures", tuple(steps))
        case ("workflow", *_):
            raise ExpressionError(raw.source, "of 'workflow' only ${workflow.name} is known")
        case _:
            raise ExpressionError(raw.source, f"of 'run' only {_known_of_run(names)} known here")


def _known_of_run(names: Names) -> str:
    if not names.feedback:
        return "${run.id} is"
    return f"${{run.id}}{', ${run.status}, ${run.failures}' if names.run else ''} and ${{run.feedback}} are"


def _of_secret(raw: RawReference, names: Names) -> Reference:
    if len(raw.steps) != 1 or raw.has_default:
        problem = "a secret is written ${secrets.NAME}: it is a text that has no parts, and no default"
        raise ExpressionError(raw.source, problem)
    name = str(raw.steps[0])
    if name not in names.secrets:
        hint = did_you_mean(name, names.secrets) or ": declare it in the workflow's 'secrets'"
        raise ExpressionError(raw.source, f"'{name}' is no secret of this workflow{hint}")
    if not names.keeps_secrets:
        raise ExpressionError(raw.source, _OUT_OF_PLACE.format(name=name))
    return _found(raw, Root.SECRET, name)


def _of_state(raw: RawReference, _names: Names) -> Reference:
    return _found(raw, Root.STATE, "state", raw.steps)


_ROOTS: dict[str, Callable[[RawReference, Names], Reference]] = {
    "inputs": _in_inputs,
    "blocks": _in_blocks,
    "run": _of_run,
    "workflow": _of_run,
    "item": _of_item,
    "index": _of_index,
    "state": _of_state,
    "secrets": _of_secret,
}
"""Words that no input and no block may be called by."""
