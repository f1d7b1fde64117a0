"""Asking at a terminal: several choices, forms field by field, comments, and what is shown with a question."""

import os
import pty
import subprocess
import sys
from collections.abc import Sequence

import msgspec

from tidegate.cli.asking_text import question_of
from tidegate.model.exhibit import Exhibit, ExhibitKind, Source, text_exhibit
from tidegate.model.ids import BlockId, PauseId, RunId, Seq
from tidegate.model.listing import PauseRow
from tidegate.model.prompt import (
    ChoicePrompt,
    CommentRule,
    ConfirmPrompt,
    FormField,
    FormPrompt,
    InputKind,
    InputPrompt,
    Prompt,
)

_ASK = """
import sys, msgspec
from tidegate.cli.asking import ask
from tidegate.errors import InvalidAnswer
from tidegate.model.listing import PauseRow
try:
    said = ask(msgspec.json.decode(sys.argv[1], type=PauseRow), "tidegate", comment=sys.argv[2])
    print(msgspec.json.encode([said.raw, said.comment]).decode())
except InvalidAnswer as error:
    print(msgspec.json.encode(str(error)).decode())
"""

FORM = FormPrompt(
    message="How is it to be deployed?",
    fields=(
        FormField(id="size", prompt=ChoicePrompt(question="Which size?", choices=("small", "large"))),
        FormField(
            id="replicas",
            prompt=InputPrompt(prompt="replicas", input_type=InputKind.INTEGER, default="2", required=False),
            required=False,
        ),
        FormField(
            id="note", prompt=InputPrompt(prompt="Note?", multiline=True, required=False), required=False
        ),
    ),
)


def at_terminal(prompt: Prompt, typed: Sequence[str], comment: str = "") -> tuple[object, str]:
    """Return what a person said who types an entry at each "> ", and what was on the screen."""
    row = PauseRow(
        pause_id=PauseId("pause_1"),
        run_id=RunId("run_1"),
        workflow="w",
        block=BlockId("b"),
        attempt=1,
        prompt=prompt,
        opened_at=0.0,
        opened_seq=Seq(1),
    )
    ours, theirs = pty.openpty()
    words = [sys.executable, "-W", "error", "-c", _ASK, msgspec.json.encode(row).decode(), comment]
    with subprocess.Popen(
        words, stdin=theirs, stderr=theirs, stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        os.close(theirs)
        screen = _converse(ours, list(typed))
        assert process.stdout is not None
        said = msgspec.json.decode(process.stdout.read())
    os.close(ours)
    return said, screen


def _converse(terminal: int, typed: list[str]) -> str:
    shown = ""
    while True:
        try:
            shown += os.read(terminal, 4096).decode()
        except OSError:  # The other side was closed.
            return shown.replace("\r\n", "\n")
        if typed and shown.endswith("> "):
            os.write(terminal, typed.pop(0).encode())


def test_several_choices_by_number() -> None:
    """With the numbers before them; too many are refused and asked again."""
    prompt = ChoicePrompt(question="Where?", choices=("eu", "us", "a,b"), multiple=True, max=2)
    said, screen = at_terminal(prompt, ["1,2,3\n", "3,1\n"])

    assert said == ["3,1", ""]
    assert prompt.parse("3,1") == ["eu", "a,b"]
    assert "3. a,b" in screen
    assert "this names 3" in screen


def test_a_form_is_asked_field_by_field_and_submitted_once() -> None:
    """A summary of all values first; a field can be changed; what is left out takes its default."""
    said, screen = at_terminal(FORM, ["3\n", "2\n", "\n", "a\nb\n\x04", "1\n", "small\n", "yes\n"])
    raw, comment = msgspec.convert(said, tuple[str, str])

    assert FORM.parse(raw) == {"size": "small", "replicas": 2, "note": "a\nb"}
    assert comment == ""
    assert "Field 1 of 3: size: Which size?" in screen
    assert "Field 2 of 3: replicas (default: 2)" in screen
    assert "type one of small, large, or its number (1 to 2)" in screen
    assert "1. size: large\n2. replicas: 2\n3. note: a⏎b\n" in screen
    assert screen.count("Submit? (yes, no, or the number of a field to change)") == 2


def test_no_is_no_answer_to_a_form() -> None:
    """Nothing is sent; an optional text of several lines may end at once."""
    said, _ = at_terminal(FORM, ["1\n", "\n", "\x04", "no\n"])

    assert said == "nothing was answered; the pause stays open"


def test_a_comment_is_asked_for_where_one_is_needed() -> None:
    """Not where it was given already, and not with a yes where only a no needs one."""
    prompt = ConfirmPrompt(message="Deploy?", comment_rule=CommentRule.ON_REJECT)

    refused, screen = at_terminal(prompt, ["no\n", "\n", "too late today\n"])
    given, _ = at_terminal(prompt, ["no\n"], comment="why not")
    agreed, _ = at_terminal(prompt, ["yes\n"])

    assert refused == ["no", "too late today"]
    assert screen.count("a comment is required with a no") == 2
    assert given == ["no", "why not"]
    assert agreed == ["yes", ""]


def test_what_is_shown_comes_before_the_question_and_is_bounded() -> None:
    """With its facts, and the way to all of it."""
    source = Source(path="plan", size=1234, sha256="ab" * 32)
    plan = Exhibit(title="The plan", kind=ExhibitKind.FILE, text="+ one\n" * 100, sources=(source,))
    prompt = ConfirmPrompt(message="Go?", show=(plan, text_exhibit("Note", "x" * 1_000)))

    call = "tidegate --store a.db"
    short, full = question_of(prompt, call), question_of(prompt, call, full=True)

    assert short[0] == "-- The plan (file, 1,234 bytes, sha256 abababababab)"
    assert short.count("  + one") == 30
    assert "  [... 70 more lines: `tidegate --store a.db answer --full` shows them]" in short
    assert max(map(len, short)) < 450
    assert short[-1] == full[-1] == "Go?"
    assert full.count("  + one") == 100
    assert "ab" * 32 in full[0]
