"""What may be changed in a fork, and to what: answers by the rule of their question, outputs, references."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from forking import ended, finished_story, fork, log_of, seq_of
from running import World, definition_of, world
from store_invariants import check_store
from tidegate.blocks.registry import catalog
from tidegate.engine.forks.edits import Edit, InvalidEdit
from tidegate.engine.forks.fork import ForkRequest
from tidegate.engine.forks.preview import Fate, ForkPreview
from tidegate.model.answer import Reply
from tidegate.model.events import BlockPaused, Origin, PauseAnswered, RunForked, RunStatus
from tidegate.model.ids import BlockId, RunId, Seq
from tidegate.model.listing import RunFilter
from tidegate.model.state import PauseState
from tidegate.store.keys import Keys, new_key
from tidegate.workflows.loader import load_workflow


@pytest.fixture(params=["memory", "sqlite", "file"])
async def ground(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    """A world on every kind of store."""
    urls = {"memory": "memory://", "sqlite": f"sqlite://{tmp_path}/t.db", "file": f"file://{tmp_path}/t"}
    async with world(tmp_path, urls[request.param]) as opened:
        yield opened
        await check_store(opened.store)


GATES = """
    name: gates
    inputs: {who: {type: string, default: ana}}
    blocks:
      - id: pick
        type: AskChoice
        inputs: {question: "Where for ${who}?", choices: [blue, green]}
      - id: form
        type: AskForm
        inputs: {message: "How many?", fields: [{id: n, prompt: N, input_type: integer, min: 1, max: 5}]}
      - id: ok
        type: ConfirmOperation
        depends_on: [pick, form]
        inputs: {message: "Ship to ${pick.choice}?", operation: ship, comment: on_reject}
      - id: ship
        type: Shell
        depends_on: [ok]
        inputs: {command: "echo shipped ${pick.choice} ${pick.choice_index} ${form.values.n} ${ok.response} >> log"}
"""


def changed(path: str, value: str) -> Edit:
    """Return an edit as it is typed."""
    return Edit(tuple(path.split(".")), value, as_text=True)


async def shipped(ground: World, ok: str = "yes", *, comment: str = "") -> tuple[RunId, Seq]:
    """Run the gates to their end; return the run with its head."""
    run_id = await ground.start(GATES, who="ana")
    await ground.answer(run_id, "pick", "blue")
    await ground.answer(run_id, "form", '{"n": 2}')
    pause = await ground.pause_of(run_id, "ok")
    await ground.executor.answer(pause.pause_id, Reply(raw=ok, by="ana", via="test", comment=comment))
    await ground.rest(run_id)
    return run_id, (await ground.history.state(run_id)).head


async def preview(ground: World, run_id: RunId, seq: int, *edits: Edit, **how: object) -> ForkPreview:
    """Return what a fork with some edits would do."""
    request = ForkRequest(Origin(run_id=run_id, seq=Seq(seq)), edits, **how)  # type: ignore[arg-type]
    return await ground.executor.preview_fork(request)


async def refused(ground: World, run_id: RunId, seq: int, *edits: Edit, **how: object) -> str:
    """Return why a fork cannot be made; no run is there more than before."""
    before = await ground.store.runs(RunFilter())
    request = ForkRequest(Origin(run_id=run_id, seq=Seq(seq)), edits, **how)  # type: ignore[arg-type]
    with pytest.raises(InvalidEdit) as caught:
        await ground.executor.fork(request, by="bea")
    assert await ground.store.runs(RunFilter()) == before
    return str(caught.value)


# -- another answer ---------------------------------------------------------------------------


@pytest.mark.parametrize(("then", "now"), [("yes", "no"), ("no", "yes")])
async def test_what_follows_a_confirmation_follows_the_new_one(ground: World, then: str, now: str) -> None:
    """A yes that becomes a no stops what follows; a no that becomes a yes lets it run. It is the forker's word."""
    run_id, head = await shipped(ground, then, comment="because")
    before = log_of(ground) if then == "yes" else []
    journal = await ground.events(run_id)

    told = await preview(ground, run_id, head, changed("blocks.ok.answer", now))
    assert {it.block: it.fate for it in told.blocks} == {
        "pick": Fate.STAYS,
        "form": Fate.STAYS,
        "ok": Fate.AGAIN,
        "ship": Fate.AGAIN if now == "yes" else Fate.NOT_RUN,
    }
    [edit] = told.edits
    assert (edit.path, edit.before, edit.after) == (("blocks", "ok", "answer"), then, now)
    [asked] = told.questions[0].questions
    assert (asked.text, asked.is_sure, asked.answer, asked.is_given) == ("Ship to blue?", True, now, True)
    assert told.warnings == ()

    forked = await fork(ground, run_id, head, edits=(changed("blocks.ok.answer", now),))
    state = await ground.history.state(forked)
    assert state.status is (RunStatus.SUCCEEDED if now == "yes" else RunStatus.REJECTED)
    assert log_of(ground) == [*before, *(["shipped blue 0 2 yes"] if now == "yes" else [])]
    answer = next(p.answer for p in state.pauses.values() if p.block == "ok" and p.opened_seq > head)
    assert answer is not None
    assert (answer.raw, answer.by, answer.via, answer.comment) == (now, "bea", "fork", "because")
    assert (await ground.history.outputs(state.block(BlockId("ok")).outputs))["response"] == now
    assert await ground.events(run_id) == journal


async def test_an_answer_is_read_by_the_rule_of_its_question(ground: World) -> None:
    """As when it was asked; what breaks the rule is refused with it, and all that comes of an answer fits it."""
    run_id, head = await shipped(ground)
    for path, value, rule in (
        ("blocks.pick.answer", "red", "type one of blue, green"),
        ("blocks.form.answer", '{"n": 99}', "from 1 to 5"),
        ("blocks.form.answer", "many", "no JSON"),
        ("blocks.ok.answer", "perhaps", "yes or no"),
    ):
        assert rule in await refused(ground, run_id, head, changed(path, value))
    edits = (changed("blocks.pick.answer", "2"), changed("blocks.form.answer", '{"n": "5"}'))
    forked = await fork(ground, run_id, head, edits=edits)
    # Where it leads is another question now, so that one is asked.
    await ground.answer_and_rest(forked, "ok", "yes")
    assert log_of(ground)[-1] == "shipped green 1 5 yes"


async def test_a_value_that_is_no_text_is_an_answer_too(ground: World) -> None:
    """As programs give them."""
    run_id, head = await shipped(ground, "no", comment="later")
    edits = (Edit(("blocks", "form", "answer"), {"n": 4}), Edit(("blocks", "ok", "answer"), True))
    forked = await fork(ground, run_id, head, edits=edits)
    assert (await ground.history.run_view(forked)).status is RunStatus.SUCCEEDED
    assert log_of(ground) == ["shipped blue 0 4 yes"]


async def test_an_answer_is_told_as_it_is_kept(ground: World) -> None:
    """A number in a form is one on both sides, however it was typed."""
    run_id, head = await shipped(ground)
    [edit] = (await preview(ground, run_id, head, changed("blocks.form.answer", '{"n": "5"}'))).edits

    assert (edit.before, edit.after) == ({"n": 2}, {"n": 5})


async def test_another_question_is_asked_though_an_answer_was_given(ground: World) -> None:
    """An answer counts for the very same question alone; that it does not is in the preview, and somebody is asked."""
    run_id, head = await shipped(ground)
    edits = (changed("blocks.pick.answer", "green"), changed("inputs.who", "bo"))
    told = await preview(ground, run_id, head, *edits)
    [asked] = told.blocks[0].questions
    assert (asked.text, asked.answer, asked.is_given) == ("Where for bo?", "", False)
    assert "block 'pick' asks another question now" in told.warnings[-1]

    forked = await fork(ground, run_id, head, edits=edits)
    pause = await ground.pause_of(forked, "pick")
    assert (pause.prompt.text, pause.answer) == ("Where for bo?", None)


async def test_answers_of_others_can_be_kept_beside_it(ground: World) -> None:
    """Of the question itself the new one counts; the others are as they were given, if the very same is asked."""
    run_id, head = await shipped(ground)
    edit = changed("blocks.form.answer", '{"n": 3}')
    told = await preview(ground, run_id, head, edit, keep_answers=True)
    assert [(it.place, it.answer, it.is_given) for block in told.questions for it in block.questions] == [
        ("form", '{"n": 3}', True),
        ("ok", "yes", False),
    ]
    forked = await fork(ground, run_id, head, edits=(edit,), keep_answers=True)
    state = await ground.history.state(forked)
    assert state.status is RunStatus.SUCCEEDED
    assert log_of(ground)[-1] == "shipped blue 0 3 yes"
    by = {p.block: p.answer.by for p in state.pauses.values() if p.opened_seq > head and p.answer is not None}
    assert by == {"form": "bea", "ok": "ana"}


async def test_a_question_after_the_point_or_open_at_it_can_be_answered_with_the_fork(ground: World) -> None:
    """What the other run asked next is known; what nobody has asked yet is not."""
    run_id, before = await finished_story(ground)
    asked, answered = (
        next(record.seq for record in before if isinstance(record.event, kind))
        for kind in (BlockPaused, PauseAnswered)
    )
    for seq in (seq_of(before, ended("a")), asked, answered):
        forked = await fork(ground, run_id, seq, edits=(changed("blocks.gate.answer", f"at {seq}"),))
        state = await ground.history.state(forked)
        assert state.finished is not None
        assert state.finished.outputs["value"] == f"at {seq}"
        assert log_of(ground)[-2:] == [f"b at {seq}", "c"]
    waiting = await ground.start("""
        name: waits
        blocks:
          - {id: first, type: GetInput, inputs: {prompt: "First?"}}
          - {id: second, type: GetInput, depends_on: [first], inputs: {prompt: "Second?"}}
    """)
    view = await ground.rest(waiting)
    said = await refused(ground, waiting, view.row.head, changed("blocks.second.answer", "x"))
    assert "block 'second' has asked nothing yet" in said


async def test_a_required_comment_is_said_to_come_from_a_fork(ground: World) -> None:
    """Where there was one it stays."""
    run_id, head = await shipped(ground, "yes")
    forked = await fork(ground, run_id, head, edits=(changed("blocks.ok.answer", "no"),))
    state = await ground.history.state(forked)
    [answer] = [p.answer for p in state.pauses.values() if p.opened_seq > head and p.answer is not None]
    assert answer.comment == "changed in a fork"


async def test_an_item_has_an_answer_of_its_own(ground: World) -> None:
    """Only that item asks again; the others keep what was answered, and what follows sees all of them."""
    run_id = await ground.start("""
        name: items
        blocks:
          - {id: each, type: GetInput, for_each: [a, b], inputs: {prompt: "For ${item}?"}}
          - {id: after, type: Shell, depends_on: [each], inputs: {command: "echo '${each.results[0].outputs.input_value}' '${each.results[1].outputs.input_value}' >> log"}}
    """)
    for item in ("each[a]", "each[b]"):
        await ground.answer(run_id, item, "x")
    view = await ground.rest(run_id)
    head = view.row.head
    whole = await refused(ground, run_id, head, changed("blocks.each.answer", "y"))
    assert "say which, blocks.each[a].answer, blocks.each[b].answer" in whole
    forked = await fork(ground, run_id, head, edits=(changed("blocks.each[b].answer", "y"),))
    assert (await ground.history.run_view(forked)).status is RunStatus.SUCCEEDED
    assert log_of(ground) == ["x x", "x y"]
    questions = [
        r.event.block
        for r in await ground.history.events(forked, after=head)
        if isinstance(r.event, BlockPaused)
    ]
    assert questions == ["each[b]"]


async def test_what_was_answered_is_not_edited_as_an_output(ground: World) -> None:
    """It would say one thing, and its question another."""
    run_id, head = await shipped(ground)
    for path in ("blocks.ok.outputs.confirmed", "blocks.form.outputs.values.n", "blocks.pick.outputs.choice"):
        block = path.split(".")[1]
        said = await refused(ground, run_id, head, changed(path, "true"), blocks=(BlockId("ship"),))
        assert f"write blocks.{block}.answer=VALUE, or let it ask again (--from {block})" in said


async def test_what_no_fork_can_answer_is_refused_with_what_to_do(ground: World) -> None:
    """A block that asks nobody, a part of an answer, a loop."""
    run_id, head = await shipped(ground)
    assert "block 'ship' asks nobody" in await refused(
        ground, run_id, head, changed("blocks.ship.answer", "x")
    )
    inside = await refused(ground, run_id, head, changed("blocks.form.answer.n", "3"))
    assert "an answer is given as a whole: blocks.form.answer" in inside
    loops = await ground.start("""
        name: loops
        blocks:
          - {id: ask, type: GetInput, loop: {until: "${ask.input_value} == 'done'", max_iterations: 3}, inputs: {prompt: "Done?"}}
    """)
    await ground.answer(loops, "ask#1", "not yet")
    await ground.answer(loops, "ask#2", "done")
    view = await ground.rest(loops)
    for place in ("ask", "ask#1"):
        said = await refused(ground, loops, view.row.head, changed(f"blocks.{place}.answer", "done"))
        assert "(--from ask), and answer it then" in said


async def test_what_became_of_a_failed_block_was_decided_for_that_time(ground: World) -> None:
    """It is no answer that another time could take."""
    run_id = await ground.start("""
        name: fails
        blocks:
          - {id: ship, type: Shell, on_failure: pause, inputs: {command: "false"}}
    """)
    state = await ground.answer_and_rest(run_id, "ship", "skip")
    said = await refused(ground, run_id, state.head, changed("blocks.ship.answer", "rerun"))
    assert "was decided for that time alone: let it run again (--from ship)" in said


async def test_a_secret_is_answered_by_hand(tmp_path: Path) -> None:
    """Neither what it was nor what it would be is in a history."""
    async with world(tmp_path, f"sqlite://{tmp_path}/t.db", keys=Keys([new_key()])) as ground:
        run_id = await ground.start("""
            name: login
            secrets: {token: {answer: gate}}
            blocks:
              - {id: gate, type: GetInput, inputs: {prompt: "Code?", input_type: secret}}
              - id: use
                type: Shell
                depends_on: [gate]
                inputs: {command: "true", env: {TOKEN: "${secrets.token}"}}
        """)
        state = await ground.answer_and_rest(run_id, "gate", "tiger-4711-lily")
        said = await refused(ground, run_id, state.head, changed("blocks.gate.answer", "wolf-0815-rose"))
        assert "is in no history: let it run again (--from gate), and answer it then" in said
        assert "wolf" not in said


async def test_the_answer_of_a_fork_goes_on_into_forks_of_it(ground: World) -> None:
    """It is in the journal of the fork as any other, and that is read back soundly."""
    run_id, head = await shipped(ground, "no", comment="no")
    forked = await fork(ground, run_id, head, edits=(changed("blocks.ok.answer", "yes"),))
    again = await fork(ground, forked, (await ground.history.state(forked)).head, blocks=(BlockId("ship"),))
    assert log_of(ground) == ["shipped blue 0 2 yes"] * 2
    event = next(r.event for r in await ground.events(again) if isinstance(r.event, RunForked))
    assert list(event.kept) == ["ok"]
    for which in (forked, again):
        assert (await ground.history.verify_run(which)).findings == ()
    state = await ground.history.state(again)
    assert all(pause.state is not PauseState.OPEN for pause in state.pauses.values())


# -- outputs ----------------------------------------------------------------------------------

KINDS = """
    name: kinds
    blocks:
      - {id: each, type: Shell, for_each: [p, q], inputs: {command: "echo got-${item}"}}
      - {id: poll, type: Shell, loop: {until: "${poll.exit_code} == 0", max_iterations: 2}, inputs: {command: "echo polled"}}
      - {id: cond, type: Shell, condition: "false", inputs: {command: "echo never"}}
      - id: post
        type: Shell
        depends_on: [each, poll, cond]
        inputs: {command: "echo '${each.results[1].outputs.stdout}' '${poll.stdout}' >> log"}
"""
POST = (BlockId("post"),)


async def kinds(ground: World) -> tuple[RunId, Seq]:
    """Run a block with items, a loop, and one that is skipped; return the run with its head."""
    run_id = await ground.start(KINDS)
    view = await ground.rest(run_id)
    assert log_of(ground) == ["got-q polled"]
    return run_id, view.row.head


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("blocks.each[q].outputs.stdout", "x", "change blocks.each.outputs.results.1.outputs.stdout"),
        ("blocks.poll#1.outputs.stdout", "x", "change blocks.poll.outputs.stdout"),
        ("blocks.each.outputs.stdout", "x", "has no output 'stdout'; it has count, failed"),
        ("blocks.each.outputs.results", "0", "expected a list"),
        ("blocks.each.outputs.results", '{"a": 1}', "expected a list"),
        ("blocks.each.outputs.count", "many", "expected"),
        ("blocks.poll.outputs.exit_code", "many", "expected"),
        ("blocks.poll.outputs.iterations", "many", "expected"),
        ("blocks.cond.outputs.stdout", "hello", "was skipped there, and has no outputs"),
    ],
)
async def test_only_what_a_block_gave_can_be_another(
    ground: World, path: str, value: str, problem: str
) -> None:
    """A change that nothing would read is refused, with the one that is meant."""
    run_id, head = await kinds(ground)
    assert problem in await refused(ground, run_id, head, changed(path, value), blocks=POST)


async def test_what_was_put_together_from_items_can_be_another(ground: World) -> None:
    """That is what others read."""
    run_id, head = await kinds(ground)
    edits = (
        changed("blocks.each.outputs.results.1.outputs.stdout", "NEW"),
        changed("blocks.poll.outputs.stdout", "newer"),
    )
    await fork(ground, run_id, head, edits=edits, blocks=POST)
    assert log_of(ground)[-1] == "NEW newer"


async def test_an_item_can_be_another_while_its_block_goes_on(ground: World) -> None:
    """What the block gives is put together in the fork then, with the item as it is there."""
    run_id, head = await kinds(ground)
    edit = changed("blocks.each[q].outputs.stdout", "NEW")
    await fork(ground, run_id, head, edits=(edit,), blocks=(BlockId("each[p]"),))
    assert log_of(ground)[-1] == "NEW polled"


async def called(ground: World) -> tuple[RunId, Seq]:
    """Run a workflow that calls another one; return the run with its head."""
    (ground.folder / "child.yaml").write_text(
        "name: child\ninputs: {who: {type: string}}\n"
        "blocks: [{id: inner, type: Shell, inputs: {command: 'echo ${who}'}}]\n"
        'outputs: {said: "${inner.stdout}"}\n'
    )
    (ground.folder / "caller.yaml").write_text(
        "name: caller\nblocks:\n"
        "  - {id: sub, type: ExecuteWorkflow, inputs: {workflow: child, inputs: {who: ana}}}\n"
        "  - {id: post, type: Shell, depends_on: [sub], inputs: {command: 'echo ${sub.said} >> log'}}\n"
    )
    definition = load_workflow(ground.folder / "caller.yaml", catalog()).definition
    run_id = await ground.executor.start(definition, {}, by="ana")
    return run_id, (await ground.rest(run_id)).row.head


async def test_a_call_has_the_outputs_that_it_gave(ground: World) -> None:
    """And no others; of blocks in the run below it is said where they are changed."""
    run_id, head = await called(ground)
    said = await refused(ground, run_id, head, changed("blocks.sub.outputs.nonexist", "x"), blocks=POST)
    assert "has no output 'nonexist'; it has run_id, said" in said
    below = await refused(ground, run_id, head, changed("blocks.sub/inner.outputs.nonexist", "x"))
    assert "blocks.sub/inner.outputs.nonexist: block 'inner' has no output 'nonexist'" in below
    nowhere = await refused(ground, run_id, head, changed("blocks.post/inner.outputs.stdout", "x"))
    assert (
        "block 'post' has no run there of which a block could be named: leave it out, or name 'post'"
        in nowhere
    )
    edit = changed("blocks.sub.outputs.said", "other")
    await fork(ground, run_id, head, edits=(edit,), blocks=POST)
    assert log_of(ground) == ["ana", "other"]


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("inputs.inputs", '{"zzz": 5, "who": "x"}', "workflow 'child': there is no input 'zzz'"),
        ("inputs.inputs", '{"who": [1]}', "the input 'who' is [1], expected text"),
        ("inputs.inputs", "{}", "the workflow 'child' needs the input 'who': pass it in inputs"),
        ("inputs.inputs.who", "5", ""),
        ("inputs.inputs.who", "${run.id}", ""),
        (
            "inputs.workflow",
            "nope",
            "there is no workflow 'nope' among those it was loaded with; there is child",
        ),
    ],
)
async def test_a_call_is_given_what_it_takes(ground: World, path: str, value: str, problem: str) -> None:
    """As in a file: what would fail at once is refused."""
    run_id, head = await called(ground)
    edit, blocks = changed(f"blocks.sub.{path}", value), (BlockId("sub"),)
    if problem:
        assert problem in await refused(ground, run_id, head, edit, blocks=blocks)
    else:
        forked = await fork(ground, run_id, head, edits=(edit,), blocks=blocks)
        assert (await ground.history.run_view(forked)).status is RunStatus.SUCCEEDED
        assert log_of(ground)[-1] == value.replace("${run.id}", forked)


async def test_a_block_that_is_gone_is_not_changed(ground: World) -> None:
    """In a fork with another definition only its blocks can be named."""
    run_id, head = await kinds(ground)
    fewer = definition_of(
        "name: kinds\nblocks: [{id: post, type: Shell, inputs: {command: 'true'}}]", working_dir=ground.folder
    )
    for path in ("blocks.each.outputs.count", "blocks.each[q].outputs.stdout", "blocks.each.answer"):
        said = await refused(ground, run_id, head, changed(path, "1"), workflow=fewer)
        assert "the run has no block 'each" in said


# -- references -------------------------------------------------------------------------------

LINE = """
    name: line
    inputs: {who: {type: string, default: ana}}
    blocks:
      - {id: a, type: Shell, inputs: {command: "echo one"}}
      - {id: b, type: Shell, depends_on: [a], inputs: {command: "echo b"}}
      - {id: c, type: Shell, depends_on: [b], inputs: {command: "echo c", env: {V: x}}}
      - {id: side, type: Shell, inputs: {command: "echo side"}}
      - {id: again, type: Shell, loop: {until: "true", max_iterations: 2}, inputs: {command: "true"}}
      - {id: last, type: Shell, always: true, inputs: {command: "echo last >> log"}}
"""


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        (
            "blocks.b.inputs.command",
            "echo ${c.stdout}",
            "${c.stdout} reads 'c', which block 'b' does not depend on",
        ),
        (
            "blocks.b.inputs.command",
            "echo ${b.stdout}",
            "${b.stdout} reads block 'b' itself, which has given nothing yet",
        ),
        ("blocks.b.inputs.command", "echo ${side.stdout}", "it may read a"),
        ("blocks.c.inputs.env.V", "${{ size(side.stdout) }}", "reads 'side'"),
        ("blocks.c.inputs.env", '{"V": "${side.stdout}"}', "it may read a, b"),
        ("blocks.a.inputs.command", "echo ${b.stdout}", "there is no block before it"),
        ("blocks.a.inputs.command", "echo ${nope.x}", "nope"),
        (
            "blocks.b.inputs.command",
            "echo ${a.stdot}",
            "block 'a' has no output 'stdot' (did you mean 'stdout'?)",
        ),
        (
            "blocks.last.inputs.command",
            "echo ${again.nothing}",
            "block 'again' has no output 'nothing'; it has",
        ),
    ],
)
async def test_a_changed_input_reads_what_is_before_it_alone(
    ground: World, path: str, value: str, problem: str
) -> None:
    """As in a file: what has not ended when a block begins has no value for it."""
    run_id = await ground.start(LINE, who="ana")
    await ground.rest(run_id)
    begin = (BlockId("a"),)
    assert problem in await refused(ground, run_id, 2, changed(path, value), blocks=begin)


async def test_a_changed_input_may_read_all_that_is_before_it(ground: World) -> None:
    """Not only what is next to it; a loop what it gave before; what runs at the very end everything."""
    run_id = await ground.start(LINE, who="ana")
    head = (await ground.rest(run_id)).row.head
    edits = (
        changed("blocks.c.inputs.command", "echo ${a.stdout} ${who} $V >> log"),
        changed("blocks.again.inputs.command", "echo again ${again.stdout ?? 'first'} >> log"),
        changed("blocks.last.inputs.command", "echo ${side.stdout} ${b.stdout} >> log"),
    )
    blocks = (BlockId("c"), BlockId("again"), BlockId("last"))
    forked = await fork(ground, run_id, head, edits=edits, blocks=blocks)
    assert (await ground.history.run_view(forked)).status is RunStatus.SUCCEEDED
    lines = log_of(ground)
    assert sorted(lines[1:-1]) == ["again first", "one ana x"]
    assert lines[-1] == "side b"
