"""What the dialogs say."""

from dataclasses import replace

import pytest

from tidegate.errors import AlreadyAnswered
from tidegate.model.answer import Answered
from tidegate.model.ids import PauseId, RunId, Seq
from tidegate.model.prompt import Answer, ChoicePrompt, ConfirmPrompt, Evidence, OnTimeout, RecoveryPrompt
from tidegate.model.state import PauseState
from tidegate.tui.dialogs.frame.prompt_text import Asked, choice_label, prompt_content
from tidegate.tui.dialogs.frame.words import (
    closed_words,
    cut_to_rows,
    due_words,
    fit_keys,
    header_words,
    lost_race_words,
    never_shown_words,
    paste_problem,
    sent_words,
    span_words,
    time_bar,
    unread_words,
    urgency,
)
from tidegate.tui.present.shared import cut_text
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
        due_words(pause_of(several, deadline=NOW + 9), NOW)
        == "due in 00:09, then its default is taken: eu, ap"
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
    assert due_words(ASKED.evolve(deadline=NOW + 3600), NOW) == "due in 1 h 0 min, then the block fails"
    assert due_words(ASKED.evolve(deadline=NOW + 3599), NOW) == "due in 59:59, then the block fails"
    assert due_words(ASKED.evolve(deadline=NOW + 0.2), NOW) == "due in 00:01, then the block fails"
    assert due_words(ASKED.evolve(deadline=NOW - 5), NOW) == "overdue by 5 s: the block fails"
    assert due_words(pause_of(choice, deadline=NOW + 9), NOW) == "due in 00:09, then its default is taken: b"


@pytest.mark.parametrize(("left", "expected"), [(400, "-calm"), (200, "-soon"), (0, "-overdue")])
def test_the_last_quarter_is_urgent(left: float, expected: str) -> None:
    """It was opened 600 s ago."""
    assert urgency(ASKED.evolve(deadline=NOW + left), NOW) == expected


def test_who_decided_is_said_in_words() -> None:
    """The answer as a person would say it, not as JSON."""
    answered = ASKED.evolve(state=PauseState.ANSWERED, closed_at=NOW, answer=Answer(value=True, by="ana"))

    assert closed_words(answered, NOW) == "Already answered by ana just now: yes"
    assert closed_words(answered, NOW + 63) == "Already answered by ana 1 min 3 s ago: yes"
    assert closed_words(answered, NOW + 90_000) == "Already answered by ana at 2026-11-28 10:00:00 UTC: yes"
    assert closed_words(
        answered.evolve(answer=Answer(value=True, by="ana", comment="it\nhurries")), NOW + 3
    ) == ("Already answered by ana 3 s ago: yes. Comment: it⏎hurries")
    expired = ASKED.evolve(state=PauseState.EXPIRED, closed_at=NOW)
    assert closed_words(expired, NOW + 5) == "Nobody answered in time: this expired 5 s ago"
    assert "takes no answer" in closed_words(ASKED.evolve(state=PauseState.CLOSED), NOW)


def test_a_lost_race_reads_like_a_closed_pause() -> None:
    """The same fact in the same words, however we learnt of it."""
    error = AlreadyAnswered("pause_1", "ana", "2026-11-28T10:00:00+00:00", "yes")

    assert lost_race_words(error, NOW + 3) == "Already answered by ana 3 s ago: yes"


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


@pytest.mark.parametrize(
    ("left", "bar"),
    [(600, "━━━━━─────"), (60, "━─────────"), (1, "━─────────"), (6000, "━━━━━━━━━━"), (0, "")],
)
def test_what_is_left_of_the_time_is_a_bar(left: float, bar: str) -> None:
    """It was opened 600 s ago; as long as there is any time left, so is a part of the bar."""
    assert time_bar(ASKED.evolve(deadline=NOW + left), NOW) == bar


def test_without_a_deadline_there_is_no_bar() -> None:
    """There is nothing to be late for."""
    assert time_bar(ASKED, NOW) == ""


def test_what_is_cut_says_so() -> None:
    """Nobody takes a part of a sentence for all of it; wide characters count as the cells they take."""
    assert cut_to_rows("due in 09:41, then the block fails", 20, 1) == "due in 09:41, then…"
    assert cut_to_rows("due in 09:41", 20, 1) == "due in 09:41"
    assert cut_to_rows("one two three four", 9, 2) == "one two three fo…"
    assert cut_to_rows("家族家族家族", 6, 1) == "家族…"
    assert cut_to_rows("all of it", 0, 1) == cut_to_rows("all of it", 4, 0) == "all of it"


def test_where_an_answer_stands_is_said() -> None:
    """Whoever has sent it can go there; of what was there before nothing is known."""
    sent = Answered(RunId("run"), PauseId("pause_1"), value=False, seq=Seq(14))

    assert sent_words(ASKED, sent, NOW) == "Sent: rejected · Go? · run 4f2akz · at event 14"


def test_who_lost_a_race_with_the_same_answer_is_told_who_won_it() -> None:
    """Nothing was sent twice: who, when, and what went with it; a comment of one's own is not kept, and that is said."""
    sent = Answered(
        RunId("run"),
        PauseId("pause_1"),
        value=True,
        repeated=True,
        earlier=Answer(value=True, by="bob", via="tui"),
        earlier_at=NOW - 2,
    )
    said = replace(sent, earlier=Answer(value=True, by="bob", via="tui", comment="go\nnow"))

    assert sent_words(ASKED, sent, NOW) == (
        "bob had answered the same 2 s ago: nothing was sent twice · Go? · run 4f2akz"
    )
    assert sent_words(ASKED, said, NOW, "me too") == (
        "bob had answered the same 2 s ago, with the comment: go⏎now: nothing was sent twice"
        " (your comment is not kept) · Go? · run 4f2akz"
    )
    assert sent_words(ASKED, said, NOW, "go\nnow") == sent_words(ASKED, said, NOW)


def test_the_way_out_is_always_among_the_keys() -> None:
    """Whatever else has to go on a narrow screen; where there is room it is said that there are more."""
    keys = [("enter", "send"), ("ctrl+t", "comment"), ("esc", "later")]

    assert fit_keys(keys, 80) == keys
    assert fit_keys(keys, 30) == [keys[0], keys[2]]
    assert fit_keys(keys, 34) == [keys[0], ("f1", "more"), keys[2]]
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


@pytest.mark.parametrize(
    ("text", "lines", "characters", "shown", "left", "words"),
    [
        ("", 2, 9, [], 0, ""),
        ("a\nb\n", 2, 4, ["a", "b"], 0, ""),
        ("a\nb\n", 2, 3, ["a", "b"], 0, ""),
        ("a\nb\nc", 2, 9, ["a", "b"], 1, "… 1 more line"),
        ("a\nb\nc\nd\n", 3, 4, ["a", "b"], 2, "… 2 more lines"),
        ("abc\nd", 3, 2, ["ab…"], 1, "… 1 more line"),
        ("abcdef", 3, 2, ["ab…"], 1, "… 4 more characters"),
        ("abc", 0, 0, [], 1, "… 1 more line"),
    ],
)
def test_what_is_cut_off_is_counted(
    text: str, lines: int, characters: int, shown: list[str], left: int, words: str
) -> None:
    """By lines where there are, a line that is cut short is marked as such."""
    assert cut_text(text, lines, characters) == (shown, left, words)


def test_a_question_that_is_a_file_is_counted_not_laid_out() -> None:
    """However long its text is: what is to be done is shown, and how much is missing, with where it stands."""
    prompt = ConfirmPrompt(message="line\n" * 2_000_000, operation="drop it", details={"plan": "x\ny"})
    asked = Asked(prompt, "f2 turns to all of it")
    shown = asked.content.plain.splitlines()

    assert shown[0] == "line"
    assert len(shown) < 1_000
    assert "operation  drop it" in shown
    assert shown[-1] == f"… {asked.left:,} more lines: f2 turns to all of it"
    # One line of the room is the operation's.
    assert asked.left == 2_000_000 - 799 + 2


def test_a_detail_that_is_one_long_line_is_cut_in_it() -> None:
    """And so are thousands of short ones."""
    asked = Asked(ConfirmPrompt(message="Go?", details={"plan": "word " * 50_000, "after": "this"}))

    assert len(asked.content.plain) < 70_000
    assert asked.left == 2
    assert Asked(ConfirmPrompt(message="Go?", details={str(n): "" for n in range(9_000)})).left == 8_201


def test_the_more_choices_the_shorter_each() -> None:
    """None is so long that opening a list of them takes its time."""
    assert choice_label("x" * 900, 9) == "x" * 900
    assert choice_label("x" * 900, 1_000) == "x" * 59 + "…"
