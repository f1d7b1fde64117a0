"""The blocks that ask a person: what they ask, and what they make of the answer. Pure.

A question that nobody answers in time is never an approval: at most a default that the workflow
names decides, and a confirmation has none.
"""

from typing import ClassVar, assert_never

from tidegate.blocks.base import Completed, Failed, InteractiveBlock, InteractiveResult, Rejected, Result
from tidegate.blocks.checks import parse_inputs
from tidegate.blocks.interactive_check import QuestionCheck
from tidegate.blocks.interactive_form import AskFormInputs
from tidegate.blocks.interactive_inputs import AskChoiceInputs, ConfirmOperationInputs, GetInputInputs
from tidegate.model.base import Json, JsonObject
from tidegate.model.catalog import BlockSpec, ValueType
from tidegate.model.events import Failure
from tidegate.model.policy import FailureKind
from tidegate.model.prompt import (
    Answer,
    ChoicePrompt,
    ConfirmPrompt,
    FormPrompt,
    InputPrompt,
    OnReject,
    OnTimeout,
    Prompt,
    describe_value,
)
from tidegate.model.workflow import Effect

__all__ = ["AskChoice", "AskForm", "ConfirmOperation", "GetInput"]


_CONFIRM = """\
id: confirm_deploy
type: ConfirmOperation
timeout: 2h
inputs:
  message: Deploy this manifest?
  operation: deploy
  show:
    - {title: The manifest, file: out/manifest.yaml}
  comment: on_reject
"""
_CHOICE = """\
id: pick_regions
type: AskChoice
inputs:
  question: Which regions?
  choices: [eu, us, ap]
  multiple: true
  max: 2
"""
_INPUT = """\
id: ticket
type: GetInput
inputs:
  prompt: Which ticket is this for?
  validation_pattern: "[A-Z]+-[0-9]+"
"""
_FORM = """\
id: settings
type: AskForm
inputs:
  message: How is it to be deployed?
  fields:
    - {id: size, label: "Which size?", choices: [small, large]}
    - {id: replicas, input_type: integer, min: 1, default: 2}
    - {id: note, label: Anything to add?, multiline: true, required: false}
"""


class ConfirmOperation(InteractiveBlock):
    """Asks for a yes or a no before something happens."""

    spec: ClassVar[BlockSpec] = BlockSpec(
        type="ConfirmOperation",
        check=QuestionCheck(ConfirmOperationInputs),
        outputs={"confirmed": ValueType.BOOLEAN, "response": ValueType.STRING},
        interactive=True,
        effect=Effect.PURE,
        description="Asks for a yes or a no before something happens. A no rejects the block and what depends on it.",
        example=_CONFIRM,
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
    """Asks for one of a closed list, or for several. Positions count from 0, in the workflow's order."""

    spec: ClassVar[BlockSpec] = BlockSpec(
        type="AskChoice",
        check=QuestionCheck(AskChoiceInputs),
        outputs={
            "choice": ValueType.STRING,
            "choice_index": ValueType.INTEGER,
            "choices": ValueType.LIST,
            "choice_indexes": ValueType.LIST,
        },
        interactive=True,
        effect=Effect.PURE,
        description="Asks for one of a list: `choice` and `choice_index` (from 0).\n"
        "With `multiple: true` for several: `choices` and `choice_indexes`, in the order of the list.",
        example=_CHOICE,
    )

    def ask(self, inputs: JsonObject) -> Prompt:
        """Return the question.

        Raises:
            InputsError: the inputs are not what the block takes.
        """
        return parse_inputs(AskChoiceInputs, inputs).prompt()

    def resume(self, prompt: Prompt, answer: Answer) -> InteractiveResult:
        """Return the choice and its position, or all of them."""
        return _chosen(_choice(prompt), answer.value)

    def expire(self, prompt: Prompt) -> Result | Rejected:
        """Return what `on_timeout` says."""
        asked = _choice(prompt)
        result = _by_default(asked.on_timeout, asked.default_value)
        return _chosen(asked, asked.default_value) if result is None else result


class GetInput(InteractiveBlock):
    """Asks for a value that the person types."""

    spec: ClassVar[BlockSpec] = BlockSpec(
        type="GetInput",
        check=QuestionCheck(GetInputInputs),
        outputs={"input_value": ValueType.ANY},
        interactive=True,
        effect=Effect.PURE,
        description="Asks for a value that the person types: `input_value`, of the type that was asked for.\n"
        "An optional one that is left empty is its default; without one, an empty text or null.",
        example=_INPUT,
    )

    def ask(self, inputs: JsonObject) -> Prompt:
        """Return the question.

        Raises:
            InputsError: the inputs are not what the block takes.
        """
        return parse_inputs(GetInputInputs, inputs).prompt()

    def resume(self, prompt: Prompt, answer: Answer) -> InteractiveResult:
        """Return the value, of the type that was asked for."""
        return Completed({"input_value": answer.value})

    def expire(self, prompt: Prompt) -> Result | Rejected:
        """Return what `on_timeout` says."""
        asked = _input(prompt)
        result = _by_default(asked.on_timeout, asked.default_value)
        return Completed({"input_value": asked.default_value}) if result is None else result


class AskForm(InteractiveBlock):
    """Asks for several values, which are submitted together."""

    spec: ClassVar[BlockSpec] = BlockSpec(
        type="AskForm",
        check=QuestionCheck(AskFormInputs),
        outputs={"values": ValueType.MAP},
        interactive=True,
        effect=Effect.PURE,
        description="Asks for several values at once: `values`, a mapping with every field.\n"
        "A field that was left out is its default or null; an optional text that was given empty is an empty text.",
        example=_FORM,
    )

    def ask(self, inputs: JsonObject) -> Prompt:
        """Return the question.

        Raises:
            InputsError: the inputs are not what the block takes.
        """
        return parse_inputs(AskFormInputs, inputs).prompt()

    def resume(self, prompt: Prompt, answer: Answer) -> InteractiveResult:
        """Return the value of every field."""
        return Completed({"values": answer.value})

    def expire(self, prompt: Prompt) -> Result | Rejected:
        """Return what `on_timeout` says."""
        asked = _form(prompt)
        result = _by_default(asked.on_timeout, asked.default_value)
        return Completed({"values": asked.default_value}) if result is None else result


def _by_default(on_timeout: OnTimeout, default: Json) -> Failed | Rejected | None:
    """Return what silence makes of a question; None: it is answered by its default."""
    match on_timeout:
        case OnTimeout.DEFAULT if default is not None and default is not True:
            return None
        case OnTimeout.REJECT:
            return Rejected()
        case OnTimeout.FAIL | OnTimeout.DEFAULT:
            return _expired()
        case _:
            assert_never(on_timeout)


def _refused(prompt: ConfirmPrompt, outputs: JsonObject) -> Completed | Rejected:
    return Completed(outputs) if prompt.on_reject is OnReject.CONTINUE else Rejected(outputs)


def _chosen(prompt: ChoicePrompt, value: Json) -> Completed:
    if not isinstance(value, list):
        return Completed({"choice": value, "choice_index": prompt.choices.index(str(value))})
    indexes: list[Json] = [prompt.choices.index(str(choice)) for choice in value]
    return Completed({"choices": value, "choice_indexes": indexes})


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


def _form(prompt: Prompt) -> FormPrompt:
    if not isinstance(prompt, FormPrompt):
        raise TypeError(f"AskForm got a {prompt.kind} prompt back")
    return prompt
