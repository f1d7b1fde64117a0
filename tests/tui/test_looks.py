"""Themes, terminals without colours, and terminals that draw nothing but ASCII."""

import ast
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual._border import BORDER_CHARS
from textual.color import Color

import tidegate
from tidegate.safe_text import safe_line
from tidegate.settings import MONITOR_THEMES, Ascii, MonitorSettings
from tidegate.tui.app import MonitorApp
from tidegate.tui.dialogs.frame.base import Dialog
from tidegate.tui.looks.ascii import in_ascii, signs_in_ascii
from tidegate.tui.looks.themes import THEMES, theme_after
from tui.monitoring import FixedClock, Monitor, opener
from tui.scene import NOW, fill

AS_IT_IS = MonitorSettings()
TEXT_TONES = ("foreground", "accent", "success", "warning", "error")
"""What words are written in, besides the strong, the dim and the grey."""


def monitor_with(settings: MonitorSettings = AS_IT_IS, *, ascii_only: Ascii = Ascii.OFF) -> MonitorApp:
    """Return a monitor over the usual scene."""
    clock = FixedClock(NOW)
    return MonitorApp(opener(clock=clock, prepare=fill), clock, settings, ascii_only=ascii_only)


# -- ASCII ------------------------------------------------------------------------------------


def has_ink(character: str) -> bool:
    """Whether a character is a letter, a number or a sign, and no blank, control or mark on another one."""
    return unicodedata.category(character)[0] in "LNPS"


def written_signs() -> Iterator[tuple[str, str]]:
    """Yield every character beyond ASCII that our code may draw, and the module it is in.

    The monitor shows what others say, too: errors, and what a journal means in words. `safe_text` draws nothing
    by itself: it lists characters in order to find them.
    """
    for path in Path(tidegate.__file__).parent.rglob("*.py"):
        if path.name == "safe_text.py":
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
                yield from ((sign, path.name) for sign in node.value if has_ink(sign) and not sign.isascii())


def test_every_sign_that_is_drawn_has_an_ascii_one_of_its_width() -> None:
    """A sign that somebody adds tomorrow is noticed here."""
    borders = {sign for rows in BORDER_CHARS.values() for row in rows for sign in row}
    signs = {*dict(written_signs()), *borders}

    assert [(s, dict(written_signs()).get(s)) for s in signs if not signs_in_ascii(s).isascii()] == []
    assert [sign for sign in signs if cell_len(sign) != cell_len(signs_in_ascii(sign))] == []


def test_what_people_wrote_stays_where_the_terminal_can_show_it() -> None:
    """Only a terminal that cannot gets question marks, and columns stay columns."""
    assert signs_in_ascii("◆ Zürich → 東京 …") == "! Zürich > 東京 ~"
    assert signs_in_ascii("1 more line · ctrl+↓ scrolls") == "1 more line - ctl+dn scrolls"
    assert in_ascii("◆ Zürich → 東京 …") == "! Z?rich > ???? ~"


@pytest.mark.parametrize(
    ("written", "signs", "all_of_it"),
    [
        ("a\0\x1b[2J\a\x7f\u202e\r", "a..[2J..\\u202e.", "a..[2J..\\u202e."),
        ("\ufffd ┌╼┄┐ ▙▟", "? ++-+ ++", "? ++-+ ++"),
        ("━━╌╌╌ 2/5", "==--- 2/5", "==--- 2/5"),
        ("▶\ufe0f go", ">  go", ">  go"),
        ("e\u0301 漢 1\ufe0f\u20e3", "e\u0301 漢 1\ufe0f\u20e3", "e ?? 1?"),
        ("👩\u200d👧 🇩🇪 क\u094d\u200dष", "👩\u200d👧 🇩🇪 क\u094d\u200dष", "?? ?? ?"),
    ],
)
def test_what_stands_for_characters_is_ascii_and_as_wide(written: str, signs: str, all_of_it: str) -> None:
    """Pictures of control characters are signs of ours; pictures that are joined of several are not."""
    shown = safe_line(written)

    assert (signs_in_ascii(shown), in_ascii(shown)) == (signs, all_of_it)
    assert cell_len(shown) == cell_len(signs) == len(all_of_it)
    every = "".join(safe_line(chr(code)) for code in range(32))
    assert signs_in_ascii(every).isascii()


async def test_in_ascii_whole_screens_are_ascii() -> None:
    """Bars, borders, progress, scrollbars, dialogs and toasts: there is one place for all of them."""
    app = monitor_with(ascii_only=Ascii.SIGNS)
    async with app.run_test(size=(120, 36)) as pilot:
        seen = Monitor(app, pilot, Path())
        for keys, words in (
            ("1", "Promote build"),
            ("2 enter", "chunk 59"),
            ("l", "following"),
            ("escape t", "Checkpoints"),
            ("3", "wave 1"),
            ("4", "Workflows"),
            ("5", "3 waiting"),
            ("6", "Activity"),
            ("colon", "what to do"),
            ("escape question_mark", "In any list"),
        ):
            await seen.press(*keys.split())
            await seen.see(words)
            assert [line for line in seen.text.splitlines() if not line.isascii()] == []
        await seen.press("escape", "1", "a")
        await seen.until(lambda: isinstance(app.screen, Dialog))
        app.tell("a toast • …")
        await seen.see("a toast * ~")
        assert seen.text.isascii()


async def test_the_palette_changes_between_all_signs_and_ascii() -> None:
    """At once, on everything that is drawn already."""
    app = monitor_with()
    async with app.run_test(size=(80, 24)) as pilot:
        seen = Monitor(app, pilot, Path())
        await seen.see("Promote build")
        await seen.press("colon", *"ascii", "enter")
        await seen.unsee("◆")
        assert seen.text.isascii()
        await seen.press("colon", *"signs", "enter")
        await seen.see("◆ input", "╭─ Waiting for you")


# -- themes -----------------------------------------------------------------------------------


def contrast(one: str, other: str) -> float:
    """Return how far apart two colours are, as the web's guidelines for accessibility have it."""

    def luminance(text: str) -> float:
        parts = (part / 255 for part in Color.parse(text).rgb)
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize(
    ("name", "least"), [("dark", 4.5), ("light", 4.5), ("high-contrast", 7.0), ("colour-blind", 4.5)]
)
def test_words_can_be_read_in_every_theme(name: str, least: float) -> None:
    """On the surface, and on the row that the cursor is on."""
    theme = THEMES[name]
    words = {tone: str(getattr(theme, tone)) for tone in TEXT_TONES}
    words |= {tone: theme.variables[tone] for tone in ("line-strong", "line-dim")}

    for behind in (str(theme.background), theme.variables["line-cursor"]):
        room = least if behind == theme.background else least * 0.8
        assert {
            tone: contrast(text, behind) for tone, text in words.items() if contrast(text, behind) < room
        } == {}


def test_good_and_bad_are_blue_and_orange_for_the_colour_blind() -> None:
    """Never a red and a green; and what waits is lighter than both."""
    theme = THEMES["colour-blind"]
    good, bad, waits = (Color.parse(str(tone)).hsl for tone in (theme.success, theme.error, theme.warning))

    assert 200 / 360 < good.h < 230 / 360
    assert 20 / 360 < bad.h < 40 / 360
    assert 45 / 360 < waits.h < 65 / 360


def test_settings_name_the_themes_that_there_are() -> None:
    """The settings cannot ask the monitor, which is above them."""
    assert tuple(THEMES) == MONITOR_THEMES
    assert [theme_after(name) for name in THEMES] == [*MONITOR_THEMES[1:], MONITOR_THEMES[0]]


async def test_one_key_goes_from_theme_to_theme() -> None:
    """It says which, and begins with the one of the settings."""
    app = monitor_with(MonitorSettings(theme="high-contrast"))
    async with app.run_test(size=(80, 24)) as pilot:
        seen = Monitor(app, pilot, Path())
        await seen.see("Promote build")
        assert app.theme_name == "high-contrast"
        for name in ("colour-blind", "ansi", "dark"):
            await seen.press("T")
            await seen.see(f"theme: {name}")


@pytest.mark.parametrize("name", ["ansi", "high-contrast", "colour-blind"])
async def test_what_is_about_to_be_sent_can_be_read_in_every_theme(name: str) -> None:
    """No word has the colour of what is behind it: that would be an answer that nobody has read."""
    app = monitor_with(MonitorSettings(theme=name))
    async with app.run_test(size=(120, 36)) as pilot:
        seen = Monitor(app, pilot, Path())
        await seen.see("Promote build")
        await seen.press("j", "a")
        await seen.dialog("Approve")
        await seen.press("y")
        await seen.see("press y or enter to send")

        strips = app.screen._compositor.render_strips()  # noqa: SLF001 - what is drawn has no other door
        unseen = [
            segment.text
            for strip in strips
            for segment in strip
            if any(map(str.isalnum, segment.text))
            and segment.style is not None
            and segment.style.color is not None
            and segment.style.color.name != "default"
            and segment.style.color == segment.style.bgcolor
        ]
        assert unseen == []


async def test_without_colours_everything_is_still_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even greys are drawn; cursor, tab and focus are seen all the same."""
    monkeypatch.setenv("NO_COLOR", "1")
    app = monitor_with()
    async with app.run_test(size=(80, 24)) as pilot:
        seen = Monitor(app, pilot, Path())
        await seen.see("Promote build")
        await seen.press("T")
        await seen.see("NO_COLOR is set")

        strips = app.screen._compositor.render_strips()  # noqa: SLF001 - what is drawn has no other door
        drawn = [segment for strip in strips for segment in strip if segment.style is not None]
        colours = {
            str(colour.name)
            for s in drawn
            if s.style
            for colour in (s.style.color, s.style.bgcolor)
            if colour
        }
        reversed_text = "".join(s.text for s in drawn if s.style and s.style.reverse)
        assert colours <= {"default"}
        assert "1 Inbox" in reversed_text
        assert "Enter the EUR" in reversed_text
        assert "Promote" not in reversed_text
