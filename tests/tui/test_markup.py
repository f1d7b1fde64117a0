"""L2: what workflows, commands and people write is shown, and never obeyed."""

from pathlib import Path

import pytest

from tidegate.model.events import AttemptFailed, BlockExpanded, Failure, RunFinished, RunStatus, WaveStarted
from tidegate.model.ids import BlockId, item_place
from tidegate.model.listing import OutputChunk, Stream
from tidegate.model.policy import FailureKind, ForEach
from tidegate.model.prompt import ChoicePrompt
from tidegate.model.value import Inline
from tidegate.model.workflow import BlockDefinition, Dependency, WorkflowDefinition
from tidegate.store.protocol import Store
from tui.monitoring import FixedClock, monitor
from tui.scene import NOW, begin, started

EVIL = "[b]x[/b] [/] [0] [link=http://x]y[/link]"
GATE = BlockId("gate")
BROKEN = BlockId("bad")
ITEM = item_place(BROKEN, EVIL)
"""The key of an item is anything a workflow makes of its data; the id of a block is checked by the loader."""


def definition() -> WorkflowDefinition:
    """Return a workflow of which every name that may be is markup."""
    return WorkflowDefinition(
        name=f"wf {EVIL}",
        blocks=(
            BlockDefinition(id=GATE, type="AskChoice", description=EVIL, interactive=True),
            BlockDefinition(id=BROKEN, type="Shell", inputs={EVIL: EVIL}, for_each=ForEach(items=[EVIL])),
            BlockDefinition(id=BlockId("after"), type="Shell", depends_on=(Dependency(block=GATE),)),
        ),
        waves=((GATE, BROKEN), (BlockId("after"),)),
    )


async def tell(store: Store) -> None:
    """Tell a run that asks, and one that failed and wrote."""
    asks = await begin(store, definition(), "evilasks2345", 60)
    await asks.tell(0.0, WaveStarted(wave=0))
    await asks.ask(GATE, ChoicePrompt(question=f"Q {EVIL}", choices=(f"C {EVIL}", "other")))
    failed = await begin(store, definition(), "evilfail2345", 50)
    items = BlockExpanded(block=BROKEN, attempt=1, keys=(EVIL,), items=(Inline(value=EVIL),))
    await failed.tell(0.0, WaveStarted(wave=0), started(BROKEN, EVIL), items, started(ITEM, EVIL))
    chunk = OutputChunk(n=0, stream=Stream.STDOUT, offset=0, data=f"out {EVIL}\n\x1b]2;title\x07".encode())
    await store.write_output(failed.state.run_id, ITEM, 1, [chunk])
    why = Failure(kind=FailureKind.ERROR, message=f"why {EVIL}")
    await failed.tell(1.0, AttemptFailed(block=ITEM, attempt=1, failure=why))
    await failed.tell(0.0, AttemptFailed(block=BROKEN, attempt=1, failure=why))
    await failed.tell(0.0, RunFinished(status=RunStatus.FAILED, reason=f"because {EVIL}"))


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("", f"Q {EVIL}|wf [b]x[/b]"),
        ("2", "wf [b]x[/b]|because [b]x[/b]"),
        ("2 enter j", f"bad[{EVIL}]|why {EVIL}|out {EVIL}|␛]2;title␇"),
        ("2 enter j l", f"Log of bad[{EVIL}]|out {EVIL}|␛]2;title␇"),
        ("2 enter j l b b b", f"Log of whole run|out {EVIL}|␛]2;title␇"),
        ("2 j enter", f"gate|Q {EVIL}|C {EVIL}"),
        ("3", f"gate|Q {EVIL}"),
        ("a", f"Q {EVIL}|C {EVIL}"),
        ("question_mark", "In any list"),
    ],
)
async def test_text_is_literal_on_every_screen(tmp_path: Path, keys: str, words: str) -> None:
    """In rows, titles, previews, the run view, the dialog: every bracket is there."""
    async with monitor(tmp_path, size=(200, 50), prepare=tell, clock=FixedClock(NOW)) as seen:
        await seen.see("Q [b]x[/b]")
        for key in keys.split():
            await seen.press(key)
            await seen.unsee("Reading")
            if key == "enter":
                # Named once the run was read: before that there is nothing to move the cursor over.
                await seen.until(lambda: "Output" in seen.text or "Question" in seen.text)

        await seen.see(*words.split("|"))


async def test_notes_are_literal_too(tmp_path: Path) -> None:
    """An error message holds what was typed."""
    async with monitor(tmp_path, size=(120, 36), prepare=tell, clock=FixedClock(NOW)) as seen:
        await seen.see("Q [b]x[/b]")
        seen.app.tell(f"failed: {EVIL}")

        await seen.see(f"failed: {EVIL}")
