"""The blocks that ask a person: what they ask, and what they make of the answer. Pure.

A question that nobody answers in time is never an approval: at most a default that the workflow
names decides, and a confirmation has none.
"""

from typing import ClassVar, assert_never

from tidegate.blocks.base import Completed, Failed, InteractiveBlock, InteractiveResult, Rejected, Result
from tidegate.blocks.checks import input_check, parse_inputs
from tidegate.blocks.interactive_inputs import AskChoiceInputs, ConfirmOperationInputs, GetInputInputs
from tidegate.model.base import Json, JsonObject
from tidegate.model.catalog import BlockSpec, ValueType
from tidegate.model.events import Failure, FailureKind
from tidegate.model.prompt import (
    Answer,
    ChoicePrompt,
    ConfirmPrompt,
    InputPrompt,
    OnReject,
    OnTimeout,
    Prompt,
    describe_value,
)
from tidegate.model.workflow import Effect

__all__ = ["AskChoice", "ConfirmOperation", "GetInput"]


class ConfirmOperation(InteractiveBlock):
    """Asks for a yes or a no before something happens."""

    spec: ClassVar[BlockSpec] = BlockSpec(
        type="ConfirmOperation",
        check=input_check(ConfirmOperationInputs),
        outputs={"confirmed": ValueType.BOOLEAN, "response": ValueType.STRING},
        interactive=True,
        effect=Effect.PURE,
    )

    def ask(self, inputs: JsonObject) -> Prompt:
        """Return the question.

        Raises:
            InputsError: the inputs are not what the block takes.
        """
        return parse_inputs(ConfirmOperationInputs, inputs).prompt()

    def resume(self, prompt: Prompt, answer: Answer) -> InteractiveResult:
        """Return what yes or no makes of the block. `response` is the answer as it was typed."""
        # `is True`: whatever else stands there is no approval.
        outputs: JsonObject = {
            "confirmed": answer.value is True,
            "response": answer.raw or describe_value(answer.value),
        }
        return Completed(outputs) if answer.value is True else _refused(_confirm(prompt), outputs)

    def expire(self, prompt: Prompt) -> Result | Rejected:
        """Return a failure, or the same as "no"; there is no default that could approve."""
        asked = _confirm(prompt)
        if asked.on_timeout is OnTimeout.REJECT:
            return _refused(asked, {"confirmed": False, "response": ""})
        return _expired()


class AskChoice(InteractiveBlock):
    """Asks for one of a closed list. `choice_index` counts from 0, in the workflow's order."""

    spec: ClassVar[BlockSpec] = BlockSpec(
        type="AskChoice",
        check=input_check(AskChoiceInputs),
        outputs={"choice": ValueType.STRING, "choice_index": ValueType.INTEGER},
        interactive=True,
        effect=Effect.PURE,
    )

    def ask(self, inputs: JsonObject) -> Prompt:
        """Return the question.

        Raises:
            InputsError: the inputs are not what the block takes.
        """
        return parse_inputs(AskChoiceInputs, inputs).prompt()

    def resume(self, prompt: Prompt, answer: Answer) -> InteractiveResult:
        """Return the choice and its position."""
        return _chosen(_choice(prompt), str(answer.value))

    def expire(self, prompt: Prompt) -> Result | Rejected:
        """Return what `on_timeout` says."""
        asked = _choice(prompt)
        match asked.on_timeout:
            case OnTimeout.DEFAULT if asked.default is not None:
                return _chosen(asked, asked.default)
            case OnTimeout.REJECT:
                return Rejected()
            case OnTimeout.FAIL | OnTimeout.DEFAULT:
                return _expired()
            case _:
                assert_never(asked.on_timeout)


class GetInput(InteractiveBlock):
    """Asks for a value that the person types."""

    spec: ClassVar[BlockSpec] = BlockSpec(
        type="GetInput",
        check=input_check(GetInputInputs),
        outputs={"input_value": ValueType.ANY},
        interactive=True,
        effect=Effect.PURE,
    )

    def ask(self, inputs: JsonObject) -> Prompt:
        """Return the question.

        Raises:
            InputsError: the inputs are not what the block takes.
        """
        return parse_inputs(GetInputInputs, inputs).prompt()

    def resume(self, prompt: Prompt, answer: Answer) -> InteractiveResult:
        """Return the value, of the type that was asked for."""
        return _typed(answer.value)

    def expire(self, prompt: Prompt) -> Result | Rejected:
        """Return what `on_timeout` says."""
        asked = _input(prompt)
        match asked.on_timeout:
            case OnTimeout.DEFAULT if asked.default is not None:
                return _typed(asked.parse(asked.default))
            case OnTimeout.REJECT:
                return Rejected()
            case OnTimeout.FAIL | OnTimeout.DEFAULT:
                return _expired()
            case _:
                assert_never(asked.on_timeout)


def _refused(prompt: ConfirmPrompt, outputs: JsonObject) -> Completed | Rejected:
    return Completed(outputs) if prompt.on_reject is OnReject.CONTINUE else Rejected(outputs)


def _chosen(prompt: ChoicePrompt, choice: str) -> Completed:
    return Completed({"choice": choice, "choice_index": prompt.choices.index(choice)})


def _typed(value: Json) -> Completed:
    return Completed({"input_value": value})


def _expired() -> Failed:
    return Failed(Failure(kind=FailureKind.EXPIRED, message="nobody answered in time"))


# -- a prompt of another kind was never asked by the block that gets it back -------------------


def _confirm(prompt: Prompt) -> ConfirmPrompt:
    if not isinstance(prompt, ConfirmPrompt):
        raise TypeError(f"ConfirmOperation got a {prompt.kind} prompt back")
    return prompt


def _choice(prompt: Prompt) -> ChoicePrompt:
    if not isinstance(prompt, ChoicePrompt):
        raise TypeError(f"AskChoice got a {prompt.kind} prompt back")
    return prompt


def _input(prompt: Prompt) -> InputPrompt:
    if not isinstance(prompt, InputPrompt):
        raise TypeError(f"GetInput got a {prompt.kind} prompt back")
    return prompt
