"""What the interactive blocks ask, and what an answer or its absence makes of them."""

import pytest

from tidegate.blocks.base import Completed, Failed, InteractiveBlock, Rejected
from tidegate.blocks.interactive import AskChoice, ConfirmOperation, GetInput
from tidegate.errors import InputsError
from tidegate.model.base import Json
from tidegate.model.policy import FailureKind
from tidegate.model.prompt import (
    Answer,
    ChoicePrompt,
    ConfirmPrompt,
    InputKind,
    InputPrompt,
    OnReject,
    OnTimeout,
    Prompt,
)


def answered(prompt: Prompt, raw: str) -> Answer:
    """Return the answer a person gives by typing *raw*."""
    return Answer(value=prompt.parse(raw), raw=raw, by="ada", via="cli")


class TestConfirmOperation:
    """Yes or no."""

    block = ConfirmOperation()

    def test_it_asks_what_the_file_says(self) -> None:
        """The prompt holds everything; the journal keeps it as it was asked."""
        prompt = self.block.ask(
            {
                "message": "Deploy to [prod]?",
                "operation": "deploy",
                "details": {"n": 1},
                "on_reject": "continue",
            }
        )

        assert prompt == ConfirmPrompt(
            message="Deploy to [prod]?", operation="deploy", details={"n": 1}, on_reject=OnReject.CONTINUE
        )

    def test_the_defaults_stop_and_fail(self) -> None:
        """A no stops the run, and so does silence."""
        assert self.block.ask({"message": "m"}) == ConfirmPrompt(
            message="m", on_reject=OnReject.STOP, on_timeout=OnTimeout.FAIL
        )

    def test_yes_completes_it(self) -> None:
        """With the answer as it was typed."""
        prompt = self.block.ask({"message": "m"})

        assert self.block.resume(prompt, answered(prompt, "Y")) == Completed(
            {"confirmed": True, "response": "Y"}
        )

    def test_no_rejects_it(self) -> None:
        """That stops what depends on it."""
        prompt = self.block.ask({"message": "m"})

        assert self.block.resume(prompt, answered(prompt, "no")) == Rejected(
            {"confirmed": False, "response": "no"}
        )

    def test_no_may_be_data(self) -> None:
        """With `on_reject: continue`."""
        prompt = self.block.ask({"message": "m", "on_reject": "continue"})

        assert self.block.resume(prompt, answered(prompt, "no")) == Completed(
            {"confirmed": False, "response": "no"}
        )

    @pytest.mark.parametrize("value", [None, 1, "yes", "true", {}, [True]])
    def test_nothing_but_true_is_an_approval(self, value: Json) -> None:
        """Not even what looks like it."""
        prompt = self.block.ask({"message": "m"})

        assert isinstance(self.block.resume(prompt, Answer(value=value)), Rejected)

    def test_an_answer_without_text_still_has_a_response(self) -> None:
        """One that came from a program, not from a keyboard."""
        prompt = self.block.ask({"message": "m"})

        assert self.block.resume(prompt, Answer(value=True)) == Completed(
            {"confirmed": True, "response": "yes"}
        )

    def test_silence_fails_it(self) -> None:
        """That is the default."""
        result = self.block.expire(self.block.ask({"message": "m"}))

        assert isinstance(result, Failed)
        assert result.failure.kind is FailureKind.EXPIRED
        assert result.failure.message == "nobody answered in time"

    @pytest.mark.parametrize(("on_reject", "kind"), [("stop", Rejected), ("continue", Completed)])
    def test_silence_may_be_a_no(self, on_reject: str, kind: type) -> None:
        """And then it does what a no does. It is never a yes."""
        prompt = self.block.ask({"message": "m", "on_timeout": "reject", "on_reject": on_reject})
        result = self.block.expire(prompt)

        assert isinstance(result, kind)
        assert isinstance(result, Completed | Rejected)
        assert result.outputs == {"confirmed": False, "response": ""}


class TestAskChoice:
    """One of a list."""

    block = AskChoice()
    choices: tuple[Json, ...] = ("nonprod", "prod", "prod-eu", "no", "not now", 2, True)

    def ask(self, **more: Json) -> Prompt:
        """Ask for one of the choices."""
        return self.block.ask({"question": "Where?", "choices": list(self.choices), **more})

    def test_it_asks_in_the_order_of_the_file(self) -> None:
        """Numbers and booleans are texts here, as they were written."""
        assert self.ask(default="no") == ChoicePrompt(
            question="Where?",
            choices=("nonprod", "prod", "prod-eu", "no", "not now", "2", "true"),
            default="no",
        )

    @pytest.mark.parametrize(
        ("raw", "choice", "index"),
        [
            ("prod", "prod", 1),
            ("no", "no", 3),
            ("1", "nonprod", 0),
            ("2", "2", 5),
            (" prod-eu ", "prod-eu", 2),
        ],
    )
    def test_an_answer_is_a_choice_and_its_position(self, raw: str, choice: str, index: int) -> None:
        """Positions count from 0; the numbers a person types count from 1."""
        prompt = self.ask()

        assert self.block.resume(prompt, answered(prompt, raw)) == Completed(
            {"choice": choice, "choice_index": index}
        )

    def test_silence_fails_it_whatever_the_default(self) -> None:
        """A default counts only where the file says so."""
        assert isinstance(self.block.expire(self.ask(default="no")), Failed)

    def test_silence_may_take_the_default(self) -> None:
        """With `on_timeout: default`."""
        prompt = self.ask(default="no", on_timeout="default")

        assert self.block.expire(prompt) == Completed({"choice": "no", "choice_index": 3})

    def test_silence_may_reject(self) -> None:
        """With `on_timeout: reject`; there is no choice then."""
        assert self.block.expire(self.ask(on_timeout="reject")) == Rejected({})

    @pytest.mark.parametrize("choices", [[], "a,b", None, ["x", "x"]])
    def test_choices_that_came_out_wrong_are_refused(self, choices: Json) -> None:
        """A reference may have been no list."""
        with pytest.raises(InputsError, match="'choices'"):
            self.block.ask({"question": "q", "choices": choices})


class TestGetInput:
    """A typed value."""

    block = GetInput()

    def test_it_asks_what_the_file_says(self) -> None:
        """Every rule is in the prompt, so that dialog and engine read an answer alike."""
        prompt = self.block.ask(
            {
                "prompt": "How many?",
                "input_type": "integer",
                "min": "1",
                "max": 10,
                "default": 3,
                "required": False,
                "on_timeout": "default",
            }
        )

        assert prompt == InputPrompt(
            prompt="How many?",
            input_type=InputKind.INTEGER,
            min=1,
            max=10,
            default="3",
            required=False,
            on_timeout=OnTimeout.DEFAULT,
        )

    def test_text_rules_are_in_the_prompt(self) -> None:
        """Those for text, too."""
        prompt = self.block.ask(
            {"prompt": "p", "validation_pattern": "[a-z]+", "multiline": True, "max_length": 20}
        )

        assert prompt == InputPrompt(prompt="p", validation_pattern="[a-z]+", multiline=True, max_length=20)

    @pytest.mark.parametrize(
        ("input_type", "raw", "value"),
        [("string", " a ", " a "), ("integer", " 5 ", 5), ("number", "1e1", 10.0), ("boolean", "no", False)],
    )
    def test_an_answer_is_a_value_of_its_type(self, input_type: str, raw: str, value: Json) -> None:
        """Text byte for byte; the others as what they are."""
        prompt = self.block.ask({"prompt": "p", "input_type": input_type})
        result = self.block.resume(prompt, answered(prompt, raw))

        assert result == Completed({"input_value": value})
        assert isinstance(result, Completed)
        assert type(result.outputs["input_value"]) is type(value)

    def test_silence_may_take_the_default(self) -> None:
        """As the value it stands for."""
        prompt = self.block.ask(
            {"prompt": "p", "input_type": "integer", "default": 5, "on_timeout": "default"}
        )

        assert self.block.expire(prompt) == Completed({"input_value": 5})

    def test_silence_fails_it_whatever_the_default(self) -> None:
        """A default counts only where the file says so."""
        assert isinstance(self.block.expire(self.block.ask({"prompt": "p", "default": "x"})), Failed)

    def test_silence_may_reject(self) -> None:
        """With `on_timeout: reject`."""
        assert self.block.expire(self.block.ask({"prompt": "p", "on_timeout": "reject"})) == Rejected({})

    def test_a_pattern_that_came_out_wrong_is_refused(self) -> None:
        """It may have been a reference; nobody is asked what nobody can answer."""
        with pytest.raises(InputsError, match="'validation_pattern' is no valid pattern"):
            self.block.ask({"prompt": "p", "validation_pattern": "["})


@pytest.mark.parametrize("block", [ConfirmOperation(), AskChoice(), GetInput()])
def test_no_kind_of_block_approves_by_silence(block: InteractiveBlock) -> None:
    """Whatever prompt it is given back, expiry never makes `confirmed` true."""
    for on_timeout in OnTimeout:
        prompts: tuple[Prompt, ...] = (
            ConfirmPrompt(message="m", on_timeout=on_timeout),
            ChoicePrompt(question="q", choices=("a",), on_timeout=on_timeout),
            InputPrompt(prompt="p", on_timeout=on_timeout),
        )
        for prompt in prompts:
            try:
                result = block.expire(prompt)
            except TypeError:
                continue
            assert not isinstance(result, Completed)
