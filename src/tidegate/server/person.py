"""Putting an open question to the person behind a client, where the client can do that.

Only the resolver form reaches clients of every version of the protocol; the question is put only if
`answer_pause` was called without a value. A question stays open for as long as it likes: this call need not.
"""

from typing import Annotated, Any

from mcp.server.elicitation import AcceptedElicitation, ElicitationResult
from mcp.server.mcpserver.resolve import Elicit
from pydantic import BaseModel, Field, create_model

from tidegate.errors import TidegateError
from tidegate.model.base import Json
from tidegate.model.prompt import (
    ChoicePrompt,
    ConfirmPrompt,
    FieldPrompt,
    FormPrompt,
    InputKind,
    InputPrompt,
    Prompt,
    RecoveryPrompt,
)
from tidegate.model.state import PauseState
from tidegate.safe_text import safe_lines
from tidegate.server.desk import Call, desk_of

__all__ = ["Asked", "ask_person", "given_by_person"]

Asked = ElicitationResult[BaseModel]

_TYPES: dict[InputKind, Any] = {InputKind.INTEGER: int, InputKind.NUMBER: float, InputKind.BOOLEAN: bool}
_ANSWER = "answer"


async def ask_person(ctx: Call, pause_id: str, value: Any) -> Elicit[BaseModel] | None:
    """Return the question that the client's user is to be asked; None: nobody need, or can, be asked."""
    if value is not None or not _can_ask(ctx):
        return None
    try:
        pause = await desk_of(ctx).history.find_pause(pause_id)
    except TidegateError:
        return None  # The tool says so itself.
    if pause.state is not PauseState.OPEN:
        return None
    text = f"{pause.workflow}, block {pause.block}: {pause.prompt.text}\n{pause.prompt.rule}"
    return Elicit("\n".join(safe_lines(text)), _form(pause.prompt))


def _can_ask(ctx: Call) -> bool:
    able = ctx.client_capabilities
    asks = able.elicitation if able is not None else None
    return asks is not None and (asks.form is not None or asks.url is None)


def given_by_person(asked: Asked) -> tuple[Json, bool]:
    """Return what a person answered, and whether there is an answer: they may have declined."""
    if not isinstance(asked, AcceptedElicitation):
        return None, False
    # Nobody was asked: the resolver's None in its place.
    data: BaseModel | None = asked.data
    if data is None:
        return None, False
    values: dict[str, Json] = data.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return (values[_ANSWER] if isinstance(data, _One) else values), True


class _One(BaseModel):
    """The form of a question that is no form."""


def _form(prompt: Prompt) -> type[BaseModel]:
    if not isinstance(prompt, FormPrompt):
        one: dict[str, Any] = {_ANSWER: (_type(prompt), Field(description=_plain(prompt.rule)))}
        return create_model("Answer", __base__=_One, **one)
    fields: dict[str, Any] = {}
    # Fields are called f0, f1, ...: an id of ours need be no name of theirs.
    for number, field in enumerate(prompt.fields):
        may_miss = not field.required or field.default_value is not None
        about = Field(
            default=None if may_miss else ..., alias=field.id, description=_plain(field.label or field.rule)
        )
        kind = _type(field.prompt)
        fields[f"f{number}"] = (kind | None if may_miss else kind, about)
    return create_model("Form", **fields)


def _type(prompt: Prompt | FieldPrompt) -> Any:
    """Return the type of a field of a client's form: what is no simple value is typed as text."""
    match prompt:
        case ConfirmPrompt():
            return bool
        case ChoicePrompt(multiple=False):
            # No enumeration of ours: a client's form takes no type by reference.
            return Annotated[str, Field(json_schema_extra={"enum": list(prompt.choices)})]
        case ChoicePrompt() | RecoveryPrompt():
            return str
        case InputPrompt():
            return _TYPES.get(prompt.input_type, str)
        case _:
            return str


def _plain(text: str) -> str:
    return "\n".join(safe_lines(text))
