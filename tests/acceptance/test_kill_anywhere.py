"""H1: one workflow with every kind of block, killed at every commit; it ends as if nothing had happened.

`TIDEGATE_KILL_EVERYWHERE=1` kills it at each commit of the parent and of its child, right before it
and right after it; otherwise at every eighth of these instants.
"""

import os
import random
from functools import partial
from pathlib import Path

import pytest

from aftermath import answer_open, check_books, lines, result_of, to_the_end, tree
from lives import Fate, carry_on, life, living, play, told, url_of
from running import world
from tidegate.model.listing import PauseRow
from tidegate.model.prompt import RecoveryPrompt

EVERYTHING = """
name: everything
inputs: {who: {type: string, default: ana}}
blocks:
  - {id: shell, type: Shell, inputs: {command: "echo shell >> log; echo hello ${who}"}}
  - id: python
    type: Python
    depends_on: [shell]
    inputs: {callable: "effects:note", args: {name: python}}
  - {id: file, type: WriteFile, depends_on: [shell], inputs: {path: note.txt, content: "one\\n", mode: append}}
  - {id: moment, type: Wait, depends_on: [shell], inputs: {duration: 100ms}}
  - id: each
    type: Shell
    depends_on: [python, file, moment]
    for_each: {items: [red, green, blue], max_parallel: 2}
    inputs: {command: "echo each-${item} >> log; echo ${item}"}
  - id: turn
    type: Shell
    depends_on: [python]
    effect: idempotent
    loop: {until: "${turn.result} >= 2", max_iterations: 5, delay: 50ms}
    inputs: {command: "echo turn${index} $TIDEGATE_IDEMPOTENCY_KEY >> again; echo ${index}", parse: json}
  - id: flaky
    type: Shell
    depends_on: [python]
    effect: idempotent
    retry: {max_attempts: 3, delay: 50ms}
    inputs: {command: "echo flaky $TIDEGATE_IDEMPOTENCY_KEY >> again; test -e flag || { touch flag; exit 1; }"}
  - {id: part, type: ExecuteWorkflow, depends_on: [each], inputs: {workflow: part, inputs: {who: "${who}"}}}
  - {id: gate, type: ConfirmOperation, depends_on: [part, turn, flaky], inputs: {message: "Ship ${part.said}?"}}
  - {id: ship, type: Shell, depends_on: [gate], inputs: {command: "echo ship >> log"}}
  - {id: clean, type: Shell, always: true, depends_on: [ship], inputs: {command: "echo clean >> log"}}
outputs: {said: "${part.said}", items: "${each.results}", turns: "${turn.iterations}", shipped: "${ship.success}"}
"""
PART = """
name: part
inputs: {who: {type: string}}
blocks:
  - {id: ask, type: GetInput, inputs: {prompt: "And you, ${who}?"}}
  - {id: tell, type: Shell, depends_on: [ask], inputs: {command: "echo tell >> log; echo ${ask.input_value}"}}
outputs: {said: "${ask.input_value}"}
"""
EFFECTS = """
def note(name):
    with open("log", "a") as log:
        log.write(name + "\\n")
    return name
"""
OUTPUTS = {
    "shell": '{"stdout": "hello ana"}',
    "python": '{"result": "python"}',
    "tell": '{"stdout": "fine"}',
    "file": '{"bytes": 4, "sha256": "2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806"}',
    **{f"each[{colour}]": f'{{"stdout": "{colour}"}}' for colour in ("red", "green", "blue")},
}
"""What a person who marks a block as done says that it gave."""
ONCE = ["shell", "python", "each-red", "each-green", "each-blue", "tell", "ship", "clean"]
"""What the blocks with an outside effect write, each one line."""
ANSWERS = {"ask": "fine", "gate": "yes"}
STRIDE = 1 if os.environ.get("TIDEGATE_KILL_EVERYWHERE") else 8


def prepare(folder: Path) -> None:
    """Lay out the files of the workflow."""
    folder.mkdir(exist_ok=True)
    (folder / "everything.yaml").write_text(EVERYTHING)
    (folder / "part.yaml").write_text(PART)
    (folder / "effects.py").write_text(EFFECTS)


def answer_in(folder: Path, pause: PauseRow) -> str:
    """Answer as a person does who looks at what a cut-off block has left behind."""
    if not isinstance(pause.prompt, RecoveryPrompt):
        return ANSWERS[pause.block]
    trace = pause.block.replace("[", "-").replace("]", "")
    was_done = trace in lines(folder / "log") or (trace == "file" and (folder / "note.txt").exists())
    return f"done {OUTPUTS.get(pause.block, '')}" if was_done else "rerun"


async def finish(folder: Path) -> dict[str, object]:
    """Bring the run to its end; return what it came to, once what it did outside is found right."""
    await to_the_end(folder, partial(answer_in, folder))
    async with world(folder, url_of(folder)) as ground:
        await check_books(ground)
        rows = await tree(ground)
        results: dict[str, object] = {row.path: await result_of(ground, row.run_id) for row in rows}
    assert sorted(lines(folder / "log")) == sorted(ONCE)
    assert lines(folder / "note.txt") == ["one"]
    keys = {tuple(line.split()) for line in lines(folder / "again")}
    assert sorted(name for name, _ in keys) == ["flaky", "turn0", "turn1", "turn2"]
    return results


@pytest.mark.timeout(900)
async def test_a_run_ends_the_same_wherever_its_process_is_killed(tmp_path: Path) -> None:
    """Each effect happens once, or a person was asked; end, outputs and blocks are those of an undisturbed run."""
    prepare(tmp_path / "undisturbed")
    errand = partial(play, file="everything.yaml", answers=ANSWERS)
    with living(tmp_path / "undisturbed", errand) as process:
        commits = told(tmp_path / "undisturbed", process)
    expected = await finish(tmp_path / "undisturbed")

    instants = [(commit, after) for commit in range(1, commits + 1) for after in (False, True)][1::STRIDE]
    killed = 0
    for commit, after in instants:
        folder = tmp_path / f"{commit}-{'after' if after else 'before'}"
        prepare(folder)
        killed += not life(folder, errand, fate=Fate(commit, after=after))
        assert await finish(folder) == expected, (commit, after)
    assert killed >= len(instants) - 2, "commits may fall together, but not many"


@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", range(20 if STRIDE == 1 else 2))
async def test_a_run_ends_the_same_however_often_its_processes_are_killed(tmp_path: Path, seed: int) -> None:
    """Who goes on after a kill is killed, too, at random commits, a dozen times."""
    prepare(tmp_path / "undisturbed")
    errand = partial(play, file="everything.yaml", answers=ANSWERS)
    assert life(tmp_path / "undisturbed", errand)
    expected = await finish(tmp_path / "undisturbed")

    folder, chance = tmp_path / "disturbed", random.Random(seed)  # noqa: S311 - the same instants each time
    prepare(folder)
    assert not life(folder, errand, fate=Fate(chance.randint(2, 8)))
    for _ in range(12):
        life(folder, carry_on, fate=Fate(chance.randint(1, 6), after=chance.random() < 0.5))
        async with world(folder, url_of(folder)) as ground:
            await answer_open(ground, partial(answer_in, folder))
    assert await finish(folder) == expected
