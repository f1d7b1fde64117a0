"""H1: one workflow with every kind of block, killed at every commit; it ends as if nothing had happened.

At full size it is killed at each commit of the parent and of its child, right before it and right after it;
otherwise at some of these instants.
"""

import random
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from aftermath import answer_open, check_books, lines, result_of, to_the_end, tree
from lives import Errand, Fate, carry_on, life, living, play, told, url_of
from running import world
from sizes import FULL, some_of
from tidegate.blocks.registry import BUILTIN
from tidegate.model.listing import PauseRow
from tidegate.model.prompt import RecoveryPrompt
from witness import answered, witness

EVERYTHING = """
name: everything
inputs: {who: {type: string, default: ana}, url: {type: string}}
blocks:
  - {id: shell, type: Shell, inputs: {command: "echo shell >> log; echo hello ${who}"}}
  - {id: get, type: HttpCall, inputs: {url: "${url}/get", trust_env: false}}
  - {id: letter, type: Template, inputs: {template: "LONG, ${who}"}}
  - id: python
    type: Python
    depends_on: [shell]
    inputs: {callable: "effects:note", args: {name: python}}
  - id: charge
    type: Python
    depends_on: [letter]
    effect: idempotent
    inputs: {callable: "effects:charge", args: {customers: [c1, c2]}}
  - {id: post, type: HttpCall, depends_on: [get], inputs: {method: POST, url: "${url}/post", trust_env: false}}
  - {id: file, type: WriteFile, depends_on: [shell], inputs: {path: note.txt, content: "one\\n", mode: append}}
  - {id: moment, type: Wait, depends_on: [shell], inputs: {duration: 100ms}}
  - {id: read, type: ReadFile, depends_on: [file], inputs: {path: note.txt, parse: lines}}
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
  - {id: shaky, type: Shell, depends_on: [python], on_failure: pause, inputs: {command: "echo shaky >> log; exit 3"}}
  - {id: part, type: ExecuteWorkflow, depends_on: [each], inputs: {workflow: part, inputs: {who: "${who}"}}}
  - {id: pick, type: AskChoice, depends_on: [each], inputs: {question: "Where?", choices: [here, there]}}
  - id: form
    type: AskForm
    depends_on: [each]
    inputs: {fields: [{id: size, label: Size, choices: [small, large]}, {id: n, label: N, input_type: integer}]}
  - id: gate
    type: ConfirmOperation
    depends_on: [part, pick, form, turn, flaky, shaky]
    inputs: {message: "Ship ${part.said} ${pick.choice}?"}
  - id: ship
    type: Shell
    depends_on: [gate]
    checkpoint: {label: "shipped ${form.values.size}", metadata: {n: "${form.values.n}"}}
    inputs: {command: "echo ship >> log"}
  - {id: clean, type: Shell, always: true, depends_on: [ship], inputs: {command: "echo clean >> log"}}
outputs:
  said: "${part.said}"
  items: "${each.results}"
  turns: "${turn.iterations}"
  shipped: "${ship.success}"
  charged: "${state.charged}"
  read: "${read.result}"
  where: "${pick.choice}"
  form: "${form.values}"
""".replace("LONG", "Dear " * 4_000)
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


def charge(customers, context):
    for customer in customers:
        context.step(customer, bill, customer, context.idempotency_key)
        context.progress(0.5, customer)
    context.state["charged"] = customers
    context.checkpoint("charged", customers=len(customers))
    return customers


def bill(customer, key):
    with open("again", "a") as log:
        log.write(f"{customer} {key}\\n")
    return customer
"""
OUTPUTS = {
    "shell": '{"stdout": "hello ana"}',
    "python": '{"result": "python"}',
    "post": answered(),
    "tell": '{"stdout": "fine"}',
    "file": '{"bytes": 4, "sha256": "2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806"}',
    **{f"each[{colour}]": f'{{"stdout": "{colour}"}}' for colour in ("red", "green", "blue")},
}
"""What a person who marks a block as done says that it gave."""
ONCE = ["shell", "python", "post", "each-red", "each-green", "each-blue", "shaky", "tell", "ship", "clean"]
"""What the blocks with an outside effect write, each one line."""
AGAIN = ["c1", "c2", "flaky", "turn0", "turn1", "turn2"]
"""What those may write again that are safe to repeat, under the key that they had."""
ANSWERS = {
    "ask": "fine",
    "pick": "there",
    "form": '{"size": "large", "n": 3}',
    "gate": "yes",
    "shaky": "done",
}

ENOUGH = 6
"""At full size: when so many processes, one after the other, came to their end before their commit, all are done."""

Place = Callable[[str], Path]
"""Lays out the workflow in a folder of this name; returns it."""


@pytest.fixture(params=["database", "directory"])
def place(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Place]:
    """Folders in which the workflow can be run, with either kind of store, and a server that its calls reach."""
    with witness(tmp_path) as url:

        def lay_out(name: str) -> Path:
            folder = tmp_path / name
            folder.mkdir()
            if request.param == "directory":
                (folder / "history").mkdir()
            (folder / "everything.yaml").write_text(EVERYTHING)
            (folder / "part.yaml").write_text(PART)
            (folder / "effects.py").write_text(EFFECTS)
            (folder / "url").write_text(f"{url}/{name}")
            return folder

        yield lay_out


def errand_in(folder: Path) -> Errand:
    """Return what the first process does."""
    return partial(
        play, file="everything.yaml", answers=ANSWERS, inputs={"url": (folder / "url").read_text()}
    )


def answer_in(folder: Path, pause: PauseRow) -> str:
    """Answer as a person does who looks at what a cut-off block has left behind."""
    if not isinstance(pause.prompt, RecoveryPrompt) or pause.prompt.failure:
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
    assert sorted(name for name, _ in keys) == AGAIN
    return results


async def undisturbed(place: Place) -> tuple[int, dict[str, object]]:
    """Run it without a kill; return how many commits that took, and what it came to."""
    folder = place("undisturbed")
    with living(folder, errand_in(folder)) as process:
        commits = told(folder, process)
    return commits, await finish(folder)


def test_every_type_of_block_is_in_it() -> None:
    """A new type has to be added to the workflow that is killed."""
    assert {name for name in BUILTIN if f"type: {name}" not in EVERYTHING + PART} == set()


@pytest.mark.timeout(3600)
async def test_a_run_ends_the_same_wherever_its_process_is_killed(
    place: Place, request: pytest.FixtureRequest, record_property: Callable[[str, object], None]
) -> None:
    """Each effect happens once, or a person was asked; end, outputs and blocks are those of an undisturbed run."""
    commits, expected = await undisturbed(place)
    assert {status for status, _ in parts_of(expected)} == {"succeeded"}
    few = some_of(instants_of(commits), 2 if "directory" in request.node.name else 5)
    killed = missed = 0
    for commit, after in instants_of() if FULL else few:
        folder = place(f"{commit}-{'after' if after else 'before'}")
        was_killed = not life(folder, errand_in(folder), fate=Fate(commit, after=after))
        assert await finish(folder) == expected, (commit, after)
        killed, missed = killed + was_killed, 0 if was_killed else missed + 1
        if missed == ENOUGH:
            break
    # Outcomes that come together are one commit: how many there are is not always the same.
    assert killed >= (commits if FULL else len(few) // 2)
    record_property("size", f"{killed} kills in some {commits} commits")


def instants_of(commits: int | None = None) -> list[tuple[int, bool]]:
    """Return right before and right after each commit; without a number, of more than there will be."""
    return [(commit, after) for commit in range(1, (commits or 1_000) + 1) for after in (False, True)][1:]


def parts_of(results: dict[str, object]) -> list[tuple[str, object]]:
    """Return the status and outputs of every place of every run."""
    return [entry for run in results.values() if isinstance(run, dict) for entry in run.values()]


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", range(20 if FULL else 1))
async def test_a_run_ends_the_same_however_often_its_processes_are_killed(
    place: Place, seed: int, record_property: Callable[[str, object], None]
) -> None:
    """Who goes on after a kill is killed, too, at random commits, a dozen times."""
    _, expected = await undisturbed(place)

    folder, chance = place("disturbed"), random.Random(seed)  # noqa: S311 - the same instants each time
    kills = int(not life(folder, errand_in(folder), fate=Fate(chance.randint(2, 8))))
    assert kills
    for _ in range(12):
        fate = Fate(chance.randint(1, 6), after=chance.random() < 0.5)
        kills += not life(folder, carry_on, fate=fate)
        async with world(folder, url_of(folder)) as ground:
            await answer_open(ground, partial(answer_in, folder))
    assert await finish(folder) == expected
    record_property("size", f"{kills} kills of one run")
