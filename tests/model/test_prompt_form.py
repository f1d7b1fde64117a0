"""A form: its fields are read together, and every fault of an answer is told at once."""

import pytest

from tidegate.errors import InvalidAnswer
from tidegate.model.answer_schema import response_schema
from tidegate.model.prompt import ChoicePrompt, FormField, FormPrompt, InputKind, InputPrompt


def typed(
    name: str, kind: InputKind = InputKind.STRING, *, required: bool = True, **more: object
) -> FormField:
    """Return a typed field."""
    prompt = InputPrompt(prompt=f"{name}?", input_type=kind, required=required).evolve(**more)
    return FormField(id=name, prompt=prompt, required=required)


SIZE = FormField(id="size", prompt=ChoicePrompt(question="Size?", choices=("small", "large")))
ZONES = FormField(
    id="zones",
    prompt=ChoicePrompt(question="Zones?", choices=("a", "b", "c"), multiple=True, min=0),
    required=False,
)
FORM = FormPrompt(
    message="How?",
    fields=(
        SIZE,
        typed("replicas", InputKind.INTEGER, required=False, min=1.0, default="2"),
        typed("dry_run", InputKind.BOOLEAN, required=False, default="yes"),
        typed("note", required=False),
        ZONES,
        typed("extra", InputKind.JSON, required=False),
    ),
)


def test_what_is_left_out_is_its_default_or_null() -> None:
    """Each field has a value, in the order of the workflow."""
    value = FORM.parse('{"size": "large"}')

    assert value == {
        "size": "large",
        "replicas": 2,
        "dry_run": True,
        "note": None,
        "zones": None,
        "extra": None,
    }
    assert list(value) == [field.id for field in FORM.fields]


@pytest.mark.parametrize(
    ("field", "example"),
    [
        (typed("n", InputKind.INTEGER), 1),
        (typed("n", InputKind.INTEGER, min=5.0, max=9.0), 5),
        (typed("n", InputKind.INTEGER, max=-2.0), -2),
        (typed("n", InputKind.NUMBER, min=0.2, max=0.8), 0.2),
        (typed("n", InputKind.BOOLEAN), True),
        (typed("n", InputKind.DATE, earliest="2027-02-01"), "2027-02-01"),
        (typed("n", InputKind.JSON), {"key": 1}),
        (typed("n"), "..."),
        (SIZE, "small"),
        (ZONES, ["a"]),
    ],
)
def test_the_rule_shows_an_answer_that_would_be_taken(field: FormField, example: object) -> None:
    """Of the type of each field, inside of its range."""
    form = FormPrompt(fields=(field,))
    shown = form.rule.removeprefix("a JSON object like ").partition(" with the fields ")[0]

    assert form.parse(shown) == {field.id: example}


def test_an_empty_text_is_not_a_missing_one() -> None:
    """An empty text says that it is empty; leaving it out, or null, says that there is none."""
    assert FORM.parse('{"size": "1", "note": ""}')["note"] == ""
    assert FORM.parse('{"size": "1", "note": null}')["note"] is None
    assert FORM.parse('{"size": "1", "zones": ""}')["zones"] == []
    assert FORM.parse('{"size": "1", "replicas": ""}')["replicas"] == 2


def test_texts_are_read_as_if_typed_and_values_are_themselves() -> None:
    """The two ways to say it are one answer."""
    as_text = '{"size": "2", "replicas": "3", "dry_run": "no", "zones": "c,a", "extra": "{\\"k\\": [1]}"}'
    as_values = '{"size": "large", "replicas": 3, "dry_run": false, "zones": ["a", "c"], "extra": {"k": [1]}}'

    assert FORM.parse(as_text) == FORM.parse(as_values)
    assert FORM.parse(as_text)["replicas"] == 3


def test_every_fault_is_told_at_once() -> None:
    """With the field and its rule, and the nearest name of one that does not exist."""
    with pytest.raises(InvalidAnswer) as caught:
        FORM.parse('{"replicas": 0, "dry_run": "maybe", "note": ["x"], "zone": "a", "extra": "{"}')

    assert str(caught.value).split("; field ")[0] == (
        "field 'size': is required: type one of small, large, or its number (1 to 2)"
    )
    for part in (
        "field 'replicas': a whole number, at least 1 is asked for",
        "field 'dry_run': true or false (yes, no) is asked for",
        "field 'note': one line is asked for, not [\"x\"]",
        "field 'extra': this is no JSON",
        "there is no field 'zone' (did you mean 'zones'?)",
    ):
        assert part in str(caught.value)


@pytest.mark.parametrize("raw", ["", " ", "[]", "yes", '{"size": "small", "size": "large"}', "{"])
def test_what_is_no_object_of_fields_is_refused(raw: str) -> None:
    """Not even the defaults are taken by silence."""
    with pytest.raises(InvalidAnswer):
        FORM.parse(raw)


def test_many_unknown_fields_make_no_endless_message() -> None:
    """The first few are enough."""
    with pytest.raises(InvalidAnswer) as caught:
        FORM.read({f"x{number}": "1" for number in range(5_000)})

    assert len(str(caught.value)) < 2_000


def test_a_required_field_may_not_be_empty_whatever_its_default() -> None:
    """Its default is for a deadline only."""
    form = FormPrompt(fields=(typed("name", default="x"),))

    assert form.default_value == {"name": "x"}
    for raw in ("{}", '{"name": ""}', '{"name": null}'):
        with pytest.raises(InvalidAnswer, match="field 'name': is required"):
            form.parse(raw)


def test_without_a_default_for_what_is_required_there_is_none_for_the_form() -> None:
    """So no deadline can fill it in."""
    assert FORM.default_value is None
    assert FORM.evolve(fields=FORM.fields[1:]).default_value is not None


def test_its_schema_says_what_a_program_may_answer() -> None:
    """JSON Schema: types, choices, bounds; null where nothing is an answer."""
    schema = response_schema(FORM)
    properties = schema["properties"]

    assert isinstance(properties, dict)
    assert schema["required"] == ["size"]
    assert schema["additionalProperties"] is False
    assert properties["size"] == {"title": "Size?", "type": "string", "enum": ["small", "large"]}
    assert properties["replicas"] == {"title": "replicas?", "type": "integer", "minimum": 1.0, "default": 2}
    assert properties["zones"] == {
        "title": "Zones?",
        "anyOf": [
            {
                "type": "array",
                "items": {"type": "string", "enum": ["a", "b", "c"]},
                "uniqueItems": True,
                "minItems": 0,
                "maxItems": 3,
            },
            {"type": "null"},
        ],
    }
    assert properties["note"] == {
        "title": "note?",
        "anyOf": [{"type": "string", "pattern": "^[^\\r\\n]*$"}, {"type": "null"}],
    }
    assert properties["extra"] == {"title": "extra?"}
