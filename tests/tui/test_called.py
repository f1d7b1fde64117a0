"""A workflow that only calls another one does what that one does, and says so before it starts or runs again."""

from tidegate.model.ids import BlockId, PauseId, RunId
from tidegate.model.workflow import BlockDefinition, Dependency, Effect, WorkflowDefinition
from tidegate.store.protocol import Store
from tidegate.tui.nouns.turns import Turn, TurnRequest
from tidegate.tui.present.workflows import dry_run
from tidegate.tui.reads.prospects import read_prospect
from tui.monitoring import FixedClock, opener
from tui.scene import NOW, begin

GATE = BlockDefinition(id=BlockId("gate"), type="ConfirmOperation", interactive=True)
DEPLOY = BlockDefinition(id=BlockId("deploy"), type="Shell", effect=Effect.ONCE)
CALLED = WorkflowDefinition(name="ship", blocks=(GATE, DEPLOY), waves=((GATE.id, DEPLOY.id),))
CALL = BlockDefinition(
    id=BlockId("call"), type="ExecuteWorkflow", effect=Effect.IDEMPOTENT, inputs={"workflow": "ship"}
)
LOOK = BlockDefinition(id=BlockId("look"), type="ReadFile", effect=Effect.PURE)
CALLING = WorkflowDefinition(
    name="release", blocks=(LOOK, CALL), waves=((LOOK.id, CALL.id),), children={"ship": CALLED}
)
PAUSE = PauseId("pause_1")


def dry_run_lines(definition: WorkflowDefinition) -> list[str]:
    """Return what is said of a workflow before a run of it is started."""
    return [line.text.strip() for line in dry_run(definition)]


def test_what_a_called_workflow_does_is_said_before_a_run_is_started() -> None:
    """Where it asks, and where it changes things outside."""
    assert dry_run_lines(CALLING) == [
        "◆ asks a person at  call",
        "! changes things outside in  call",
    ]


def test_what_cannot_be_undone_is_named_first_before_a_run_is_started() -> None:
    """Also where a called workflow does it, and however much else there is."""
    ship, *rest = CALLED.blocks
    final = CALLED.evolve(blocks=(ship.evolve(reversible=False), *rest))
    mail = BlockDefinition(id=BlockId("mail"), type="Shell")
    calling = CALLING.evolve(blocks=(mail, CALL), waves=((mail.id, CALL.id),), children={"ship": final})
    assert dry_run_lines(calling)[-1] == "! changes things outside in  call (cannot be undone), mail"


async def test_what_a_called_workflow_does_again_is_said_before_a_block_runs_again() -> None:
    """Not that nothing counts twice."""

    async def tell(store: Store) -> None:
        run = await begin(store, CALLING, "callingrun23", 60)
        await run.wave(0, 1.0, "look", "call")

    async with opener(clock=FixedClock(NOW), prepare=tell)() as session:
        run_id = (await session.history.runs())[0].row.run_id
        of_call = await read_prospect(session, TurnRequest(Turn.RERUN, run_id, CALL.id))
        of_look = await read_prospect(session, TurnRequest(Turn.RERUN, run_id, LOOK.id))

    assert "What they do outside (deploys, mails, payments) they do again: call." in of_call.sentences
    assert "They ask somebody again: call." in of_call.sentences
    assert "None of these does anything outside that counts twice." in of_look.sentences


async def test_what_is_said_to_it_is_read_where_a_called_workflow_reads_it() -> None:
    """By the input that names the workflow in a call, and by no other block's input of that name."""
    reads = DEPLOY.evolve(inputs={"command": "echo ${run.feedback}"})
    called = CALLED.evolve(blocks=(GATE, reads))
    looks = LOOK.evolve(inputs={"workflow": "ship"})
    asks = BlockDefinition(
        id=BlockId("asks"), type="ConfirmOperation", interactive=True, depends_on=(Dependency(block=LOOK.id),)
    )
    after = asks.evolve(depends_on=(Dependency(block=CALL.id),))
    waves = ((LOOK.id, CALL.id), (asks.id,))

    async def tell(store: Store) -> None:
        for name, last in (("callingrun23", after), ("lookingrun23", asks)):
            definition = CALLING.evolve(blocks=(looks, CALL, last), waves=waves, children={"ship": called})
            run = await begin(store, definition, name, 60)
            await run.wave(0, 1.0, "look", "call")

    async with opener(clock=FixedClock(NOW), prepare=tell)() as session:
        back = {
            name: await read_prospect(session, TurnRequest(Turn.SEND_BACK, RunId(name), asks.id, PAUSE))
            for name in ("callingrun23", "lookingrun23")
        }

    (to_call,), (to_look,) = (back[name].ways for name in ("callingrun23", "lookingrun23"))
    assert (to_call.label, to_look.label) == ("to call", "to look")
    assert "None of these reads what you say" not in to_call.effect
    assert "None of these reads what you say" in to_look.effect


async def test_a_question_may_be_sent_back_to_the_nearest_of_very_many_blocks() -> None:
    """As many as can be looked through, and not all that there are."""
    steps = [BlockId(f"step{number:03}") for number in range(150)]
    blocks = [
        LOOK.evolve(id=step, depends_on=tuple(Dependency(block=it) for it in steps[:number][-1:]))
        for number, step in enumerate(steps)
    ]
    last = BlockId("asks")
    asks = BlockDefinition(
        id=last, type="ConfirmOperation", interactive=True, depends_on=(Dependency(block=steps[-1]),)
    )
    long = WorkflowDefinition(
        name="long", blocks=(*blocks, asks), waves=(*((step,) for step in steps), (last,))
    )

    async def tell(store: Store) -> None:
        run = await begin(store, long, "longrun23abc", 3_600)
        for wave, step in enumerate(steps):
            await run.wave(wave, 1.0, step)

    async with opener(clock=FixedClock(NOW), prepare=tell)() as session:
        request = TurnRequest(Turn.SEND_BACK, RunId("longrun23abc"), last, PAUSE)
        ways = (await read_prospect(session, request)).ways

    assert [way.label for way in ways] == [f"to {step}" for step in reversed(steps[50:])]
