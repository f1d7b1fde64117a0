"""The inputs section of a file."""

import pytest

from tidegate.model.workflow import InputDefinition, InputType
from workflows.small_catalog import faults_of, load


def declared(line: str) -> InputDefinition:
    """Return the input `x` that *line* declares."""
    return load(f"name: w\ninputs:\n  x: {line}\nblocks: [{{id: a, type: Python}}]").inputs[0]


def faults(line: str, name: str = "x") -> list[str]:
    """Return what is wrong with an input declared as *line*."""
    return faults_of(f"name: w\ninputs:\n  {name}: {line}\nblocks: [{{id: a, type: Python}}]")


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("string", InputType.STRING),
        ("{type: str}", InputType.STRING),
        ("int", InputType.INTEGER),
        ("float", InputType.NUMBER),
        ("bool", InputType.BOOLEAN),
        ("list", InputType.LIST),
        ("map", InputType.MAP),
        ("{type: choice, choices: [a]}", InputType.STRING),
        ("{}", InputType.STRING),
    ],
)
def test_an_input_is_required_unless_something_says_otherwise(line: str, kind: InputType) -> None:
    """Short and long form, and the short names of types."""
    assert (declared(line).type, declared(line).required) == (kind, True)


@pytest.mark.parametrize(
    ("line", "default"),
    [
        ("{type: string, default: NO}", "NO"),
        ("{type: string, default: 1.10}", "1.10"),
        ("{type: string, default: 0777}", "0777"),
        ("{type: string, default: 12:30}", "12:30"),
        ("{default: 2026-01-02}", "2026-01-02"),
        ("{type: number, default: 1.10}", 1.1),
        ("{type: integer, default: 3}", 3),
        ("{type: boolean, default: false}", False),
        ("{type: list, default: [a, 1]}", ["a", 1]),
        ("{type: map, default: {a: NO}}", {"a": "NO"}),
        ("{type: string, default: null}", None),
        ("{type: string, required: false}", None),
        ("{type: choice, options: [yes, no, on], default: no}", "no"),
    ],
)
def test_a_default_is_what_was_written(line: str, default: object) -> None:
    """Read by the input's type, so that no word of a language becomes a truth value."""
    found = declared(line)

    assert found.default == default
    assert type(found.default) is type(default)
    assert not found.required


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("strnig", "'strnig' is no type"),
        ("{type: strnig}", "did you mean 'string'"),
        ("{type: string, default: true}", "quote it"),
        ("{type: integer, default: '3'}", "the default '3' is not a whole number"),
        ("{type: integer, default: 3.5}", "is not a whole number"),
        ("{type: boolean, default: yes}", "the default 'yes' is not true or false"),
        ("{type: list, default: {}}", "is not a list"),
        ("{type: list, default: [1.10]}", "quote it"),
        ("{type: string, default: a, required: true}", "it is required and has a default"),
        ("{type: string, required: maybe}", "expected true or false"),
        ("{type: choice}", "a choice needs its choices"),
        ("{type: choice, choices: []}", "the list of choices is empty"),
        ("{type: choice, choices: [a, a]}", "stands twice"),
        ("{type: choice, choices: [true]}", "quote it"),
        ("{type: string, choices: [staging], default: stagin}", "did you mean 'staging'"),
        ("{typ: string}", "unknown key 'typ' (did you mean 'type'?)"),
        ("[a]", "expected a mapping"),
    ],
)
def test_a_wrong_declaration_is_one_fault(line: str, fault: str) -> None:
    """At its place."""
    (found,) = faults(line)

    assert fault in found
    assert found.startswith("3:")


@pytest.mark.parametrize("name", ["inputs", "blocks", "run", "secrets", "item", "a.b", "1a", "'in'"])
def test_reserved_and_impossible_names_are_refused(name: str) -> None:
    """They would mean something else in a reference."""
    (found,) = faults("string", name)

    assert "input name: " in found
