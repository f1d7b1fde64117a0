"""What the dialogs look like, as pictures that a person has looked at."""

from collections.abc import Callable

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from tidegate.model.prompt import CommentRule, Prompt
from tui.dialogs.host import NOW, answering, pause_of, ready
from tui.dialogs.prompts import CHOICE, CONFIRM, FORM, RECOVERY, SETTINGS, SEVERAL, SHOWN, TICKET

SIZES = [(80, 24), (120, 36)]
FAILED = RECOVERY.evolve(failure="exit code 3", outputs={"stdout": "string", "exit_code": "integer"})


async def settle(pilot: Pilot[None]) -> None:
    """Wait until keys count, and keep the cursor still."""
    app = await ready(pilot)
    for line in app.screen.query(Input):
        line.cursor_blink = False
    for text in app.screen.query(TextArea):
        text.cursor_blink = False


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x36"])
@pytest.mark.parametrize(
    ("prompt", "keys"),
    [
        (CONFIRM, ["n"]),
        (CHOICE, ["2"]),
        (TICKET, ["A", "enter"]),
        (RECOVERY, ["1", "enter"]),
        (SEVERAL, ["1", "4", "enter"]),
        (FORM, ["A", "tab", "tab", "2", "ctrl+s"]),
        (SETTINGS, [*'{"a":', "ctrl+s"]),
        (SHOWN, ["f2"]),
        (CONFIRM.evolve(comment_rule=CommentRule.ON_REJECT), ["n", "n"]),
        (FAILED, ["2"]),
    ],
    ids=[
        "confirm",
        "choice",
        "input",
        "recovery",
        "several",
        "form",
        "json",
        "evidence",
        "comment",
        "failed",
    ],
)
def test_dialog(
    snap_compare: Callable[..., bool], prompt: Prompt, keys: list[str], size: tuple[int, int]
) -> None:
    """Armed, chosen, refused and dangerous: each is unmistakable."""

    async def press(pilot: Pilot[None]) -> None:
        await settle(pilot)
        await pilot.press(*keys)

    app = answering(prompt, pause=pause_of(prompt, deadline=NOW + 8000))

    assert snap_compare(app, terminal_size=size, run_before=press)
