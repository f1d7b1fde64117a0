"""What the blocks with one question take, and the prompt that each set of inputs asks."""

from collections.abc import Iterator, Mapping
from typing import Annotated, TypeAlias

from pydantic import BeforeValidator, Field

from tidegate.blocks.checks import Flag, Inputs, MaybeText, describe, word_of, wrong
from tidegate.blocks.input_docs import Kind
from tidegate.blocks.interactive_questions import (
    Assignee,
    ChoiceRules,
    Expiry,
    Question,
    TypedRules,
    choice_prompt,
    input_prompt,
    needs_default,
)
from tidegate.blocks.interactive_show import Shown
from tidegate.errors import InvalidAnswer
from tidegate.model.base import Json, JsonObject
from tidegate.model.catalog import InputProblem
from tidegate.model.prompt import (
    ChoicePrompt,
    CommentRule,
    ConfirmPrompt,
    InputKind,
    InputPrompt,
    OnReject,
    OnTimeout,
)

__all__ = [
    "ASSIGNEE",
    "COMMENT",
    "SHOW",
    "AskChoiceInputs",
    "ConfirmOperationInputs",
    "GetInputInputs",
    "PlainComment",
]

_EXPIRY = "What a deadline (the block's `timeout`) does."
ASSIGNEE = "Whose business it is, by the name that answers carry. It keeps nobody else from answering."
COMMENT = "Whether the answer needs a comment."
SHOW = (
    "What to lay before the person: a text, {title: ..., text: ...}, {title: ..., file: path} (as it is when the "
    "pause opens), or {title: ..., diff: {from: {file: path}, to: {text: ...}}}."
)
_NO_NO = "'comment: on_reject' has no effect where no answer is a no: use required"


def _not_default(value: object) -> object:
    if value == OnTimeout.DEFAULT:
        raise wrong("must be fail or reject: a confirmation has no default, silence never approves")
    return value


def _details(value: object) -> object:
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise wrong(f"must be a mapping of names to values, not {describe(value)}")
    return dict(value)


def _plain_comment(value: object) -> object:
    if value == CommentRule.ON_REJECT:
        raise wrong("must be optional or required: on_reject has no effect where no answer is a no")
    return value


Comment: TypeAlias = Annotated[CommentRule, word_of(CommentRule)]
PlainComment: TypeAlias = Annotated[Comment, BeforeValidator(_plain_comment), Kind("optional | required")]


class ConfirmOperationInputs(Inputs):
    """What is to be confirmed."""

    message: Question = Field(description="What the person is asked.")
    operation: MaybeText = Field(default=None, description="What is about to happen, in a word or two.")
    details: Annotated[JsonObject, BeforeValidator(_details)] = Field(
        default={}, description="Facts to decide by: names and values."
    )
    on_reject: Annotated[OnReject, word_of(OnReject)] = Field(
        default=OnReject.STOP, description="Whether a no stops what depends on it, or is only data."
    )
    on_timeout: Annotated[Expiry, BeforeValidator(_not_default)] = Field(
        default=OnTimeout.FAIL, description=f"{_EXPIRY} Never an approval."
    )
    comment: Comment = Field(default=CommentRule.OPTIONAL, description=COMMENT)
    show: Shown = Field(default=(), description=SHOW)
    assignee: Assignee = Field(default=None, description=ASSIGNEE)

    def prompt(self) -> ConfirmPrompt:
        """Return what the person is asked."""
        return ConfirmPrompt(
            message=self.message,
            operation=self.operation or "",
            details=self.details,
            on_reject=self.on_reject,
            on_timeout=self.on_timeout,
            comment_rule=self.comment,
            show=self.show,
            assignee=self.assignee or "",
        )


class AskChoiceInputs(ChoiceRules):
    """What is to be chosen from."""

    question: Question = Field(description="What the person is asked.")
    on_timeout: Expiry = Field(default=OnTimeout.FAIL, description=_EXPIRY)
    comment: PlainComment = Field(default=CommentRule.OPTIONAL, description=COMMENT)
    show: Shown = Field(default=(), description=SHOW)
    assignee: Assignee = Field(default=None, description=ASSIGNEE)

    def prompt(self) -> ChoicePrompt:
        """Return what the person is asked."""
        asked = choice_prompt(self, self.question)
        return asked.evolve(
            on_timeout=self.on_timeout,
            comment_rule=self.comment,
            show=self.show,
            assignee=self.assignee or "",
        )

    def conflicts(self) -> Iterator[InputProblem]:
        """Yield what is wrong between inputs."""
        yield from super().conflicts()
        given: Json = None if self.default is None else list(self.defaults)
        yield from needs_default(given, self.on_timeout)


class GetInputInputs(TypedRules):
    """What is to be typed."""

    prompt_text: Question = Field(validation_alias="prompt", description="What the person is asked.")
    required: Flag = Field(
        default=True,
        description="Whether an empty answer is refused. Else it is the default; without one, an empty text, "
        "or null where no text is asked for.",
    )
    on_timeout: Expiry = Field(default=OnTimeout.FAIL, description=_EXPIRY)
    comment: Comment = Field(default=CommentRule.OPTIONAL, description=COMMENT)
    show: Shown = Field(default=(), description=SHOW)
    assignee: Assignee = Field(default=None, description=ASSIGNEE)

    def prompt(self) -> InputPrompt:
        """Return what the person is asked."""
        asked = input_prompt(self, self.prompt_text, required=self.required)
        return asked.evolve(
            on_timeout=self.on_timeout,
            comment_rule=self.comment,
            show=self.show,
            assignee=self.assignee or "",
        )

    def conflicts(self) -> Iterator[InputProblem]:
        """Yield what is wrong between inputs."""
        yield from super().conflicts()
        if self.input_type is InputKind.SECRET and not self.required:
            yield InputProblem(("required",), "'required: false' has no effect on input_type secret")
        if self.comment is CommentRule.ON_REJECT and self.input_type is not InputKind.BOOLEAN:
            yield InputProblem(("comment",), _NO_NO)
        yield from needs_default(self._default_value(), self.on_timeout)

    def _default_value(self) -> Json:
        """Return the default; one that is wrong is told elsewhere."""
        if self.default is None:
            return None
        try:
            return input_prompt(self, "?").default_value
        except InvalidAnswer:
            return self.default_text
