"""What the dialogs look like, as pictures that a person has looked at."""

from collections.abc import Callable

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from tidegate.model.prompt import Prompt
from tui.dialogs.host import NOW, answering, pause_of, ready
from tui.dialogs.prompts import CHOICE, CONFIRM, RECOVERY, TICKET

SIZES = [(80, 24), (120, 36)]


async def settle(pilot: Pilot[None]) -> None:
    """Wait until keys count, and keep the cursor still."""
    app = await ready(pilot)
    for field in app.screen.query(Input):
        field.cursor_blink = False


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x36"])
@pytest.mark.parametrize(
    ("prompt", "keys"),
    [(CONFIRM, ["n"]), (CHOICE, ["2"]), (TICKET, ["A", "enter"]), (RECOVERY, ["1", "enter"])],
    ids=["confirm", "choice", "input", "recovery"],
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
