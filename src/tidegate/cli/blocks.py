"""`tidegate blocks`: which types of blocks there are, and what one takes and gives."""

import click

from tidegate.cli import options
from tidegate.cli.console import emit_json, say, shown_value, table
from tidegate.cli.exits import Exit
from tidegate.cli.grammar import Command, argument
from tidegate.model.base import Json, JsonObject
from tidegate.model.catalog import BlockSpec, InputSpec

__all__ = ["blocks"]


@click.command(cls=Command)
@argument("type_", metavar="[TYPE]", required=False, help="A block type; without it, all are listed.")
@options.as_json
def blocks(type_: str | None, as_json: bool) -> int:
    """List the types of blocks, or say what one of them takes and gives.

    Exit code: 0, or 1 if the type is there and cannot be used.
    """
    return _list(as_json=as_json) if type_ is None else _tell(type_, as_json=as_json)


# -- all of them ------------------------------------------------------------------------------


def _list(*, as_json: bool) -> int:
    from tidegate.blocks.installed import refused_types
    from tidegate.blocks.registry import BUILTIN, catalog

    rows = [(name, _origin(name), spec) for name, spec in catalog().items()]
    refused = refused_types(BUILTIN)
    if as_json:
        documents: list[Json] = [
            {"type": name, "from": origin, "summary": _first_line(spec), "usable": _is_usable(name)}
            for name, origin, spec in rows
        ]
        emit_json({"types": documents, "refused": list(refused)})
        return Exit.SUCCEEDED
    table(
        ("TYPE", "FROM", "WHAT IT DOES"), [(name, origin, _first_line(spec)) for name, origin, spec in rows]
    )
    for sentence in refused:
        say(f"refused: {sentence}")
    return Exit.SUCCEEDED


def _origin(name: str) -> str:
    from tidegate.blocks.installed import installed_types
    from tidegate.blocks.registry import BUILTIN

    return "tidegate" if name in BUILTIN else " and ".join(installed_types()[name].packages)


def _is_usable(name: str) -> bool:
    from tidegate.blocks.installed import UnusableBlock
    from tidegate.blocks.registry import all_blocks

    return not isinstance(all_blocks()[name], UnusableBlock)


def _first_line(spec: BlockSpec) -> str:
    return spec.description.strip().partition("\n")[0]


# -- one of them ------------------------------------------------------------------------------


def _tell(name: str, *, as_json: bool) -> int:
    spec = _spec(name)
    if as_json:
        emit_json(_document(name, spec))
    elif _is_usable(name):
        _say_type(name, spec)
    else:
        say(spec.description)
    return Exit.SUCCEEDED if _is_usable(name) else Exit.FAILED


def _spec(name: str) -> BlockSpec:
    from tidegate.blocks.registry import catalog
    from tidegate.workflows.nearest import did_you_mean

    try:
        return catalog()[name]
    except KeyError:
        hint = did_you_mean(name, catalog()) or "; `tidegate blocks` lists them"
        raise click.UsageError(f"there is no block type '{name}'{hint}") from None


def _say_type(name: str, spec: BlockSpec) -> None:
    say(f"{name} ({_origin(name)})")
    say(f"\n{spec.description.strip() or 'It has no description.'}")
    say("\nInputs:" if spec.inputs() else "\nInputs: it does not tell them.")
    for entry in spec.inputs():
        say(f"  {entry.name}  ({entry.type}; {_need(entry)})")
        if entry.description:
            say(f"      {entry.description}")
    if spec.secret_inputs:
        say(f"\nSecrets may stand in: {', '.join(sorted(spec.secret_inputs))}")
    outputs = [f"{output} ({kind})" for output, kind in spec.outputs.items()]
    more = ["others, which only a run shows"] if spec.open_outputs else []
    say(f"\nOutputs: {', '.join([*outputs, *more]) or 'none'}")
    say(f"Effect: {_effect_words(spec)}")
    if spec.example:
        lines = spec.example.strip().split("\n")
        say(
            "\nExample:\n" + "\n".join(f"  {'- ' if not at else '  '}{line}" for at, line in enumerate(lines))
        )


def _need(entry: InputSpec) -> str:
    if entry.required:
        return "required"
    empty = entry.default in (None, "", [], {}) and not isinstance(entry.default, bool)
    return "optional" if empty else f"default {shown_value(entry.default)}"


def _effect_words(spec: BlockSpec) -> str:
    depends = ", or less, as its inputs say" if spec.effect_of is not None else ""
    return f"{spec.effect}{depends}" if not spec.interactive else "none: it asks a person"


def _document(name: str, spec: BlockSpec) -> JsonObject:
    inputs: list[Json] = [
        {
            "name": entry.name,
            "type": entry.type,
            "required": entry.required,
            "default": entry.default,
            "description": entry.description,
        }
        for entry in spec.inputs()
    ]
    return {
        "type": name,
        "from": _origin(name),
        "usable": _is_usable(name),
        "description": spec.description,
        "inputs": inputs,
        "secret_inputs": list[Json](sorted(spec.secret_inputs)),
        "outputs": {output: kind.value for output, kind in spec.outputs.items()},
        "open_outputs": spec.open_outputs,
        "interactive": spec.interactive,
        "effect": spec.effect.value,
        "effect_depends_on_inputs": spec.effect_of is not None,
        "example": spec.example,
    }
