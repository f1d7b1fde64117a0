"""Asking a person at a terminal, until what is typed counts."""

import getpass
import sys
from collections.abc import Callable
from dataclasses import dataclass

from tidegate.cli.asking_text import field_lines, question_of, rule_of
from tidegate.cli.console import complain
from tidegate.errors import InvalidAnswer
from tidegate.history.views import whose
from tidegate.model.base import Json
from tidegate.model.listing import PauseRow
from tidegate.model.prompt import (
    ConfirmPrompt,
    FormField,
    FormPrompt,
    InputPrompt,
    Prompt,
    check_comment,
    describe_value,
    is_secret,
)
from tidegate.model.typed_text import as_json

__all__ = ["Said", "ask", "ask_comment", "at_terminal", "question_of"]

_SUBMIT = ConfirmPrompt(message="Submit?")


@dataclass(frozen=True, slots=True)
class Said:
    """What a person said."""

    raw: str
    """As it was typed; of a form, a JSON object of what was typed in each field."""
    comment: str = ""


def at_terminal() -> bool:
    """Return whether there is somebody to ask."""
    return sys.stdin is not None and sys.stdin.isatty()


def ask(pause: PauseRow, call: str, *, comment: str = "", full: bool = False) -> Said:
    """Ask at the terminal until the answer is one that counts.

    Args:
        pause: What is asked.
        call: How to call us again for the same store.
        comment: What was said with it already; asked for where one is needed and this is empty.
        full: What is shown with the question is not shortened.

    Raises:
        InvalidAnswer: there is no terminal, or its person had nothing to say.
    """
    prompt = pause.prompt
    if not at_terminal():
        raise InvalidAnswer(f"no answer was given, and there is no terminal to ask at: {rule_of(prompt)}")
    complain(f"{pause.workflow} · run {pause.run_id} · block '{pause.block}'")
    if whose(pause):
        complain(f"({whose(pause)})")
    complain(*question_of(prompt, call, full=full))
    if isinstance(prompt, FormPrompt):
        complain("(each field by itself, then all at once; Ctrl-C answers nothing)")
        raw = _ask_form(prompt)
    else:
        complain(f"({rule_of(prompt)}; Ctrl-C answers nothing)")
        raw = _typed_until(prompt.parse, several=_takes_lines(prompt), unseen=is_secret(prompt))
    return Said(raw, ask_comment(prompt, raw, comment))


def ask_comment(prompt: Prompt, raw: str, comment: str) -> str:
    """Return *comment*, or the one that is typed where *prompt* needs one with the answer *raw*.

    Raises:
        InvalidAnswer: *raw* is no answer, *comment* no comment, or nothing is typed any more.
    """
    value = prompt.parse(raw)
    if comment.strip():
        return check_comment(prompt, value, comment)
    try:
        return check_comment(prompt, value, "")
    except InvalidAnswer as error:
        complain(f"{error}. Comment:")
    return _typed_until(lambda typed: check_comment(prompt, value, typed), several=False)


# -- forms ------------------------------------------------------------------------------------


def _ask_form(prompt: FormPrompt) -> str:
    given: dict[str, Json] = {}
    for number in range(1, len(prompt.fields) + 1):
        _ask_field(prompt, number, given)
    while change := _ask_whether_done(prompt, given):
        _ask_field(prompt, change, given)
    return as_json(given)


def _ask_field(prompt: FormPrompt, number: int, given: dict[str, Json]) -> None:
    """Ask for one field; *given* keeps what was typed, and nothing where it was left out."""
    field = prompt.fields[number - 1]
    complain(*field_lines(number, len(prompt.fields), field))
    given.pop(field.id, None)
    several = _takes_lines(field.prompt)
    raw = _typed_until(lambda typed: _read(field, typed), several=several, may_be_empty=not field.required)
    if raw:
        given[field.id] = raw


def _read(field: FormField, typed: str) -> Json:
    return field.left_out() if typed == "" else field.read(typed)


def _ask_whether_done(prompt: FormPrompt, given: dict[str, Json]) -> int:
    """Show all that was said, and ask for a yes; return the number of a field to change, or 0.

    Raises:
        InvalidAnswer: it was a no.
    """
    values = prompt.read(given)
    lines = [
        f"{number}. {name}: {describe_value(value)}" for number, (name, value) in enumerate(values.items(), 1)
    ]
    complain("", *lines)
    complain("Submit? (yes, no, or the number of a field to change)")
    decision = _typed_until(lambda typed: _decision(typed, len(values)), several=False)
    word = _decision(decision, len(values))
    if word is False:
        raise InvalidAnswer("nothing was answered; the pause stays open")
    return 0 if word is True else word


def _decision(typed: str, count: int) -> bool | int:
    numbers = [str(number) for number in range(1, count + 1)]
    return int(typed) if typed.strip() in numbers else _SUBMIT.parse(typed)


# -- reading ----------------------------------------------------------------------------------


def _takes_lines(prompt: Prompt) -> bool:
    return isinstance(prompt, InputPrompt) and prompt.takes_lines


def _typed_until(
    read: Callable[[str], object], *, several: bool, may_be_empty: bool = False, unseen: bool = False
) -> str:
    """Return what is typed, once *read* takes it; what it refuses is told and typed again."""
    while True:
        raw = _typed_unseen() if unseen else _typed(several=several, may_be_empty=may_be_empty)
        try:
            read(raw)
        except InvalidAnswer as error:
            complain(str(error))
        else:
            return raw


def _typed_unseen() -> str:
    try:
        return getpass.getpass("> ", sys.stderr)
    except EOFError:
        raise InvalidAnswer("nothing was answered; the pause stays open") from None


def _typed(*, several: bool, may_be_empty: bool) -> str:
    """Return what is typed: a line, or for a question that takes several all of them.

    Raises:
        InvalidAnswer: the input has ended, which is no answer; of several lines that *may_be_empty* it is.
    """
    if several:
        complain("(several lines; Ctrl-D on an empty line ends them)")
    # On standard error, which is where messages go: standard output may be a file.
    sys.stderr.write("> ")
    sys.stderr.flush()
    text = sys.stdin.read() if several else sys.stdin.readline()
    if not text and not (several and may_be_empty):
        raise InvalidAnswer("nothing was answered; the pause stays open")
    return text.removesuffix("\n")
