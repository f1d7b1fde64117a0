"""What leaves a dialog by a key, for the clipboard or an editor, and that it is said; a secret never does."""

import pytest
from textual.geometry import Offset
from textual.selection import SELECT_ALL

from tidegate.model.prompt import InputKind, InputPrompt, Prompt
from tui.dialogs.host import answering, ready, screen_text, until
from tui.dialogs.prompts import CONFIRM, DAY, NOTES, TICKET

SIZES = [(80, 24), (120, 36)]
PASSWORD = InputPrompt(prompt="Which password?", input_type=InputKind.SECRET)


@pytest.mark.parametrize("size", SIZES)
async def test_what_is_selected_with_the_mouse_is_copied_and_that_is_said(size: tuple[int, int]) -> None:
    """In front of what stands there, which still holds: an armed answer stays to be read."""
    async with answering(CONFIRM).run_test(size=size) as pilot:
        app = await ready(pilot)
        await pilot.press("y")
        await until(pilot, lambda: "press y or enter to send" in screen_text(app))
        at = app.dialog.question.region.offset
        await pilot.mouse_down(offset=Offset(at.x + 1, at.y))
        await pilot.hover(offset=Offset(at.x + 8, at.y))
        await pilot.mouse_up(offset=Offset(at.x + 8, at.y))
        await until(pilot, app.dialog.get_selected_text)
        await pilot.press("ctrl+c")

        await until(pilot, lambda: "Copied: " in screen_text(app))
        assert app.clipboard
        assert app.clipboard in "Promote build 1.5.3 to prod?"
        assert f"Copied: {app.clipboard.strip()}. ▶ Approve: press y or enter" in screen_text(app)


async def test_of_several_lines_it_is_said_how_many() -> None:
    """And with nothing selected, what the key is for."""
    async with answering(CONFIRM).run_test(size=(120, 36)) as pilot:
        app = await ready(pilot)
        await pilot.press("ctrl+c")
        await until(pilot, lambda: "ctrl+c copies what is selected." in screen_text(app))
        [text] = app.dialog.question.children
        app.dialog.selections = {text: SELECT_ALL}
        await pilot.press("ctrl+c")

        await until(pilot, lambda: "Copied 7 lines." in screen_text(app))
        assert app.clipboard.startswith("Promote build 1.5.3 to prod?\nThe canary")


@pytest.mark.parametrize("prompt", [TICKET, NOTES])
async def test_what_is_selected_in_a_field_is_copied_or_cut(prompt: InputPrompt) -> None:
    """Each is said; the field is as it was, or without it."""
    async with answering(prompt).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*"ABC-12", "shift+left", "shift+left", "ctrl+c")
        await until(pilot, lambda: "Copied: 12." in screen_text(app))
        assert app.clipboard == "12"
        await pilot.press("ctrl+x")
        await until(pilot, lambda: "ABC-12" not in screen_text(app))

        assert "ABC-" in screen_text(app)
        await pilot.press("ctrl+v")
        await until(pilot, lambda: "ABC-12" in screen_text(app))


@pytest.mark.parametrize(
    ("prompt", "sentence"),
    [
        (PASSWORD, "A secret is typed here only: an editor would keep it in a file."),
        (DAY, "This field takes one short value: type it here."),
        (CONFIRM, "f4 opens your editor where text is typed; ctrl+t begins a comment."),
    ],
)
async def test_not_everything_is_written_in_an_editor(prompt: Prompt, sentence: str) -> None:
    """Nor is it a secret's business to be in a file."""
    async with answering(prompt).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*"2026", "f4")

        await until(pilot, lambda: sentence in screen_text(app))


@pytest.mark.parametrize("key", ["ctrl+c", "ctrl+x"])
async def test_a_secret_is_not_copied(key: str) -> None:
    """Nor cut: the clipboard of a desktop keeps what it gets, and others read it."""
    async with answering(PASSWORD).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*"hunter22", "shift+home", key)

        await until(pilot, lambda: "A secret is not copied." in screen_text(app))
        assert app.clipboard == ""
        await pilot.press("end", "enter")
        await until(pilot, lambda: app.results)
        assert app.outcome.sent
