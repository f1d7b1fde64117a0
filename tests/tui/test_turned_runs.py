"""What a run shows after a crash, and after a person has turned its course: attempts, questions, bars."""

import pytest

from tidegate.history.parts import note_of
from tidegate.model.events import (
    AttemptInterrupted,
    AttemptSucceeded,
    BlockExpanded,
    BlockPaused,
    CancelRequested,
    JournalEvent,
    PauseAnswered,
    PauseAssigned,
    RunAdopted,
    RunFinished,
    RunInterrupted,
    RunResumed,
    RunStatus,
    SkipRequested,
    TimerSet,
    WaveStarted,
)
from tidegate.model.ids import BlockId, PauseId, item_place
from tidegate.model.policy import ForEach, OnFailure, RetryPolicy
from tidegate.model.prompt import Answer, Evidence, RecoveryPrompt
from tidegate.model.state import RunState
from tidegate.model.value import Inline
from tidegate.tui.nouns.course import Course
from tidegate.tui.present.block import block_lines
from tidegate.tui.present.board import Folds, waves
from tidegate.tui.present.gantt import chart_of, gantt_lines
from tui.parts_scene import block, workflow
from tui.scene import NOW, PROMOTE, started, succeeded
from tui.test_gantt import WIDTH, Told, again, lost, told

ONE = workflow(
    "one",
    block("build", retry=RetryPolicy(max_attempts=3, delay=60.0), on_failure=OnFailure.PAUSE),
    block("beside"),
    waves=(("build", "beside"),),
)
HOSTS = workflow(
    "hosts",
    block("deploy", for_each=ForEach(items=["a", "b"])),
    block("beside"),
    waves=(("deploy", "beside"),),
)
BUILD, DEPLOY, PAUSE = BlockId("build"), BlockId("deploy"), PauseId("pause_9")
A, B = item_place(DEPLOY, "a"), item_place(DEPLOY, "b")
DIED = AttemptInterrupted(block=BUILD, attempt=1, reason="process 41 on vm ended")
BEGUN: list[Told] = [(0, WaveStarted(wave=0)), (0, started("beside"))]
"""What is beside works all the time: a time without work would be drawn short."""
FANNED: list[Told] = [
    *BEGUN,
    (
        0,
        BlockExpanded(block=DEPLOY, attempt=1, keys=("a", "b"), items=(Inline(value="a"), Inline(value="b"))),
    ),
    (0, started(A)),
    (0, started(B)),
]


def recovery(attempt: int = 1, failure: str = "") -> BlockPaused:
    """Return the question what to do with an attempt that was cut off, or that failed."""
    prompt = RecoveryPrompt(
        block="build", attempt=attempt, evidence=Evidence(started_at=0.0), failure=failure
    )
    return BlockPaused(block=BUILD, attempt=attempt, pause_id=PAUSE, prompt=prompt)


def asks(place: BlockId) -> BlockPaused:
    """Return a question of a place."""
    return BlockPaused(block=place, attempt=1, pause_id=PauseId(f"pause_{place}"), prompt=PROMOTE)


def rerun() -> PauseAnswered:
    """Return the answer that lets it run again."""
    return PauseAnswered(
        pause_id=PAUSE, answer=Answer(value={"action": "rerun"}, raw="rerun", by="ben", via="cli")
    )


def pane(state: RunState) -> list[str]:
    """Return what the pane says of the block."""
    return [line.text.rstrip() for line in block_lines(state, BUILD, {}, NOW)]


def bars(state: RunState, course: Course, row: int = 0) -> str:
    """Return the bar of a row, one cell for ten seconds of the last ten minutes."""
    folds = Folds()
    folds.open(DEPLOY)
    rows = [item for wave in waves(state, NOW, folds) for item in wave.blocks]
    drawn = gantt_lines(chart_of(state, course, (), NOW), rows, None, WIDTH, 3)[1:]
    return drawn[row].text[11 : 11 + 60].rstrip()


CRASHED: list[Told] = [*BEGUN, (0, started("build")), (200, DIED), (200, recovery())]
RAN_AGAIN: list[Told] = [*CRASHED, (400, rerun()), (400, again("build", 2))]


# -- the pane of a block ----------------------------------------------------------------------


def test_a_question_that_is_answered_is_none_any_more() -> None:
    """While it is open it asks; after that it was asked, about the attempt before this one."""
    open_pane, closed_pane = (
        pane(told(*CRASHED, definition=ONE)[0]),
        pane(told(*RAN_AGAIN, definition=ONE)[0]),
    )

    assert [line.split()[0] for line in open_pane if line.startswith(("ask", "answer"))] == ["asks", "answer"]
    assert "answer    press a" in open_pane
    assert not any(line.startswith("asks") for line in closed_pane)
    assert [line for line in closed_pane if line.startswith("asked     about attempt 1: Block 'build' was")]
    assert "answer    rerun" in closed_pane


def test_an_open_question_says_whose_business_it_is() -> None:
    """As a person has said, with why."""
    assigned = PauseAssigned(pause_id=PAUSE, to="bob", by="ana", note="he knows it")
    state, _ = told(*CRASHED, (300, assigned), definition=ONE)

    assert "assigned  to bob by ana: he knows it" in pane(state)


def test_an_attempt_is_numbered_once() -> None:
    """Beside the sign, where that says which one it is; else among the facts."""
    state, _ = told(*RAN_AGAIN, definition=ONE)

    assert [line for line in pane(state) if "attempt 2" in line or line.startswith("attempt ")] == [
        "attempt 2"
    ]


def test_attempts_that_a_crash_cut_off_are_counted_apart() -> None:
    """A retry rule counts failures only: that two numbers differ is said, not left to wonder about."""
    state, _ = told(
        *RAN_AGAIN,
        (410, lost("build", retry_at=NOW - 180).evolve(attempt=2)),
        (420, again("build", 3)),
        definition=ONE,
    )

    assert "attempt 2 of 3" in pane(state)
    assert "attempts  3 so far, all counted" in pane(state)


@pytest.mark.parametrize(
    ("more", "shown", "noted"),
    [
        ([], "attempt   3", "attempt 3 of 3"),
        ([(500, rerun()), (500, again("build", 4))], "attempt 4", "attempt 4"),
        (
            [(500, AttemptSucceeded(block=BUILD, attempt=3, duration=0.0))],
            "attempt   3",
            "attempt 3 of 3",
        ),
    ],
)
def test_what_a_person_runs_again_is_no_attempt_of_a_rule(more: list[Told], shown: str, noted: str) -> None:
    """It was "attempt 4 of 3"; here and on the command line, while it asks, runs again, or was marked as done."""
    tries: list[Told] = [*BEGUN, (0, started("build"))]
    for number in (1, 2):
        tries += [
            (100.0 * number, lost("build", retry_at=NOW).evolve(attempt=number)),
            (100.0 * number, again("build", number + 1)),
        ]
    last = lost("build").evolve(attempt=3, asks=True)
    state, _ = told(*tries, (300, last), (300, recovery(3, "no")), *more, definition=ONE)

    assert shown in pane(state)
    assert note_of(state, BUILD, NOW).startswith(noted)


# -- bars -------------------------------------------------------------------------------------


def test_a_wait_that_begins_where_an_attempt_was_lost_is_seen() -> None:
    """Both are: the wait has its sign in the next cell."""
    assert bars(*told(*CRASHED, definition=ONE)) == f"{'▇' * 19}×◆{'┄' * 39}"  # noqa: RUF001 - the sign is meant
    assert bars(*told(*RAN_AGAIN, definition=ONE)) == f"{'▇' * 19}×◆{'┄' * 19}{'▇' * 19}●"  # noqa: RUF001


@pytest.mark.parametrize("end", [DIED, lost("build").evolve(asks=True)])
def test_what_calls_for_a_person_is_over_every_other_sign(end: JournalEvent) -> None:
    """Where there is one cell for all of it."""
    events: list[Told] = [*BEGUN, (0, started("build")), (599, end), (599, recovery())]

    assert bars(*told(*events, definition=ONE)) == f"{'▇' * 59}◆"


def test_an_item_that_waits_is_seen_on_the_bar_of_its_block() -> None:
    """While the others work; once nothing waits, it only goes on."""
    state, course = told(*FANNED, (300, asks(B)), definition=HOSTS)
    assert bars(state, course) == f"{'▇' * 59}◆"

    answered = PauseAnswered(
        pause_id=PauseId(f"pause_{B}"), answer=Answer(value=True, raw="y", by="ben", via="cli")
    )
    assert bars(*told(*FANNED, (300, asks(B)), (400, answered), definition=HOSTS)) == f"{'▇' * 59}●"


@pytest.mark.parametrize(
    "turn",
    [
        SkipRequested(block=B, by="ben", reason="not today"),
        RunResumed(blocks=(B,), by="ben"),
        CancelRequested(by="ben"),
    ],
)
def test_what_is_not_asked_any_more_does_not_wait(turn: JournalEvent) -> None:
    """No event says so of the item itself; nor does its block wait for it."""
    state, course = told(*FANNED, (200, asks(B)), (400, turn), definition=HOSTS)

    assert bars(state, course, 2) == f"{'▇' * 20}◆{'┄' * 18}×"  # noqa: RUF001 - the sign is meant
    assert "◆" not in bars(state, course)


def test_items_that_are_cancelled_leave_no_bar_that_goes_on() -> None:
    """Nor their block, though the run goes on for what runs always."""
    state, course = told(
        *FANNED, (100, asks(A)), (100, asks(B)), (400, CancelRequested(by="ben")), definition=HOSTS
    )

    assert bars(state, course).endswith("┄×")  # noqa: RUF001 - the sign is meant
    assert len(bars(state, course)) == 40


def test_a_block_whose_failed_item_is_retried_goes_on() -> None:
    """Its other items stay as they are, so that it does not begin anew."""
    state, course = told(
        *FANNED,
        (100, succeeded(A, 100)),
        (100, lost(B)),
        (100, lost(DEPLOY)),
        (200, RunFinished(status=RunStatus.FAILED)),
        (400, RunResumed(blocks=(DEPLOY, B), by="ben")),
        (400, again(B, 2)),
        definition=HOSTS,
    )

    assert bars(state, course) == f"{'▇' * 9}✗✗{' ' * 29}{'▇' * 19}●"


def test_what_goes_on_after_a_stop_is_drawn_on() -> None:
    """Of items and timers nothing says that they go on: that somebody drives the run again does."""
    waits = TimerSet(block=B, attempt=1, until=NOW + 60)
    state, course = told(
        *FANNED,
        (100, waits),
        (200, RunInterrupted(reason="Tidegate was closed")),
        (400, RunAdopted(owner="vm:1", epoch=2)),
        definition=HOSTS,
    )

    assert bars(state, course) == f"{'▇' * 19}×{' ' * 20}{'▇' * 19}●"  # noqa: RUF001 - the sign is meant
    assert bars(state, course, 2) == f"{'▇' * 10}{'░' * 50}"
