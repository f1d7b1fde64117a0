"""Secrets that a person types: blocks get them, no history shows them, and they are forgotten."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from history.porting import exported, imported
from running import World, statuses, world
from tidegate.engine.forks.fork import ForkRequest
from tidegate.engine.forks.preview import Fate
from tidegate.errors import AlreadyAnswered, DefinitionError, InvalidAnswer, PauseClosed
from tidegate.model.answer import Reply
from tidegate.model.events import Origin, PauseAnswered, RunStatus
from tidegate.model.ids import BlockId, Seq
from tidegate.store.keys import Keys, new_key

TYPED = "tiger-4711-lily"
WORKFLOW = """
    name: login
    secrets: {token: {answer: gate}}
    blocks:
      - {id: gate, type: GetInput, inputs: {prompt: "One-time code?", input_type: secret}}
      - id: use
        type: Shell
        depends_on: [gate]
        inputs:
          command: 'printf %s "$TOKEN" > got; echo "have $TOKEN and $TOLD"'
          env: {TOKEN: "${secrets.token}", TOLD: "${gate.input_value}"}
      - {id: next, type: GetInput, depends_on: [use], inputs: {prompt: "On?"}}
      - {id: again, type: Shell, depends_on: [next], inputs: {command: "cat", stdin: "${secrets.token}"}}
    outputs: {said: "${use.stdout}", again: "${again.stdout}"}
"""


@pytest.fixture
async def ground(tmp_path: Path) -> AsyncIterator[World]:
    """A world on a store that is encrypted."""
    async with world(tmp_path, f"sqlite://{tmp_path}/t.db", keys=Keys([new_key()])) as opened:
        yield opened


async def test_it_is_typed_once_and_shown_nowhere(ground: World) -> None:
    """Blocks get it, also later; history, outputs and output have its name in its place; at the end it is gone."""
    run_id = await ground.start(WORKFLOW)
    await ground.rest(run_id)
    pause = await ground.pause_of(run_id, "gate")
    answered = await ground.answer(run_id, "gate", TYPED)
    assert answered.value == "[secret gate]"
    await ground.rest(run_id)
    assert (ground.folder / "got").read_text() == TYPED
    assert await ground.store.secret(pause.pause_id) == TYPED

    state = await ground.answer_and_rest(run_id, "next", "yes")
    assert state.status is RunStatus.SUCCEEDED
    assert state.finished is not None
    assert state.finished.outputs == {
        "said": "have [secret token] and [secret gate]",
        "again": "[secret token]",
    }
    assert await ground.store.secret(pause.pause_id) is None
    chunks = [await ground.store.read_output(run_id, BlockId(block), 1) for block in ("use", "again")]
    told = repr((await ground.events(run_id), state, chunks, await ground.history.answered()))
    assert TYPED not in told
    assert TYPED.encode() not in b"".join(file.read_bytes() for file in ground.folder.glob("t.db*"))


async def test_what_is_refused_is_not_kept_either(ground: World) -> None:
    """Neither what breaks a rule, nor what somebody else says later."""
    run_id = await ground.start(WORKFLOW)
    await ground.rest(run_id)
    pause = await ground.pause_of(run_id, "gate")
    with pytest.raises(InvalidAnswer, match="at least 4 characters"):
        await ground.answer(run_id, "gate", "xyz")
    await ground.answer(run_id, "gate", TYPED)
    with pytest.raises(AlreadyAnswered, match="secret gate"):
        await ground.executor.answer(pause.pause_id, Reply(raw="other-words", by="bea", via="test"))
    told = repr(await ground.events(run_id))
    assert "xyz" not in told
    assert "other-words" not in told


async def test_a_store_that_anybody_can_read_asks_for_none(tmp_path: Path) -> None:
    """The block fails before it asks; in memory nothing is read by anybody."""
    async with world(tmp_path, f"sqlite://{tmp_path}/plain.db", keys=Keys()) as plain:
        run_id = await plain.start(WORKFLOW)
        view = await plain.rest(run_id)
        assert view.status is RunStatus.FAILED
        assert "this store is not encrypted" in view.row.summary.reason
    async with world(tmp_path) as memory:
        run_id = await memory.start(WORKFLOW)
        assert (await memory.rest(run_id)).status is RunStatus.PAUSED


async def test_a_fork_of_what_has_ended_asks_again(ground: World) -> None:
    """As it is forgotten; whoever forks behind the question is told so."""
    run_id = await ground.start(WORKFLOW)
    await ground.rest(run_id)
    await ground.answer_and_rest(run_id, "gate", TYPED)
    await ground.answer_and_rest(run_id, "next", "yes")
    records = await ground.events(run_id)
    behind = next(record.seq for record in records if isinstance(record.event, PauseAnswered))
    late = await ground.executor.fork(
        ForkRequest(Origin(run_id=run_id, seq=records[-1].seq), blocks=(BlockId("use"),)), by="bea"
    )
    view = await ground.rest(late)
    assert "secret 'token' is missing: block 'gate' has asked for it" in view.row.summary.reason
    early = await ground.executor.fork(
        ForkRequest(Origin(run_id=run_id, seq=Seq(behind - 1)), keep_answers=True), by="bea"
    )
    await ground.rest(early)
    assert statuses(await ground.history.state(early))["gate"] == "paused"


async def test_a_fork_says_how_long_a_typed_secret_is_kept(ground: World) -> None:
    """Until the run ends where it was typed; then no longer, and what reads it fails."""
    run_id = await ground.start(WORKFLOW)
    state = await ground.answer_and_rest(run_id, "gate", TYPED)
    request = ForkRequest(Origin(run_id=run_id, seq=state.head))
    until = "secret 'token' is kept only until the run ends in which it was typed (--from gate asks again)"
    assert until in (await ground.executor.preview_fork(request)).warnings
    await ground.answer_and_rest(run_id, "next", "yes")
    gone = "secret 'token' is kept no longer, and 'again' fails without it (--from gate asks again)"
    assert gone in (await ground.executor.preview_fork(request)).warnings
    anew = await ground.executor.preview_fork(ForkRequest(request.origin, blocks=(BlockId("gate"),)))
    assert [it for it in anew.warnings if "secret" in it] == []


async def test_a_fork_in_a_plain_store_says_that_it_cannot_ask_for_a_secret(
    ground: World, tmp_path: Path
) -> None:
    """It would fail at once."""
    run_id = await ground.start(WORKFLOW)
    await ground.answer_and_rest(run_id, "gate", TYPED)
    document = await exported(ground.store, run_id)
    async with world(tmp_path, f"sqlite://{tmp_path}/plain.db", keys=Keys()) as plain:
        await imported(plain.store, document)
        preview = await plain.executor.preview_fork(ForkRequest(Origin(run_id=run_id, seq=Seq(1))))
        gate = preview.blocks[0]
        assert gate.fate is Fate.NOT_RUN
        assert gate.why.startswith("it fails at once: it asks for a secret, and this store is not encrypted")


async def test_a_question_that_came_into_a_plain_store_takes_no_answer(ground: World, tmp_path: Path) -> None:
    """It was asked where answers were safe; here they would be written in the clear."""
    run_id = await ground.start(WORKFLOW)
    await ground.rest(run_id)
    pause = await ground.pause_of(run_id, "gate")
    file = await exported(ground.store, run_id)
    async with world(tmp_path, f"sqlite://{tmp_path}/plain.db", keys=Keys()) as plain:
        await imported(plain.store, file)
        with pytest.raises(PauseClosed, match="this store is not encrypted"):
            await plain.executor.answer(pause.pause_id, Reply(raw=TYPED, by="ana", via="test"))
    assert TYPED.encode() not in b"".join(path.read_bytes() for path in tmp_path.glob("plain.db*"))


FAULTS = [
    ("{answer: gat}", "secret 'token': there is no block 'gat' (did you mean 'gate'?)"),
    (
        "{answer: use}",
        "secret 'token': block 'use' asks for none: it needs type: GetInput and input_type: secret",
    ),
    ("{env: TOKEN}", "nothing gets this secret: add secrets: {NAME: {answer: gate}} to the workflow"),
]


@pytest.mark.parametrize(("source", "message"), FAULTS)
async def test_the_file_says_who_asks_and_who_gets_it(ground: World, source: str, message: str) -> None:
    """With the place."""
    with pytest.raises(DefinitionError) as refused:
        await ground.start(WORKFLOW.replace("{answer: gate}", source))
    assert message in [fault.message for fault in refused.value.faults]


async def test_who_gets_it_comes_later(ground: World) -> None:
    """A block that could begin before the question is a fault; a form asks for none."""
    with pytest.raises(
        DefinitionError, match=r"may begin before 'gate' has asked for it: add depends_on: \[gate\]"
    ):
        await ground.start(
            WORKFLOW.replace("depends_on: [gate]", "depends_on: []").replace(
                ', TOLD: "${gate.input_value}"', ""
            )
        )
    with pytest.raises(DefinitionError, match="a form asks for no secret"):
        await ground.start("""
            name: form
            blocks:
              - {id: ask, type: AskForm, inputs: {fields: [{id: code, input_type: secret}]}}
        """)
