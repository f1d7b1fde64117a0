"""Secrets in runs: a block gets what they are, and nothing else of Tidegate does."""

import base64
import hashlib
import json
from collections.abc import AsyncIterator, Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest

from blocks.web import Reply, serve
from handing import Hands
from running import World, definition_of, status_of, world
from tidegate.blocks.base import BlockContext, Completed, Failed, Mark
from tidegate.blocks.registry import BUILTIN
from tidegate.model.events import Failure
from tidegate.model.ids import BlockId
from tidegate.model.policy import FailureKind
from tidegate.model.state import BlockStatus, RunState
from tidegate.store.values import load_values

VALUE = "pl4nted/sec\"ret 'é&"
DIGEST = hashlib.sha256(VALUE.encode()).hexdigest()


@pytest.fixture
async def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[World]:
    """A real store in a file, and a secret in the environment of the process that drives."""
    monkeypatch.setenv("PLANTED", VALUE)
    async with world(
        tmp_path, f"sqlite:///{tmp_path}/store.db", blocks={**BUILTIN, "Hands": Hands()}
    ) as opened:
        yield opened


async def kept(ground: World, state: RunState) -> str:
    """Return everything that the store has of a run, as text."""
    events = msgspec.json.encode(await ground.events(state.run_id)).decode()
    outputs = [
        b"".join(chunk.data for chunk in await ground.store.read_output(state.run_id, block, attempt))
        for block in state.graph.blocks
        for attempt in range(1, state.block(block).attempt + 1)
    ]
    values = await load_values(ground.store, [state.block(block).outputs for block in state.graph.blocks])
    data = b"".join(path.read_bytes() for path in ground.folder.glob("store.db*"))
    parts = (
        events,
        json.dumps(list(values), ensure_ascii=False),
        *(output.decode("utf-8", "replace") for output in outputs),
    )
    return "\n".join((*parts, data.decode("latin-1")))


def assert_clean(text: str, value: str = VALUE) -> None:
    """Nothing of *value* is in what was kept, in any form that a test writes."""
    raw = value.encode()
    forms = [value, json.dumps(value)[1:-1], json.dumps(json.dumps(value))[3:-3], repr(value)[1:-1]]
    forms += [
        raw.decode("latin-1"),
        json.dumps(value, ensure_ascii=False)[1:-1],
        base64.b64encode(raw).decode(),
        base64.b64encode(raw + b"\n").decode()[:-4],
    ]
    assert not [form for form in forms if form in text]


def failure_of(state: RunState, block: str) -> Failure:
    """Return why a block failed."""
    failure = state.block(BlockId(block)).failure
    assert failure is not None
    return failure


FLOW = """
name: planted
schedule: eager
secrets: [PLANTED]
blocks:
  - id: show
    type: Shell
    on_failure: continue
    inputs:
      command: |
        printf '%s' "$T" | sha256sum > shown
        echo "plain $T"; printf '%s' "$T" | base64; printf 'x-token: %s' "$T" >&2
        printf '\\ncannot use %s' "$T" >&2
        exit 3
      env: {T: "${secrets.PLANTED}"}
  - {id: env, type: Shell, inputs: {command: "env"}}
  - id: again
    type: Shell
    depends_on: [show]
    inputs: {command: "sha256sum > again", stdin: "${secrets.PLANTED}"}
  - id: each
    type: Shell
    depends_on: [show]
    for_each: ["${show.stdout}", "${show.stderr}"]
    inputs: {command: 'printf %s "${item}"'}
  - {id: ask, type: ConfirmOperation, depends_on: [show], inputs: {message: "Go with ${show.stdout}?"}}
  - {id: file, type: Shell, depends_on: [show], inputs: {command: 'printf %s "$T" > written', env: {T: "${secrets.PLANTED}"}}}
  - {id: cat, type: Shell, depends_on: [file], inputs: {command: cat written}, outputs: {said: "it said ${cat.stdout}"}}
  - id: seen
    type: ConfirmOperation
    depends_on: [file]
    inputs: {message: "Go?", show: [{title: it, file: written}]}
outputs: {all: ["${show.stdout}", "${cat.said}"]}
"""


async def test_a_secret_reaches_its_block_and_is_kept_nowhere(ground: World) -> None:
    """Printed, encoded, in an error, through outputs, items and questions, and by a block that it was not given to."""
    run_id = await ground.start(FLOW)
    await ground.rest(run_id)
    ask = await ground.pause_of(run_id, "ask")
    seen = await ground.pause_of(run_id, "seen")
    await ground.answer(run_id, "ask", "yes")
    await ground.answer_and_rest(run_id, "seen", "yes")
    state = await ground.history.state(run_id)

    assert (ground.folder / "shown").read_text().startswith(DIGEST)
    assert (ground.folder / "again").read_text().startswith(DIGEST)
    assert failure_of(state, "show").message == "exit code 3: cannot use [secret PLANTED]"
    assert "plain [secret PLANTED]" in ask.prompt.text
    assert "[secret PLANTED]" in msgspec.json.encode(seen.prompt).decode()
    assert status_of(state, "cat") is BlockStatus.SUCCEEDED
    text = await kept(ground, state)
    assert_clean(text)
    assert "PLANTED=" not in text


MISSING = """
name: missing
secrets: {T: {env: NOT_PLANTED}, P: {env: PLANTED}}
blocks:
  - id: use
    type: Shell
    retry: {max_attempts: 3, delay: 0.01}
    inputs: {command: 'echo "$A" >> began', env: {A: "${secrets.T} ${secrets.P}"}}
"""


async def test_a_missing_secret_names_itself_and_is_read_again(
    ground: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything starts; it is not tried again by itself, and resumed once the secret is there."""
    state = await ground.run(MISSING)

    assert failure_of(state, "use").kind is FailureKind.INPUTS
    assert failure_of(state, "use").message == (
        "secret 'T' is missing: the environment variable NOT_PLANTED is not set in the process that drives the run"
    )
    assert state.block(BlockId("use")).attempt == 1
    assert not (ground.folder / "began").exists()

    monkeypatch.setenv("NOT_PLANTED", "now it is here")
    await ground.executor.resume(state.run_id, by="ana")
    await ground.rest(state.run_id)

    assert (ground.folder / "began").read_text() == f"now it is here {VALUE}\n"
    assert_clean(await kept(ground, await ground.history.state(state.run_id)))


WORK = """
import sys
def work(context, secret, how):
    context.progress(0.5, f"with {secret}")
    print("printed", secret)
    if how == "raise":
        raise ValueError(f"not with {secret}")
    if how == "key":
        context.step(f"step {secret}", len, secret)
    context.step("one", lambda: {secret: [secret]})
    context.state["mine"] = secret
    context.checkpoint(f"at {secret}", what=secret)
    return {"list": [secret], secret: 1, "length": len(secret)}
"""


@pytest.mark.parametrize("how", ["return", "raise", "key"])
async def test_what_a_function_hands_over_is_masked(ground: World, how: str) -> None:
    """Its result, state, steps, marks, progress, output and error; a step is not named by a secret."""
    (ground.folder / "job.py").write_text(WORK)
    state = await ground.run(f"""
        name: w
        secrets: [PLANTED]
        blocks:
          - {{id: a, type: Python, inputs: {{callable: "job:work", args: {{secret: "${{secrets.PLANTED}}", how: {how}}}}}}}
        """)
    text = await kept(ground, state)

    assert_clean(text)
    if how == "return":
        assert status_of(state, "a") is BlockStatus.SUCCEEDED
        assert '"list":["[secret PLANTED]"],"[secret PLANTED]":1,"length":19' in text
        assert "at [secret PLANTED]" in text
        assert "with [secret PLANTED]" in text
    else:
        told = {"raise": "ValueError: not with [secret PLANTED]", "key": "the key of a step holds a secret"}
        assert told[how] in failure_of(state, "a").message


async def test_a_server_gets_it_and_its_echo_is_masked(
    ground: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a header and in the body."""
    monkeypatch.setenv("PLANTED", "planted-in-headers")
    with serve() as web:
        web.replies["/x"] = lambda asked: Reply(
            401, f"no: {asked.headers['authorization']}".encode() + asked.body
        )
        state = await ground.run(f"""
            name: w
            secrets: [PLANTED]
            blocks:
              - id: a
                type: HttpCall
                inputs:
                  url: {web.url}/x
                  method: POST
                  headers: {{Authorization: "Bearer ${{secrets.PLANTED}}"}}
                  json: {{token: "${{secrets.PLANTED}}"}}
            """)

    (asked,) = web.asked
    assert asked.headers["authorization"] == "Bearer planted-in-headers"
    assert asked.body == b'{"token":"planted-in-headers"}'
    assert status_of(state, "a") is BlockStatus.FAILED
    text = await kept(ground, state)
    assert "no: Bearer [secret PLANTED]" in text
    assert_clean(text, "planted-in-headers")


async def test_what_was_cut_off_is_masked(ground: World) -> None:
    """A command that is stopped in the middle of a secret, and one whose output is longer than what is kept."""
    state = await ground.run("""
        name: w
        secrets: [PLANTED]
        blocks:
          - id: stopped
            type: Shell
            timeout: 1
            on_failure: continue
            inputs: {command: 'printf "half %.12s" "$T"; sleep 60', env: {T: "${secrets.PLANTED}"}}
          - id: long
            type: Shell
            inputs:
              command: 'n=0; while [ $n -lt 20000 ]; do printf "%s, " "$T"; n=$((n+1)); done'
              env: {T: "${secrets.PLANTED}"}
        """)
    text = await kept(ground, state)

    assert "half [secret PLANTED]" in text
    assert "bytes left out" in text
    assert_clean(text)
    assert VALUE[:12] not in text.replace('\\"', '"')


ODD: Any = Decimal(1)


def mark_it(context: BlockContext) -> Completed:
    """Ask for a checkpoint that cannot be taken."""
    context.marks.append(Mark(VALUE, {VALUE: [VALUE, ODD]}))
    return Completed()


def set_it(context: BlockContext) -> Completed:
    """Set the run's state."""
    context.state[VALUE] = [VALUE]
    return Completed({"deep": [[VALUE]]})


HANDED: list[Callable[[BlockContext], Any]] = [
    lambda _: Completed({f"a {VALUE}": ODD}),
    lambda _: Completed({"a": {VALUE: ODD}}),
    lambda _: Failed(Failure(kind=FailureKind.ERROR, message=f"{VALUE[:12]}..."), {VALUE: VALUE, "b": ODD}),
    mark_it,
    set_it,
]


@pytest.mark.parametrize("work", HANDED)
async def test_whatever_a_block_hands_over_is_masked(
    ground: World, work: Callable[[BlockContext], Any]
) -> None:
    """Also what no journal takes, and is told why."""
    async with world(
        ground.folder, f"sqlite:///{ground.folder}/other.db", blocks={**BUILTIN, "Shell": Hands(work)}
    ) as made:
        state = await made.run(
            definition_of(f"name: w\nsecrets: [PLANTED]\n{BLOCK}", working_dir=ground.folder)
        )
        events = msgspec.json.encode(await made.events(state.run_id)).decode()

    assert state.block(BlockId("a")).status in {BlockStatus.SUCCEEDED, BlockStatus.FAILED}
    assert_clean(events)
    assert VALUE[:12] not in events.replace('\\"', '"')


BLOCK = "blocks: [{id: a, type: Shell, inputs: {command: ls}}]"


async def test_a_called_workflow_has_secrets_of_its_own(ground: World) -> None:
    """It sees nothing of its caller, secrets included, and reads its own."""
    child = definition_of(
        """
        name: child
        secrets: [PLANTED]
        blocks:
          - {id: use, type: Shell, inputs: {command: 'printf %s "$T" | tee used', env: {T: "${secrets.PLANTED}"}}}
        outputs: {said: "${use.stdout}"}
        """,
        working_dir=ground.folder,
    )
    (ground.folder / "child.yaml").write_text("name: child\nblocks: []\n")
    parent = definition_of(f"name: parent\n{BLOCK}", working_dir=ground.folder)
    (block,) = parent.blocks
    call = block.evolve(type="ExecuteWorkflow", inputs={"workflow": "child.yaml"})
    state = await ground.run(parent.evolve(blocks=(call,), children={"child.yaml": child}))

    assert status_of(state, "a") is BlockStatus.SUCCEEDED
    assert (ground.folder / "used").read_text() == VALUE
    assert_clean(await kept(ground, state))
