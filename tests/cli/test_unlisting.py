"""`tidegate checkpoints delete`: what goes from the list, what stays, and what is cancelled for it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

import tidegate as embedded
from cli.calling import Tidegate
from tidegate.errors import CheckpointInUse, CheckpointPinned

T = TypeVar("T")

GATE = """
    name: gate
    blocks:
      - {id: first, type: Shell, inputs: {command: "true"}}
      - {id: ask, type: ConfirmOperation, depends_on: [first], inputs: {message: "Go?", operation: x}}
      - {id: which, type: GetInput, depends_on: [first], inputs: {prompt: "Which?"}}
      - {id: after, type: Shell, depends_on: [ask], inputs: {command: "echo after >> done.txt"}}
      - {id: tidy, type: Shell, depends_on: [after], always: true, inputs: {command: "echo tidy >> done.txt"}}
"""


def marks_of(tidegate: Tidegate, run_id: str) -> dict[str, str]:
    """Return the checkpoints that are listed: which each is the one of, by id."""
    marks = tidegate.call("checkpoints", "list", "--run", run_id, "--json").document["checkpoints"]
    return {mark["checkpoint_id"]: mark["block"] or mark["kind"] for mark in marks}


def waiting(tidegate: Tidegate) -> tuple[str, str, str, str]:
    """Run it until it asks; return the run, the checkpoints of its two questions, and that of a wave."""
    (run_id,) = tidegate.runs_of(GATE, {})
    marks = {what: mark for mark, what in marks_of(tidegate, run_id).items()}
    return run_id, marks["ask"], marks["which"], marks["wave"]


def events_of(tidegate: Tidegate, run_id: str) -> int:
    """Return how many events a run has; they must be as they were written."""
    assert tidegate.call("checkpoints", "verify", run_id).code == 0
    return int(tidegate.call("checkpoints", "show", run_id, "--json").document["seq"])


def test_a_checkpoint_goes_from_the_list_and_its_run_stays_as_it_is(tidegate: Tidegate) -> None:
    """By the beginning of its id; nothing without a yes, and nothing in a dry run."""
    run_id, ask, which, wave = waiting(tidegate)
    before = events_of(tidegate, run_id)

    unsaid, none = tidegate.together(["checkpoints", "delete", wave], ["checkpoints", "delete", "-y"])
    dry = tidegate.call("checkpoints", "delete", wave, "--dry-run")
    assert (unsaid.code, none.code, dry.code) == (2, 2, 0)
    assert "nothing was removed: say --yes, or --dry-run" in unsaid.err
    assert f"goes  {wave}  wave  gate" in dry.out
    assert dry.out.endswith("1 checkpoint(s) would be taken off the list.\n")
    assert set(marks_of(tidegate, run_id)) == {ask, which, wave}

    done = tidegate.call("checkpoints", "delete", wave[:9], wave, "-y")
    again = tidegate.call("checkpoints", "delete", wave, "-y")

    assert (done.code, again.code) == (0, 7)
    assert done.out.endswith("1 checkpoint(s) were taken off the list.\n")
    assert set(marks_of(tidegate, run_id)) == {ask, which}
    assert events_of(tidegate, run_id) == before
    assert tidegate.call("checkpoints", "show", f"{run_id}@2").code == 0


def test_the_checkpoint_of_an_open_question_stays(tidegate: Tidegate) -> None:
    """As through MCP and in a program, with the same words; what can go, goes; an unknown one stops all of it."""
    run_id, ask, which, wave = waiting(tidegate)

    unknown = tidegate.call("checkpoints", "delete", wave, "chk_bcdfghjk2345", "-y")
    assert unknown.code == 7
    assert wave in marks_of(tidegate, run_id)
    planned = tidegate.call("checkpoints", "delete", ask, wave, "--dry-run", "--json").document
    done = tidegate.call("checkpoints", "delete", ask, wave, "-y", "--json")

    assert done.code == 6
    assert {**planned, "dry_run": False} == done.document
    assert (done.document["removed"], done.document["kept"], done.document["cancelled"]) == (1, 1, [])
    kept, gone = done.document["checkpoints"]
    assert (kept["checkpoint_id"], kept["goes"]) == (ask, False)
    assert kept["why"].endswith(f"answer it, or cancel run {run_id}, first")
    assert (gone["checkpoint_id"], gone["goes"]) == (wave, True)
    with pytest.raises(CheckpointInUse, match=kept["why"]):
        _in_a_program(tidegate, lambda gate: gate.delete_checkpoint(ask))
    assert set(marks_of(tidegate, run_id)) == {ask, which}
    assert tidegate.call("answer", ask, "yes", "--no-wait").code in (0, 3)
    assert tidegate.call("checkpoints", "delete", ask, "-y").code == 0


def test_an_open_question_goes_together_with_a_cancel_that_is_asked_for(tidegate: Tidegate) -> None:
    """Once for all questions of a run, as `runs cancel` does it: what runs `always` still runs."""
    run_id, ask, which, _ = waiting(tidegate)

    dry = tidegate.call("checkpoints", "delete", ask, which, "--cancel", "--dry-run")
    assert "2 checkpoint(s) would be taken off the list, 1 run(s) would be cancelled.\n" in dry.out
    assert tidegate.call("runs", "show", run_id, "--json").document["status"] == "paused"
    done = tidegate.call("checkpoints", "delete", ask, which, "--cancel", "-y", "--by", "bea", "--json")

    assert done.code == 0
    assert done.document["cancelled"] == [run_id]
    assert [mark["cancels"] for mark in done.document["checkpoints"]] == [True, True]
    run = tidegate.call("runs", "show", run_id, "--json").document
    assert run["status"] == "cancelled"
    assert run["reason"] == f"cancelled by bea: its checkpoint {ask} was deleted"
    assert {ask, which}.isdisjoint(marks_of(tidegate, run_id))
    assert (tidegate.folder / "done.txt").read_text() == "tidy\n"
    assert tidegate.call("inbox", "--json").document["total"] == 0
    assert tidegate.call("checkpoints", "verify").code == 0


def test_a_pinned_one_stays_and_nothing_is_cancelled_for_it(tidegate: Tidegate) -> None:
    """Until it is unpinned, whatever is asked for."""
    run_id, ask, _, wave = waiting(tidegate)
    for mark in (ask, wave):
        tidegate.call("checkpoints", "pin", mark)

    done = tidegate.call("checkpoints", "delete", ask, wave, "--cancel", "-y")

    assert done.code == 6
    assert f"`tidegate checkpoints unpin {ask}` first" in done.out
    assert done.out.endswith("Nothing was removed.\n")
    with pytest.raises(CheckpointPinned):
        _in_a_program(tidegate, lambda gate: gate.delete_checkpoint(ask, cancel=True))
    assert tidegate.call("runs", "show", run_id, "--json").document["status"] == "paused"
    assert {ask, wave} <= set(marks_of(tidegate, run_id))


def test_a_person_is_asked_first_and_told_what_is_cancelled(tidegate: Tidegate) -> None:
    """Anything but a yes does nothing."""
    run_id, ask, _, _ = waiting(tidegate)
    words = ("checkpoints", "delete", ask, "--cancel")

    no = tidegate.at_terminal(*words, typed=["n\n"], ready="[y/N]: ")
    assert no.code == 130
    assert tidegate.call("runs", "show", run_id, "--json").document["status"] == "paused"
    yes = tidegate.at_terminal(*words, typed=["y\n"], ready="[y/N]: ")

    assert f"Take 1 checkpoint(s) off the list, and cancel run {run_id} for good?" in yes.out
    assert yes.code == 0
    assert tidegate.call("runs", "show", run_id, "--json").document["status"] == "cancelled"


def test_a_program_may_ask_for_the_cancel(tidegate: Tidegate) -> None:
    """Nothing is cancelled for a checkpoint of something else; it returns once the run has ended."""
    run_id, ask, _, wave = waiting(tidegate)

    async def work(gate: embedded.Tidegate) -> list[str]:
        await gate.delete_checkpoint(wave, cancel=True)
        before = (await gate.get_run(run_id)).status
        await gate.delete_checkpoint(ask, cancel=True, by="cy")
        return [before, (await gate.get_run(run_id)).status]

    assert _in_a_program(tidegate, work) == ["paused", "cancelled"]
    assert {ask, wave}.isdisjoint(marks_of(tidegate, run_id))
    assert "cancelled by cy" in tidegate.call("runs", "show", run_id).out


def _in_a_program(tidegate: Tidegate, work: Callable[[embedded.Tidegate], Awaitable[T]]) -> T:
    async def go() -> T:
        async with embedded.open(tidegate.store) as gate:
            return await work(gate)

    return asyncio.run(go())
