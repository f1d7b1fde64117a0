"""Mode 6: what happened, and everything that was said."""

from pathlib import Path

import msgspec
import pytest

from tidegate.history.history import History
from tidegate.history.views import RunView
from tidegate.model.answer import Reply
from tidegate.model.events import (
    CancelRequested,
    JournalEvent,
    PauseAssigned,
    Record,
    RunHeld,
    RunInterrupted,
    RunReleased,
    RunResumed,
    RunStatus,
    SkipRequested,
)
from tidegate.model.ids import BlockId, PauseId, RunId, Seq
from tidegate.model.lineage import Origin
from tidegate.model.listing import PauseFilter, RunFilter, RunRow
from tidegate.model.state import RunSummary
from tidegate.model.vitals import CLEAN_UP, Removal
from tidegate.store.opening import open_store
from tidegate.store.protocol import Append, Store
from tidegate.tui.lines import Tone
from tidegate.tui.nouns.note import Note
from tidegate.tui.present.activity import Happening, happening_line, happening_preview, happenings
from tidegate.tui.present.removed import removed
from tidegate.tui.reads.acts import Acts, act_of, told_once
from tidegate.tui.screens.lists.activity import ActivityScreen
from tidegate.tui.screens.run.run_view import RunScreen
from tui.monitoring import FixedClock, monitor
from tui.parts_scene import ROLLOUT, fill_parts
from tui.scene import NOW
from tui.test_monitor import GATE

ENDS = "{name: ends, blocks: [{id: talk, type: Shell, inputs: {command: echo some words}}]}"


def run(name: str, at: float, status: RunStatus, **summary: object) -> RunView:
    """Return a run that began at an instant, and moved last ten seconds later."""
    row = RunRow(
        run_id=RunId(name),
        workflow="deploy",
        definition="d",
        created_at=at,
        updated_at=at + 10,
        head=Seq(5),
        summary=RunSummary(status=status, **summary),  # type: ignore[arg-type]
        by="ana",
        origin=Origin(run_id=RunId("older"), seq=Seq(3)) if name == "forked" else None,
    )
    return RunView(row, status)


def _act(event: JournalEvent, *, at: float = 210.0, below: str = "") -> Happening:
    """Return an act, to a run on top, or to the one below it at a path."""
    row = run("bbbbbb", 200, RunStatus.RUNNING).row
    if below:
        row = row.evolve(run_id=RunId(f"below {below}"), root=row.run_id, path=below)
    act = act_of(Record(run_id=row.run_id, seq=Seq(7), at=at, event=event), row)
    assert act is not None
    return act


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (CancelRequested(by="ben", reason="wrong branch"), ("cancel asked", "ben", "wrong branch")),
        (RunReleased(by="ben"), ("goes on", "ben", "")),
        (RunResumed(blocks=(BlockId("b"), BlockId("c")), by="ben"), ("resumed", "ben", "b, c")),
        (RunResumed(blocks=(BlockId("b"),), by="ben", fresh=True), ("rerun", "ben", "b")),
        (
            RunResumed(blocks=(BlockId("b"),), by="ben", fresh=True, feedback="half"),
            ("rerun", "ben", 'b "half"'),
        ),
        (
            SkipRequested(block=BlockId("b"), by="ben", reason="not today"),
            ("skip asked", "ben", "b: not today"),
        ),
        (RunInterrupted(reason="Tidegate was closed"), ("interrupted", "", "Tidegate was closed")),
        (PauseAssigned(pause_id=PauseId("p"), to="bob", by="ana"), ("assigned", "ana", "to bob")),
        (PauseAssigned(pause_id=PauseId("p"), to="", by="ana"), ("assigned", "ana", "to anybody")),
    ],
)
def test_what_a_person_did_is_told_with_who_and_why(event: JournalEvent, words: tuple[str, str, str]) -> None:
    """No list has it: it is read from the journal."""
    act = _act(event)

    assert (act.sign.word, act.by, act.details) == words


def test_each_thing_that_happened_is_one_row_newest_first() -> None:
    """What began, what ended and why, what a person holds, and what was said in between."""
    found = happenings(
        [
            run("aaaaaa", 100, RunStatus.FAILED, reason="make: no rule"),
            run("bbbbbb", 200, RunStatus.RUNNING),
            run("forked", 300, RunStatus.RUNNING),
        ],
        (),
        [_act(RunHeld(by="ben", reason="it is late"))],
        [Note(1, 205.0, "the store is busy", Tone.FAILED)],
        limit=5,
    )

    assert [(happening.at, happening.sign.word, happening.details) for happening in found] == [
        (300, "forked", "goes on from older at 3"),
        (210, "paused", "it is late"),
        (205, "note", "the store is busy"),
        (200, "started", ""),
        (110, "failed", "make: no rule"),
    ]
    assert [piece.text for piece in happening_line(found[1], 300).pieces][2:4] == ["deploy", "bbbbbb"]
    assert len({happening.key for happening in found}) == len(found)


def test_foreign_text_stays_text() -> None:
    """On one line in the list, on its own lines in the preview, without control codes."""
    happening = happenings(
        [run("aaaaaa", 1, RunStatus.FAILED, reason="a\x1b[31m [b]\nc")], (), (), (), limit=9
    )[0]

    assert "\x1b" not in happening_line(happening, 2).text
    assert [line.text for line in happening_preview(happening, 2)][1:3] == ["a [b]", "c"]


def test_what_goes_for_everything_below_is_told_once() -> None:
    """Who cancels a run has not cancelled five; what somebody did to one below alone, or later, is an act of its own."""
    cancel, hold = CancelRequested(by="ben", reason="no"), RunHeld(by="ben")
    skip = SkipRequested(block=BlockId("b"), by="ben", reason="no")
    acts = [
        _act(cancel),
        _act(cancel, at=211, below="a[x]"),
        _act(cancel, at=212, below="a[x]/b"),
        _act(RunResumed(blocks=(BlockId("b"),), by="ben")),
        _act(RunResumed(blocks=(BlockId("c"),), by="ana"), below="a[x]"),
        _act(hold),
        own_hold := _act(hold, at=900, below="a[x]"),
        another := _act(CancelRequested(by="ana"), below="a[x]"),
        _act(skip),
        own_skip := _act(skip, below="a[x]"),
    ]

    assert told_once(acts) == [acts[0], acts[3], acts[5], own_hold, another, acts[8], own_skip]


async def test_what_was_done_to_a_run_below_is_told_with_the_way_there(tmp_path: Path) -> None:
    """Also of a run that nobody has looked at for long: those that moved last count, not those that began last."""
    store = await open_store(f"sqlite:///{tmp_path}/store.db", clock=FixedClock(NOW))
    await _fill_acts(store)
    moved = [RunView(row, row.summary.status) for row in await store.runs(RunFilter(last_changed_first=True))]
    acts, is_behind = await Acts().look(History(store, FixedClock(NOW)), moved)
    await store.close()

    assert not is_behind
    assert moved[0].row.run_id == ROLLOUT
    assert [(act.sign.word, act.by, act.block, act.details) for act in acts if act.run_id == ROLLOUT] == [
        ("assigned", "ana", "approve", 'to bob "he knows red": Switch red over to 1.5.3?'),
        ("skip asked", "ana", "switch", "switch: not today"),
    ]
    told, *_ = happenings(moved, (), acts[-1:], (), limit=99)
    assert told.above == "release · kx5m2r / regions[red]"


async def _fill_acts(store: Store) -> None:
    """Tell a run with runs below it, and what a person did to one of these."""
    await fill_parts(store)
    row = await store.run(ROLLOUT)
    [pause] = await store.pauses(PauseFilter(run_id=ROLLOUT))
    votes = (
        PauseAssigned(pause_id=pause.pause_id, to="bob", by="ana", note="he knows red"),
        SkipRequested(block=BlockId("switch"), by="ana", reason="not today"),
    )
    await store.append(
        Append(run_id=ROLLOUT, after=row.head, at=NOW - 5, events=votes, summary=row.summary, epoch=None)
    )


async def test_who_answered_what_is_seen_and_leads_to_the_run(tmp_path: Path) -> None:
    """With the comment, and the way the answer came; a note is there after it has faded."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await seen.start(GATE)
        await seen.see("Go on?")
        await seen.ask(lambda session: session.executor.pause(run_id, by="eva", reason="lunch"))
        await seen.ask(lambda session: session.executor.unpause(run_id, by="eva"))
        [pause] = await seen.ask(lambda session: session.history.inbox(run_id))
        reply = Reply("yes", by="ben", via="cli", comment="looks fine")
        await seen.ask(lambda session: session.executor.answer(pause.pause_id, reply))
        seen.app.tell("gate was looked at", Tone.DONE)
        seen.app.note = type(seen.app.note)("")

        await seen.press("exclamation_mark")
        await seen.until(lambda: isinstance(seen.app.screen, ActivityScreen))
        await seen.see(
            "✓ succeeded", "✓ answered", "ben", 'yes "looks fine"', "○ started", "gate was looked at"
        )

        await seen.press("slash", *"answered", "enter")
        await seen.see("1 of 6")
        await seen.press("y")
        await seen.until(lambda: seen.app.clipboard == run_id)
        await seen.press("Y")
        await seen.see("copied 1 row as JSON")
        assert msgspec.json.decode(seen.app.clipboard)["by"] == "ben"
        await seen.press("escape", "s")
        await seen.see("ordered by what")
        await seen.press("E")
        await seen.see("Export 6 rows", "activity.jsonl")
        await seen.press("escape", "slash", *"what:ans by:ben", "enter")
        await seen.see("1 of 6")

        await seen.press("enter")
        await seen.until(lambda: isinstance(seen.app.screen, RunScreen))
        await seen.see("Go on?")


async def test_a_row_that_is_about_no_run_opens_none(tmp_path: Path) -> None:
    """And its key is grey."""
    async with monitor(tmp_path, prepare=_fill_acts, clock=FixedClock(NOW)) as seen:
        seen.app.tell("something was said", Tone.FAILED)
        await seen.press("6")
        await seen.see("something was said", "This monitor", "⊘ skip asked", "regions[red]: ")
        await seen.press("g", "enter", "o")
        assert isinstance(seen.app.screen, ActivityScreen)
        assert not seen.app.screen.applies("open_row")


# -- what was removed -------------------------------------------------------------------------


def _removal(number: int, **told: object) -> Removal:
    """Return a removal that took place *number* seconds after another."""
    row = Removal(
        number=number,
        run_id=RunId(f"run{number}"),
        workflow="deploy",
        status=RunStatus.FAILED,
        ended_at=1.0,
        at=1000.0 + number,
        by=CLEAN_UP,
        why="ended 9 days ago, more than 7 days",
    )
    return row.evolve(**told)


def test_a_removal_says_who_and_why_and_how_many_went() -> None:
    """Of one that was named there is no reason but that somebody wanted it."""
    [limited] = removed([_removal(1, runs=5)])
    [named] = removed([_removal(1, by="ana", why="", status=RunStatus.CANCELLED)])

    assert (limited.sign.word, limited.by, limited.workflow) == ("removed", "clean-up", "deploy")
    assert limited.details == "a run that had failed with 4 below it; ended 9 days ago, more than 7 days"
    assert (named.by, named.details, named.run_id) == ("ana", "a run that was cancelled", "run1")
    assert happening_line(named, 2000.0).pieces[1].text == "× removed"  # noqa: RUF001 - the sign is meant


def test_what_went_together_is_one_row() -> None:
    """A clean-up of a thousand runs must not push everything else off the list; it keeps its row while it goes on."""
    many = [_removal(n, runs=2, why=f"ended {n} days ago") for n in range(120, 0, -1)]
    later = _removal(900, workflow="deploy")
    [apart, together] = removed([later, *many])
    [earlier] = removed(many[50:])

    assert apart.gone == (RunId("run900"),)
    assert together.run_id is None
    assert (together.key, together.at) == (earlier.key, 1120.0)
    assert together.details == (
        "120 runs (120 failed) with 120 below them; ended 120 days ago; ended 119 days ago; and 118 more such reasons"
    )
    assert together.gone[:2] == (RunId("run120"), RunId("run119"))
    shown = [line.text for line in happening_preview(together, 2000.0)]
    assert "Nothing is left of them." in shown
    assert "  … 80 more" in shown


def test_what_different_people_removed_is_not_told_as_one() -> None:
    """Nor that of different workflows."""
    others = removed([_removal(3, by="ana"), _removal(2), _removal(1, workflow="etl"), _removal(0, by="ana")])

    assert [(it.by, it.workflow, len(it.gone)) for it in others] == [
        ("ana", "deploy", 2),
        (CLEAN_UP, "deploy", 1),
        (CLEAN_UP, "etl", 1),
    ]


async def test_a_removed_run_is_told_and_says_that_it_is_gone(tmp_path: Path) -> None:
    """Between all else that happened; opened, it says so, and no error comes. It can be found by its id."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        gone = await seen.start(ENDS)
        await seen.ask(lambda session: session.executor.settle(gone))
        kept = await seen.start(GATE)
        await seen.press("6")
        await seen.see("✓ succeeded", gone[:6])
        await seen.ask(lambda session: session.executor.remove_run(gone, by="ben"))
        await seen.see("× removed", "a run that had suc")  # noqa: RUF001 - the sign is meant

        await seen.unsee("✓ succeeded")
        await seen.see(kept[:6])
        await seen.press("slash", *f"run:{gone}", "enter")
        await seen.see("1 of 2", "Nothing is left of it.")
        await seen.press("enter")
        await seen.see(f"run {gone} was removed by ben: nothing is left to be opened")
        assert isinstance(seen.app.screen, ActivityScreen)
        assert not seen.app.screen.applies("open_row")
        assert seen.app.screen.command_line() == ""
        await seen.press("y")
        await seen.until(lambda: seen.app.clipboard == gone)
        await seen.press("Y")
        await seen.see("copied 1 row as JSON")
        assert msgspec.json.decode(seen.app.clipboard)["removed_run_ids"] == [gone]
        await seen.press("escape", "slash", *"what:removed by:ben", "enter")
        await seen.see("1 of")
