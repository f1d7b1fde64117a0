"""Several choices, typed values of every kind, comments, deadlines, and questions that follow each other."""

from typing import ClassVar

import pytest

from tidegate.blocks.base import (
    Asked,
    Completed,
    Failed,
    InteractiveBlock,
    InteractiveResult,
    Rejected,
    Result,
)
from tidegate.blocks.checks import input_check
from tidegate.blocks.interactive import AskChoice, AskForm, ConfirmOperation, GetInput
from tidegate.blocks.interactive_inputs import GetInputInputs
from tidegate.blocks.registry import catalog
from tidegate.errors import InputsError
from tidegate.model.base import Json, JsonObject
from tidegate.model.catalog import BlockSpec, ValueType
from tidegate.model.prompt import Answer, CommentRule, InputKind, InputPrompt, Prompt


def holds(value: Json) -> bool:
    """Tell a text with a reference in it, as the loader does."""
    return isinstance(value, str) and "${" in value


def messages(block_type: str, **inputs: Json) -> list[str]:
    """Return what a person is told about inputs as a file has them."""
    return [problem.message for problem in catalog()[block_type].check(inputs, holds)]


def answered(prompt: Prompt, raw: str) -> Answer:
    """Return the answer a person gives by typing *raw*."""
    return Answer(value=prompt.parse(raw), raw=raw, by="ada", via="cli")


MANY: JsonObject = {"question": "Where?", "choices": ["eu", "us", "ap"], "multiple": True}


def test_several_choices_come_with_their_positions() -> None:
    """In the order of the file, counted from 0."""
    block = AskChoice()
    prompt = block.ask({**MANY, "min": "1", "max": 2})

    assert block.resume(prompt, answered(prompt, "us,1")) == Completed(
        {"choices": ["eu", "us"], "choice_indexes": [0, 1]}
    )


def test_choosing_nothing_gives_empty_lists() -> None:
    """Where the file allows it."""
    block = AskChoice()
    prompt = block.ask({**MANY, "min": 0})

    assert block.resume(prompt, answered(prompt, "none")) == Completed({"choices": [], "choice_indexes": []})


@pytest.mark.parametrize(
    ("default", "choices"), [(["ap", "eu"], ["eu", "ap"]), ("us", ["us"]), (["us", "us"], ["us"])]
)
def test_silence_may_take_a_list(default: Json, choices: list[str]) -> None:
    """In the workflow's order, too."""
    block = AskChoice()
    prompt = block.ask({**MANY, "default": default, "on_timeout": "default"})
    result = block.expire(prompt)

    assert isinstance(result, Completed)
    assert result.outputs["choices"] == choices


def test_silence_may_choose_nothing() -> None:
    """An empty default is a default."""
    block = AskChoice()
    prompt = block.ask({**MANY, "min": 0, "default": [], "on_timeout": "default"})

    assert block.expire(prompt) == Completed({"choices": [], "choice_indexes": []})


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"min": 4}, "'min' must be from 0 to 3, the number of choices, not 4"),
        ({"min": -1}, "'min' must be from 0 to 3"),
        ({"min": 2, "max": 1}, "'max' must be from 2 to 3, not 1"),
        ({"min": 0, "max": 0}, "'max' must be from 1 to 3, not 0"),
        ({"default": ["eu", "xx"]}, "'default' must be one of the choices (eu, us, ap), not 'xx'"),
        ({"default": {"eu": 1}}, "'default' must be a choice or a list of them"),
        (
            {"default": ["eu"], "min": 2},
            "'default' names 1 of the choices, which 'min' and 'max' do not allow",
        ),
        ({"multiple": False, "default": ["eu"]}, "'default' must be one choice, not a list"),
        ({"multiple": False, "max": 2}, "'max' has no effect without 'multiple: true'"),
        ({"comment": "on_reject"}, "'comment' must be optional or required: on_reject has no effect"),
        ({"comment": "always"}, "'comment' must be one of optional, required, on_reject"),
    ],
)
def test_what_cannot_be_chosen_is_found_in_the_file(more: JsonObject, message: str) -> None:
    """With what would be right."""
    (found,) = messages("AskChoice", **{**MANY, **more})

    assert found.startswith(message)


@pytest.mark.parametrize(
    ("inputs", "value", "raw"),
    [
        ({"input_type": "date", "min": "2026-01-01"}, "2026-03-01", "2026-03-01"),
        ({"input_type": "json"}, {"a": [1, None]}, '{"a": [1, null]}'),
        ({"required": False}, "", ""),
        ({"input_type": "integer", "required": False}, None, ""),
        ({"input_type": "json", "required": False, "default": {"a": 1}}, {"a": 1}, ""),
        ({"input_type": "boolean", "default": False}, False, ""),
    ],
)
def test_a_value_is_of_its_type(inputs: JsonObject, value: Json, raw: str) -> None:
    """An empty answer is the default; without one an empty text, or null where no text is asked for."""
    block = GetInput()
    prompt = block.ask({"prompt": "?", **inputs})

    assert block.resume(prompt, answered(prompt, raw)) == Completed({"input_value": value})


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"input_type": "date", "min": "2026-02-30"}, "'min' must be a number, not '2026-02-30'"),
        ({"input_type": "date", "min": 5}, "'min' must be a date with input_type date, not 5"),
        ({"input_type": "integer", "max": "2026-02-03"}, "'max' must be a number with input_type integer"),
        (
            {"input_type": "date", "min": "2026-02-03", "max": "2026-02-02"},
            "'min' (2026-02-03) must not be above 'max' (2026-02-02)",
        ),
        (
            {"input_type": "date", "default": "tomorrow"},
            "'default' 'tomorrow' would not be taken as an answer: a date as YYYY-MM-DD",
        ),
        (
            {"input_type": "json", "default": "{"},
            "'default' '{' would not be taken as an answer: this is no JSON",
        ),
        ({"default": ["a"]}, "'default' must be text, not a list"),
        ({"input_type": "json", "max_length": 5}, "'max_length' has no effect on input_type json"),
        (
            {"comment": "on_reject"},
            "'comment: on_reject' has no effect where no answer is a no: use required",
        ),
        (
            {"input_type": "boolean", "default": "yes", "on_timeout": "default"},
            "'on_timeout: default' would take silence for a yes",
        ),
        ({"input_type": "secret", "default": "abcd"}, "'default' has no effect on input_type secret"),
        ({"input_type": "secret", "required": False}, "'required: false' has no effect on input_type secret"),
    ],
)
def test_what_cannot_be_typed_is_found_in_the_file(inputs: JsonObject, message: str) -> None:
    """Before anybody is asked."""
    (found,) = messages("GetInput", prompt="?", **inputs)

    assert found.startswith(message)


@pytest.mark.parametrize(
    ("block", "inputs"),
    [
        (ConfirmOperation(), {"message": "m"}),
        (AskChoice(), {"question": "q", "choices": ["a"]}),
        (GetInput(), {"prompt": "p"}),
        (AskForm(), {"fields": [{"id": "a"}]}),
    ],
)
def test_every_question_may_require_a_comment_and_show_something(
    block: InteractiveBlock, inputs: JsonObject
) -> None:
    """The same two inputs everywhere; by default there is neither."""
    plain = block.ask(inputs)
    asked = block.ask({**inputs, "comment": "required", "show": ["look"]})

    assert (plain.comment_rule, plain.show) == (CommentRule.OPTIONAL, ())
    assert asked.comment_rule is CommentRule.REQUIRED
    assert [exhibit.text for exhibit in asked.show] == ["look"]


@pytest.mark.parametrize("name", ["ConfirmOperation", "AskChoice", "GetInput", "AskForm"])
def test_every_type_is_described(name: str) -> None:
    """In a sentence and an example, for who looks it up."""
    spec = catalog()[name]

    assert spec.description
    assert f"type: {name}" in spec.example


class AskTwice(InteractiveBlock):
    """Asks for a name, then for the same name again."""

    spec: ClassVar[BlockSpec] = BlockSpec(
        type="AskTwice",
        check=input_check(GetInputInputs),
        outputs={"name": ValueType.STRING},
        interactive=True,
    )

    def ask(self, inputs: JsonObject) -> Prompt:
        """Ask for the name."""
        return InputPrompt(prompt=str(inputs["prompt"]))

    def resume(self, prompt: Prompt, answer: Answer) -> InteractiveResult:
        """Ask again until the same name was given twice; the first one is what is asked for then."""
        if not isinstance(prompt, InputPrompt) or prompt.validation_pattern is None:
            return Asked(InputPrompt(prompt="Again?", validation_pattern=str(answer.value)))
        return Completed({"name": answer.value})

    def expire(self, prompt: Prompt) -> Result | Rejected:
        """Give up."""
        return Rejected()


def test_a_block_may_ask_again() -> None:
    """What it was told goes into the next question; nothing else is kept between the two."""
    block = AskTwice()
    first = block.ask({"prompt": "Name?"})
    second = block.resume(first, answered(first, "prod"))

    assert isinstance(second, Asked)
    assert block.resume(second.prompt, answered(second.prompt, "prod")) == Completed({"name": "prod"})


@pytest.mark.parametrize("kind", list(InputKind))
def test_silence_is_never_a_yes(kind: InputKind) -> None:
    """Not even where a journal says that a default of yes is to be taken."""
    prompt = InputPrompt(prompt="?", input_type=kind, default="true").evolve(on_timeout="default")
    if kind in (InputKind.BOOLEAN, InputKind.JSON):
        assert isinstance(GetInput().expire(prompt), Failed)


def test_a_wrong_reference_is_told_when_it_is_asked() -> None:
    """As the inputs' fault, with the type's name."""
    with pytest.raises(InputsError, match="'choices' must be a list of texts, not 'eu'"):
        AskChoice().ask({**MANY, "choices": "eu"})
