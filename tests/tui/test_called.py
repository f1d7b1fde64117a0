"""A workflow that only calls another one does what that one does, and says so before it starts or runs again."""

from tidegate.model.ids import BlockId
from tidegate.model.workflow import BlockDefinition, Effect, WorkflowDefinition
from tidegate.store.protocol import Store
from tidegate.tui.present.workflows import dry_run
from tidegate.tui.reads.prospects import read_prospect
from tidegate.tui.reads.turns import Turn, TurnRequest
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
