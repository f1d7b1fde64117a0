"""From values to words: symbols, times, bars, previews."""

import pytest
from rich.cells import cell_len

from tidegate.history.changes import Change
from tidegate.history.comparing import Comparison
from tidegate.history.document import MISSING, Node
from tidegate.history.glance import Glance
from tidegate.history.paths import Path
from tidegate.history.points import Point
from tidegate.history.views import RunView, pause_json
from tidegate.model.base import JsonObject
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId, PauseId, RunId, Seq
from tidegate.model.listing import PauseRow, RunRow
from tidegate.model.policy import CheckpointKind
from tidegate.model.prompt import (
    Answer,
    ChoicePrompt,
    ConfirmPrompt,
    Evidence,
    OnTimeout,
    Prompt,
    RecoveryPrompt,
)
from tidegate.model.state import BlockStatus, PauseState, RunSummary
from tidegate.tui.lines import Column, Line, Piece, Tone, column_widths, fit, wrap
from tidegate.tui.looks.symbols import block_sign, checkpoint_sign, run_sign
from tidegate.tui.nouns.travel import Base
from tidegate.tui.present.board import BlockItem, Wave
from tidegate.tui.present.differences import difference_lines, split_lines
from tidegate.tui.present.lineage import Branch, tree_lines
from tidegate.tui.present.outcome import outcome_sign
from tidegate.tui.present.panels import Nearby, panels_of
from tidegate.tui.present.pauses import answered_line, pause_columns, pause_line
from tidegate.tui.present.question import pause_preview
from tidegate.tui.present.runs import RUN_COLUMNS
from tidegate.tui.present.shared import bar, counted, json_lines, matching, progress, progress_line, short_id
from tidegate.tui.present.sight import difference_pane
from tidegate.tui.times import ago, clock_time, due, lasted, past
from tidegate.tui.widgets.wave_board import board_lines
from tui.scene import DRIFT, NOW, PROMOTE, RATE


def asked(prompt: Prompt, *, deadline: float | None = None, opened: float = NOW - 60) -> PauseRow:
    """Return an open pause."""
    return PauseRow(
        pause_id=PauseId("pause_1"),
        run_id=RunId("hw7j5v9t2qcp"),
        workflow="deploy-api",
        block=BlockId("approve_prod"),
        attempt=1,
        prompt=prompt,
        opened_at=opened,
        opened_seq=Seq(9),
        deadline=deadline,
    )


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-5, "now"), (0.9, "now"), (42, "42s"), (420, "7m"), (3600, "1h"), (12_000, "3h20m"), (187_200, "2d4h")],
)
def test_an_age_is_short(seconds: float, words: str) -> None:
    """One unit or two; a clock that stepped back is not an age."""
    assert ago(seconds) == words


@pytest.mark.parametrize(("seconds", "words"), [(-5, "just now"), (0.9, "just now"), (42, "42s ago")])
def test_a_moment_ago_is_just_now(seconds: float, words: str) -> None:
    """Nobody says now ago."""
    assert past(seconds) == words


@pytest.mark.parametrize(
    ("seconds", "words"), [(-1, "0.0s"), (0.42, "0.4s"), (12, "0:12"), (3723, "1:02:03")]
)
def test_a_duration_is_exact(seconds: float, words: str) -> None:
    """To the second, as one compares durations."""
    assert lasted(seconds) == words


@pytest.mark.parametrize(
    ("left", "words"),
    [(None, "no limit"), (0.5, "now"), (420, "in 7m"), (-240, "4m late"), (-12_000, "3h late")],
)
def test_a_deadline_is_said_in_words(left: float | None, words: str) -> None:
    """Late is a word, not only a colour."""
    assert due(None if left is None else NOW + left, NOW) == words


def test_an_old_instant_has_its_date() -> None:
    """A time of day alone would be today's."""
    assert clock_time(NOW - 60, NOW) == "14:12:20"
    assert clock_time(NOW - 200_000, NOW) == "2026-09-19 06:40"


@pytest.mark.parametrize(
    ("fraction", "drawn"),
    [(0, "╌╌╌╌╌╌╌╌"), (0.01, "━╌╌╌╌╌╌╌"), (0.5, "━━━━╌╌╌╌"), (0.99, "━━━━━━━╌"), (1, "━━━━━━━━")],
)
def test_a_bar_is_neither_empty_once_begun_nor_full_before_the_end(fraction: float, drawn: str) -> None:
    """The first and the last step are the ones one looks for."""
    assert bar(fraction, 8) == drawn


def test_progress_counts_blocks() -> None:
    """The bar is beside its numbers."""
    assert progress(RunSummary(status=RunStatus.RUNNING, blocks=13, completed=7)).endswith(" 7/13")
    assert progress(RunSummary(status=RunStatus.SUCCEEDED)) == "━━━━━━━━ 0/0"


def test_every_state_has_a_symbol_of_one_cell_and_a_word() -> None:
    """Colour is never alone, and no symbol has an emoji form that would be two cells wide."""
    runs, blocks = [run_sign(status) for status in RunStatus], [block_sign(status) for status in BlockStatus]
    marks = [checkpoint_sign(kind, is_paused=False) for kind in CheckpointKind]

    for signs in (runs, blocks, marks):
        assert all(cell_len(sign.symbol) == 1 and sign.word for sign in signs)
        # A reader without colours can tell all of them apart.
        assert len({sign.symbol for sign in signs}) == len(signs)


def test_a_row_of_the_inbox_says_what_and_how_urgent() -> None:
    """Kind, age, deadline, run, block, and the first line of the question."""
    line = pause_line(asked(PROMOTE, deadline=NOW - 240), NOW)

    texts = [piece.text for piece in line.pieces]
    assert texts[:5] == ["◆ confirm", "1m", "4m late", "deploy-api", "hw7j5v"]
    assert texts[-1] == "Promote build 1.5.3 to prod? …", "it has further lines"
    assert pause_line(asked(DRIFT), NOW).pieces[-1].text == DRIFT.question
    assert line.pieces[2].tone is Tone.FAILED


@pytest.mark.parametrize(("room", "least"), [(57, 28), (72, 36), (77, 36), (122, 50)])
@pytest.mark.parametrize("deadline", [None, NOW - 240])
def test_the_question_has_most_of_a_row(room: int, least: int, deadline: float | None) -> None:
    """At 60, 120, 80 and 200 columns; a long name of a workflow is cut before the question is."""
    row = asked(PROMOTE, deadline=deadline).evolve(workflow="a-name-of-a-workflow-that-is-much-too-long")
    columns = pause_columns([pause_line(row, NOW)], room)
    widths = dict(zip([column.title for column in columns], column_widths(columns, room), strict=True))

    assert widths["QUESTION"] >= least
    assert widths["WORKFLOW"] >= 8
    assert bool(widths["DUE"]) == (deadline is not None)
    assert sum(widths.values()) + sum(map(bool, widths.values())) - 1 == room


def test_a_deadline_in_its_last_quarter_is_marked() -> None:
    """The tone changes once, in time."""
    far, near = asked(RATE, deadline=NOW + 60), asked(RATE, deadline=NOW + 15)

    assert pause_line(far, NOW).pieces[2].tone is Tone.PLAIN
    assert pause_line(near, NOW).pieces[2].tone is Tone.WAITING


def test_an_answered_row_says_who_said_what() -> None:
    """By which way, too."""
    answer = Answer(value="load anyway", by="ben", via="cli")
    row = asked(DRIFT).evolve(state=PauseState.ANSWERED, closed_at=NOW - 5, answer=answer)

    assert answered_line(row, NOW).pieces[-1].text == f"load anyway · by ben (cli) · {DRIFT.question}"
    assert answered_line(row, NOW).pieces[0].text == "✓ choice"
    closed = row.evolve(answer=None, state=PauseState.CLOSED)
    assert answered_line(closed, NOW).pieces[-1].text == f"closed, not answered · {DRIFT.question}"


@pytest.mark.parametrize("room", [57, 77, 122])
def test_answers_to_the_same_question_are_told_apart_by_their_run(room: int) -> None:
    """At 120, 80 and 200 columns, also beside a question that is due."""
    answer = Answer(value=True, by="ben", via="cli")
    row = asked(PROMOTE).evolve(state=PauseState.ANSWERED, closed_at=NOW - 5, answer=answer)
    lines = [pause_line(asked(PROMOTE, deadline=NOW - 240), NOW), answered_line(row, NOW)]
    columns = pause_columns(lines, room)
    widths = dict(zip([column.title for column in columns], column_widths(columns, room), strict=True))

    assert widths["DUE"]
    assert widths["RUN"] == len(lines[1].pieces[4].text) == 6
    assert lines[1].pieces[-1].text.startswith("yes · by ben (cli) · Promote build 1.5.3 to prod?")
    assert widths["QUESTION"] >= 20


def test_a_no_is_no_tick_and_what_nobody_answered_has_its_word() -> None:
    """In the inbox, in the activity and on the dashboard alike."""
    row = asked(PROMOTE).evolve(closed_at=NOW - 5)
    no = row.evolve(state=PauseState.ANSWERED, answer=Answer(value=False, by="ben", via="cli"))
    expired, closed = row.evolve(state=PauseState.EXPIRED), row.evolve(state=PauseState.CLOSED)

    assert [outcome_sign(each).text for each in (no, expired, closed)] == [
        "✗ answered",
        "○ expired",
        "⊘ closed",
    ]
    assert answered_line(no, NOW).pieces[0].text == "✗ confirm"
    panel = panels_of(Glance(at=NOW), Nearby(answered=(no, expired)), NOW)[3]
    texts = ["".join(piece.text for piece in content) for content in (panel.headline, *panel.lines)]
    assert "✗ no to: " in texts[0]
    assert "○ expired: Promote" in texts[1]


def test_a_document_of_a_pause_says_how_it_stands() -> None:
    """So that what is exported can be told apart: open ones, answered ones, and those that nobody answered."""
    row = asked(PROMOTE)
    answer = Answer(value=False, by="ben", via="cli", comment="not today")
    closed = row.evolve(state=PauseState.ANSWERED, closed_at=NOW, answer=answer)

    assert {pause_json(row)[name] for name in ("closed_at", "answer", "by", "via")} == {None}
    assert [pause_json(each)["state"] for each in (row, closed)] == ["open", "answered"]
    said = pause_json(closed)
    assert (said["closed_at"], said["answer"], said["by"]) == (NOW, False, "ben")
    assert said["answer_comment"] == "not today"


@pytest.mark.parametrize(("room", "is_shown"), [(36, False), (42, False), (58, True), (76, True)])
def test_where_it_is_narrow_a_run_is_its_workflow_before_its_progress(room: int, is_shown: bool) -> None:
    """A bar says nothing of a run whose name is not to be seen."""
    titled = zip((column.title for column in RUN_COLUMNS), column_widths(RUN_COLUMNS, room), strict=True)
    widths = dict(titled)

    assert widths["WORKFLOW"] >= 12
    assert bool(widths["PROGRESS"]) is is_shown


def test_a_preview_holds_the_whole_question() -> None:
    """Every line of it, what it is about, and what counts as an answer where no key stands for each."""
    text = "\n".join(line.text for line in pause_preview(asked(PROMOTE), None, NOW))

    assert PROMOTE.message.splitlines()[-1] in text
    assert "deploy to 12 production hosts" in text
    choices = "\n".join(line.text for line in pause_preview(asked(DRIFT), None, NOW))
    assert "  3 abort and page on-call" in choices
    assert "answer  " not in text + choices
    assert "answer    a number from 0.5 to 2" in [line.text for line in pause_preview(asked(RATE), None, NOW)]


def test_where_few_lines_are_seen_what_follows_is_among_them() -> None:
    """Behind a short question, before a long one, and before all details."""
    ahead = (Line("ahead", (Piece("Approve: Starts deploy."),)),)
    short = PROMOTE.evolve(message="Promote?")
    shown = [
        [line.text for line in pause_preview(asked(prompt), None, NOW, ahead, is_low=True)]
        for prompt in (short, PROMOTE)
    ]

    assert shown[0][1:3] == ["Promote?", "Approve: Starts deploy."]
    assert shown[1][1:3] == ["Approve: Starts deploy.", "Promote build 1.5.3 to prod?"]
    assert "build     1.5.3" in shown[0][3:]


def test_values_stand_below_each_other_whatever_their_names() -> None:
    """A longer name moves all of them; one that would leave them no room moves only its own."""
    values: JsonObject = {"exit_code": 0, "duration_s": 0.25, "a_name_that_is_far_too_long": 1}

    assert [line.text for line in json_lines(values)] == [
        "exit_code  0",
        "duration_s 0.25",
        "a_name_that_is_far_too_long 1",
    ]


def test_the_preview_of_an_answered_question_says_what_became_of_it() -> None:
    """Who said what, when and why; nothing looks open, and nothing is due."""
    answer = Answer(value="load anyway", by="ben", via="cli", comment="known campaign")
    row = asked(DRIFT, deadline=NOW - 240).evolve(
        state=PauseState.ANSWERED, closed_at=NOW - 300, answer=answer
    )
    text = "\n".join(line.text for line in pause_preview(row, None, NOW))

    assert text.startswith("✓ choice · answered 5m ago")
    assert "answer    load anyway" in text
    assert "by        ben (cli)" in text
    assert f"at        {clock_time(NOW - 300, NOW)}" in text
    assert "comment   known campaign" in text
    assert DRIFT.question in text
    assert not any(word in text for word in ("◆", "late", "in 3m", "deadline"))


@pytest.mark.parametrize(
    ("prompt", "taken"),
    [
        (DRIFT, "the block failed"),
        (PROMOTE.evolve(on_timeout=OnTimeout.REJECT), "it counts as rejected"),
        (
            DRIFT.evolve(on_timeout=OnTimeout.DEFAULT, default="skip today"),
            "the default was taken: skip today",
        ),
        (RATE.evolve(on_timeout=OnTimeout.DEFAULT), "the default was taken"),
    ],
)
def test_an_expired_question_says_what_was_taken(prompt: Prompt, taken: str) -> None:
    """In its row and in its preview."""
    row = asked(prompt, deadline=NOW - 10).evolve(state=PauseState.EXPIRED, closed_at=NOW - 10)

    assert answered_line(row, NOW).pieces[-1].text.startswith(f"expired · {taken} · ")
    preview = "\n".join(line.text for line in pause_preview(row, None, NOW))
    assert preview.startswith(f"○ {prompt.kind} · expired 10s ago")
    assert f"answer    none: {taken}" in preview


def test_a_number_in_a_preview_means_what_it_means_when_it_is_typed() -> None:
    """A row whose number is the text of another choice has none."""
    prompt = ChoicePrompt(question="How many?", choices=("3", "2", "1"))
    rows = [line.text for line in pause_preview(asked(prompt), None, NOW) if line.key.startswith("choice:")]

    assert rows == ["    3", "  2 2", "    1"]


@pytest.mark.parametrize(("name", "is_said"), [("approve", True), ("approve_production", False)])
def test_a_gate_that_was_rejected_and_goes_on_says_no(name: str, is_said: bool) -> None:
    """Beside the sign that it succeeded, where its name leaves room."""
    item = BlockItem(BlockId(name), name, "✓", "succeeded", Tone.DONE, "", "0:42", "no")
    row = board_lines((Wave("Wave 1", Tone.STRONG, (item,)),), None, 28)[1].text.rstrip()

    assert row.endswith(" no 0:42") is is_said
    assert row.endswith(" 0:42")
    assert name in row


def test_a_preview_is_bounded() -> None:
    """A prompt that holds a file does not hold up the terminal."""
    lines = pause_preview(asked(ConfirmPrompt(message="line\n" * 50_000)), None, NOW)

    assert len(lines) < 2_100
    assert any("48,000 more lines" in line.text for line in lines)


@pytest.mark.parametrize(
    ("prompt", "mark"),
    [
        (ConfirmPrompt(message="Go?", details={"plan": "line\n" * 25_000}), "… 24,979 more lines"),
        (ConfirmPrompt(message="Go?", details={"plan": "word " * 50_000}), "… 246,000 more characters"),
        (ConfirmPrompt(message="Go?", details={f"key {n}": n for n in range(1_000)}), "… 800 more values"),
        (ConfirmPrompt(message="word " * 2_000_000), "… 9,900,000 more characters"),
        (ChoicePrompt(question="?", choices=tuple(f"{n} " * 800 for n in range(999))), "… 799 more choices"),
    ],
)
def test_what_a_preview_leaves_out_is_said(prompt: Prompt, mark: str) -> None:
    """Whoever reads it knows that there is more."""
    text = "\n".join(line.text for line in pause_preview(asked(prompt), None, NOW))

    assert mark in text
    assert len(text) < 110_000


@pytest.mark.parametrize(
    ("number", "more", "words"),
    [(0, "", "0 runs"), (1, "", "1 run"), (2, "", "2 runs"), (500, "+", "500+ runs")],
)
def test_one_is_not_many(number: int, more: str, words: str) -> None:
    """Nouns agree with their numbers."""
    assert counted(number, "run", more=more) == words


def test_one_line_more_is_one_line() -> None:
    """Also where a text was cut."""
    lines = pause_preview(asked(ConfirmPrompt(message="line\n" * 2_001)), None, NOW)

    assert any(line.text == "… 1 more line" for line in lines)


def test_a_recovery_shows_its_evidence() -> None:
    """What ran, since when, and the last it wrote: what one decides by."""
    evidence = Evidence(started_at=NOW - 300, reason="its process died", last_output="halfway\nthere\n")
    prompt = RecoveryPrompt(block="deploy", attempt=2, command="make deploy", evidence=evidence)
    text = "\n".join(line.text for line in pause_preview(asked(prompt), None, NOW))

    for words in (
        "ran       make deploy",
        "started   14:08:20, 5m ago",
        "attempt   2",
        "Last output\nhalfway\nthere",
    ):
        assert words in text
    silent = RecoveryPrompt(block="deploy", attempt=1, evidence=Evidence(started_at=NOW))
    assert "(it printed nothing)" in "\n".join(line.text for line in pause_preview(asked(silent), None, NOW))


def test_statuses_are_the_words_of_the_command_line() -> None:
    """One word for one thing: what is read here can be typed there."""
    assert [run_sign(status).word for status in RunStatus] == [status.value for status in RunStatus]
    assert [block_sign(status).word for status in BlockStatus] == [status.value for status in BlockStatus]
    marks = [checkpoint_sign(kind, is_paused=False).word for kind in CheckpointKind]
    assert marks == [kind.value for kind in CheckpointKind]


def test_ids_are_short_and_filters_take_all_words() -> None:
    """Whatever their case and order."""
    line = Line("k", (Piece("deploy-api "), Piece("hw7j5v")))

    assert short_id("pause_hw7j5v9t2qcp") == "hw7j5v"
    assert matching(line, "HW7 deploy")
    assert not matching(line, "deploy etl")


def test_columns_share_what_fixed_ones_leave() -> None:
    """And those that need a wider list are left out."""
    columns = (Column("A", 4), Column("B", weight=1), Column("C", weight=2), Column("D", 9, since=100))

    assert column_widths(columns, 30) == (4, 8, 16, 0)
    assert column_widths(columns, 3) == (4, 0, 0, 0)


def test_wrapping_breaks_between_words_and_keeps_every_character() -> None:
    """Also of words that are wider than a line, and of wide characters."""
    for text in (
        "to be or not to be",
        "x" * 50,
        "家族" * 20,
        "a " + "b" * 30 + " c",
        "   indented text here",
    ):
        parts = wrap(Line("k", (Piece(text[:3], Tone.DIM), Piece(text[3:]))), 10)

        assert "".join(part.text for part in parts) == text
        assert all(fit(part.text.rstrip(), 10).find("…") == -1 for part in parts)


def test_wrapped_facts_hang() -> None:
    """What belongs to a name stays beside it."""
    parts = wrap(Line("k", (Piece("name      "), Piece("one two three four five")), indent=10), 24)

    assert [part.text.rstrip() for part in parts] == ["name      one two three", "          four five"]


@pytest.mark.parametrize(
    ("status", "tone"), [(RunStatus.FAILED, Tone.FAILED), (RunStatus.RUNNING, Tone.ACCENT)]
)
def test_a_full_bar_of_a_run_that_failed_is_no_good_end(status: RunStatus, tone: Tone) -> None:
    """All its blocks have ended; that is not what counts."""
    line = progress_line(RunSummary(status=status, blocks=3, completed=3, total_waves=1))

    assert line.pieces[0].tone is tone


def test_differences_are_told_in_words_not_in_json() -> None:
    """A status is a word of ours; a text of somebody else keeps its quotes."""
    here = Point(RunId("4f2a7k9m4xw2"), Seq(4))

    def changed(path: Path, left: Node, right: Node) -> Change:
        return Change(path, path, left, right)

    asked: Node = {
        "id": "pause_hw7j5v9t2qcp",
        "kind": "confirm",
        "question": "Ship [it]?\nReally?",
        "state": "open",
        "opened_at": 1_790_000_000.0,
        "deadline": 1_790_003_600.0,
    }
    changes = (
        changed(("blocks", "ship", "status"), "running", "failed"),
        changed(("blocks", "ship", "outputs", "said"), "no", "yes"),
        changed(("pauses", "gate", "deadline"), 1_790_003_600.0, 1_790_007_200.0),
        Change(None, ("pauses", "plan"), MISSING, asked),
        Change(None, ("blocks", "each[a]"), MISSING, {"status": "failed", "failure": {"message": "no room"}}),
    )
    timing = tuple(changed(("blocks", "ship", "attempt"), n, n + 1) for n in range(13))
    found = Comparison(here, here, ("w", "w"), changes, timing)
    text = "\n".join(line.text for line in difference_lines(found))

    assert "running → failed" in text
    assert '"no" → "yes"' in text
    assert "2026-09-21 15:13:20.000 → 2026-09-21 16:13:20.000" in text
    assert "open confirm: Ship [it]? · until 15:13:20" in text
    assert "each[a]" in text
    assert "failed: no room" in text
    assert "{" not in text
    assert "13 times or attempts differ too" in text
    assert "running" in "".join(line.text for line in split_lines(found, 80))


def test_a_pane_offers_only_what_there_is_to_compare_with() -> None:
    """A run that is no fork has no parent."""
    here = Point(RunId("4f2a7k9m4xw2"), Seq(4))
    lines = difference_pane(None, here, Base.BEFORE, [Base.BEFORE, Base.NOW], room=60, width=None, now=NOW)

    assert lines[0].text.split() == ["d", "before", "now", "D", "other…"]


def test_a_tree_of_forks_that_is_cut_says_so() -> None:
    """Below the run of which there are more."""
    row = RunRow(
        run_id=RunId("4f2a7k9m4xw2"), workflow="w", definition="", created_at=NOW, updated_at=NOW,
        head=Seq(7), summary=RunSummary(status=RunStatus.RUNNING),
    )  # fmt: skip
    fork = Branch(RunView(row.evolve(run_id=RunId("5g3b8m2n5yx3")), RunStatus.RUNNING), ())
    lines = tree_lines(Branch(RunView(row, RunStatus.RUNNING), (fork,), has_more=True), row.run_id)

    assert [line.text[:9].strip() for line in lines] == ["4f2a7k th", "├─ 5g3b8m", "╰─ … more"]
    assert not lines[-1].selectable
