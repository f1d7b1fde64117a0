"""What the dialogs say."""

import pytest

from tidegate.errors import AlreadyAnswered
from tidegate.model.prompt import Answer, ChoicePrompt, ConfirmPrompt, Evidence, OnTimeout, RecoveryPrompt
from tidegate.model.state import PauseState
from tidegate.tui.dialogs.prompt_text import prompt_content
from tidegate.tui.dialogs.words import (
    closed_words,
    due_words,
    fit_keys,
    header_words,
    lost_race_words,
    never_shown_words,
    paste_problem,
    span_words,
    unread_words,
    urgency,
)
from tui.dialogs.host import NOW, pause_of
from tui.dialogs.prompts import SEVERAL

ASKED = pause_of(ConfirmPrompt(message="Go?"))


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (59.9, "59 s"), (252, "4 min 12 s"), (8000, "2 h 13 min"), (200_000, "2 d 7 h")],
)
def test_spans_have_two_units(seconds: float, words: str) -> None:
    """More would be noise, one too coarse."""
    assert span_words(seconds) == words


def test_the_header_names_everything() -> None:
    """Whoever answers knows which run of what is meant, also on the third attempt."""
    assert header_words(ASKED.evolve(attempt=3), "1 of 2") == (
        "confirm · deploy-api · run 4f2akz7mw9qd · approve_prod · attempt 3 · 1 of 2"
    )


def test_the_header_shows_the_way_to_a_nested_question() -> None:
    """From the top down, and which item it is about; where there is little room the block stays."""
    nested = ASKED.evolve(path="release/deploy[eu/west]/again#2", block="approve[red]")
    whole = (
        "confirm · deploy-api · run 4f2akz7mw9qd · release / deploy[eu/west] / again#2 / approve[red]"
        " · item eu/west, iteration 2, item red"
    )

    assert header_words(nested) == whole
    assert header_words(nested, room=len(whole)) == whole
    assert header_words(nested, room=80) == (
        "confirm · deploy-api · run 4f2akz7mw9qd · approve[red] in again#2"
    )
    assert header_words(nested, room=60) == "confirm · deploy-api · 4f2akz · approve[red] in again#2"
    assert header_words(nested, room=10) == "confirm · approve[red] in again#2"


def test_a_default_of_several_is_named_when_a_deadline_takes_it() -> None:
    """As a person would say it."""
    several = SEVERAL.evolve(default=("eu", "ap"), on_timeout=OnTimeout.DEFAULT)

    assert (
        due_words(pause_of(several, deadline=NOW + 9), NOW) == "due in 9 s, then its default is taken: eu, ap"
    )


def test_what_was_not_opened_is_counted_beside_what_was_not_read() -> None:
    """In one sentence."""
    assert never_shown_words(0, 0) == ""
    assert never_shown_words(1, 2) == "1 line unread, 2 exhibits not opened."
    assert never_shown_words(0, 1) == "1 exhibit not opened."


def test_a_deadline_says_what_happens_then() -> None:
    """And never only when."""
    choice = ChoicePrompt(question="?", choices=("a", "b"), default="b", on_timeout=OnTimeout.DEFAULT)

    assert due_words(ASKED, NOW) == ""
    assert due_words(ASKED.evolve(deadline=NOW + 90), NOW) == "due in 1 min 30 s, then the block fails"
    assert due_words(ASKED.evolve(deadline=NOW - 5), NOW) == "overdue by 5 s: the block fails"
    assert due_words(pause_of(choice, deadline=NOW + 9), NOW) == "due in 9 s, then its default is taken: b"


@pytest.mark.parametrize(("left", "expected"), [(400, "-calm"), (200, "-soon"), (0, "-overdue")])
def test_the_last_quarter_is_urgent(left: float, expected: str) -> None:
    """It was opened 600 s ago."""
    assert urgency(ASKED.evolve(deadline=NOW + left), NOW) == expected


def test_who_decided_is_said_in_words() -> None:
    """The answer as a person would say it, not as JSON."""
    answered = ASKED.evolve(state=PauseState.ANSWERED, closed_at=NOW, answer=Answer(value=True, by="ana"))

    assert closed_words(answered) == "Already answered by ana at 2026-11-28 10:00:00 UTC: yes"
    assert "expired at 2026-11-28" in closed_words(ASKED.evolve(state=PauseState.EXPIRED, closed_at=NOW))
    assert "takes no answer" in closed_words(ASKED.evolve(state=PauseState.CLOSED))


def test_a_lost_race_reads_like_a_closed_pause() -> None:
    """The same fact in the same words, however we learnt of it."""
    error = AlreadyAnswered("pause_1", "ana", "2026-11-28T10:00:00+00:00", "yes")

    assert lost_race_words(error) == "Already answered by ana at 2026-11-28 10:00:00 UTC: yes"


def test_what_is_out_of_sight_is_counted() -> None:
    """Nobody approves a text that ends below the screen without being told."""
    assert unread_words(0, 80).startswith("↓ 80 more lines")
    assert unread_words(0, 1).startswith("↓ 1 more line ")
    assert unread_words(5, 0).startswith("end of text")
    assert unread_words(0, 0) == ""


@pytest.mark.parametrize(
    ("text", "multiline", "problem"),
    [
        ("plain", False, ""),
        ("a\nb\nc", False, "it has 3 lines"),
        ("a\n", False, "it has a line break"),
        ("a\r\nb\tc", True, ""),
        ("a\x1b[2J", False, "control"),
        ("a\x1b[2J", True, "control"),
        ("a\u202eb", True, "control"),
        ("x" * 11, False, "11 characters, at most 10"),
        ("家族 🏳️‍🌈", False, ""),
    ],
)
def test_a_paste_goes_in_whole_or_not_at_all(text: str, multiline: bool, problem: str) -> None:
    """Nothing is cut to make it fit, and nothing invisible gets in."""
    found = paste_problem(text, multiline=multiline, limit=10 if text.startswith("x") else 100)

    assert problem in found
    assert bool(found) == bool(problem)


def test_the_way_out_is_always_among_the_keys() -> None:
    """Whatever else has to go on a narrow screen."""
    keys = [("enter", "send"), ("ctrl+t", "comment"), ("esc", "later")]

    assert fit_keys(keys, 80) == keys
    assert fit_keys(keys, 30) == [keys[0], keys[2]]
    assert fit_keys(keys, 3) == [keys[2]]


def test_details_stand_in_two_columns() -> None:
    """Keys of wide characters included, and JSON for what is no text."""
    prompt = ConfirmPrompt(
        message="Go?", operation="deploy", details={"家族": 3, "n": ["a", None], "t": "1\n2"}
    )

    assert prompt_content(prompt).plain.splitlines() == [
        "Go?",
        "",
        "operation  deploy",
        "家族       3",
        'n          ["a",null]',
        "t          1",
        "           2",
    ]


def test_a_recovery_shows_what_is_known() -> None:
    """What ran, since when, how it ended, and what it printed last."""
    evidence = Evidence(started_at=NOW, reason="its process was killed", last_output="one\ntwo\n")
    text = prompt_content(RecoveryPrompt(block="b", attempt=2, command="./go", evidence=evidence)).plain

    for part in ("./go", "2026-11-28 10:00:00 UTC", "attempt  2", "its process was killed", "one\ntwo"):
        assert part in text
