"""Fields of a form in which one is chosen, and what goes out that nobody has chosen."""

from typing import Any

import pytest
from textual.pilot import Pilot

from tidegate.model.prompt import ChoicePrompt, FormField, FormPrompt, InputKind, InputPrompt
from tidegate.tui.dialogs import Pace
from tidegate.tui.dialogs.bodies.fields import left_words
from tidegate.tui.dialogs.frame.marks import MarkedList
from tui.dialogs.host import Desk, Host, answering, bar, chunk, ready, screen_text, until

SHORT = Pace(inert=0, quiet=0, burst=0.01, writing=0.3)
"""Whoever writes has paused after this."""
SLOW = 0.08
"""Seconds between two keys of somebody who types."""
CANARY = FormField(
    id="canary",
    prompt=InputPrompt(prompt="Canary first?", input_type=InputKind.BOOLEAN, default="false"),
    required=False,
)
SIZE = FormField(
    id="size", prompt=ChoicePrompt(question="Which size?", choices=("small", "large", "huge")), required=False
)
WORD = FormField(id="word", prompt=ChoicePrompt(question="Well?", choices=("No", "Yes")))
HOST = FormField(
    id="host",
    prompt=ChoicePrompt(question="Which host?", choices=tuple(f"host-{number}" for number in range(1, 14))),
)
HOSTS = FormField(
    id="hosts", prompt=ChoicePrompt(question="Which hosts?", choices=("a", "b", "c"), multiple=True, max=3)
)


def form(*fields: FormField) -> FormPrompt:
    """Return a form of these fields."""
    return FormPrompt(message="How?", fields=fields)


def marks(app: Host) -> list[list[str]]:
    """Return what is chosen in each list."""
    return [shown.marks.chosen for shown in app.dialog.query(MarkedList)]


async def write(pilot: Pilot[None], *keys: str) -> None:
    """Type as a person does."""
    for key in keys:
        await pilot.press(key)
        await pilot.pause(SLOW)


@pytest.mark.parametrize(
    ("field", "keys", "value"),
    [
        (CANARY, ["y"], True),
        (CANARY, ["n"], False),
        (CANARY, ["n", "y"], True),
        (CANARY, ["y", "y"], True),
        (CANARY, ["1"], True),
        (CANARY, ["down"], True),
        (CANARY, ["down", "down"], False),
        (CANARY, ["up", "space"], False),
        (CANARY, ["down", "enter", "space"], True),
        (WORD, ["y"], "Yes"),
        (WORD, ["n"], "No"),
        (SIZE, ["down", "down"], "large"),
        (SIZE, ["end", "home"], "small"),
        (SIZE, ["2", "2"], "large"),
        (HOST, ["1", "2"], "host-12"),
    ],
)
async def test_every_key_that_moves_the_cursor_chooses(field: FormField, keys: list[str], value: Any) -> None:
    """In what takes one of a few: y, n, numbers and arrows; a second press of any takes nothing back."""
    prompt = form(field)
    desk = Desk(prompt)
    async with answering(prompt, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*keys, "ctrl+s")
        await until(pilot, lambda: app.results)

        assert desk.values == [{field.id: value}]


async def test_coming_to_a_field_chooses_nothing() -> None:
    """However often one goes through: what was left empty is empty."""
    async with answering(form(CANARY, SIZE, HOSTS)).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("tab", "tab", "tab", "shift+tab", "shift+tab", "shift+tab")

        assert marks(app) == [[], [], []]
        assert [shown.highlighted for shown in app.dialog.query(MarkedList)] == [None, None, None]


async def test_what_may_stay_empty_is_emptied_by_backspace() -> None:
    """The bar says what is chosen, and how it is taken back."""
    prompt = form(CANARY, SIZE)
    desk = Desk(prompt)
    async with answering(prompt, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("y")
        assert bar(app).startswith("canary: yes; backspace takes it back. Tab goes")
        await pilot.press("backspace")
        assert marks(app) == [[], []]
        assert bar(app).startswith("canary: nothing is chosen.")
        await pilot.press("tab", "down", "ctrl+s")
        assert bar(app).endswith("canary: no (left as it is).")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.results)

        assert desk.values == [{"canary": False, "size": "small"}]


@pytest.mark.parametrize(
    "text", [["y", "e", "s"], ["n", "o"], ["y", "e", "s", "space", "n"], [*"oh", "y"], [*"any"], ["2", "x"]]
)
async def test_a_text_chooses_nothing(text: list[str]) -> None:
    """Neither by its first letter nor by one behind a letter that means nothing; after a pause y counts again."""
    async with answering(form(CANARY, SIZE), pace=SHORT).run_test() as pilot:
        app = await ready(pilot)
        await write(pilot, *text)
        assert "You seem to be writing" in bar(app)
        assert marks(app) == [[], []]
        await pilot.pause(0.4)
        await pilot.press("y")

        assert marks(app) == [["yes"], []]


@pytest.mark.parametrize("text", ["yes", "no idea", "any", "oh y", "1st"])
async def test_a_text_in_one_read_chooses_nothing(text: str) -> None:
    """In whatever order its letters are handled; what was chosen before it stays."""
    async with answering(form(CANARY, SIZE), pace=SHORT).run_test() as pilot:
        app = await ready(pilot)
        chunk(app, text)
        await pilot.pause(0.4)
        assert marks(app) == [[], []]
        await pilot.press("down", "down")
        await pilot.pause(0.4)
        chunk(app, text)
        await pilot.pause(0.2)

        assert marks(app) == [["no"], []]


async def test_a_letter_long_after_a_choice_leaves_it() -> None:
    """It begins no text with what was chosen before somebody paused."""
    async with answering(form(CANARY, HOSTS), pace=SHORT).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("y", "tab", "1", "3")
        await pilot.pause(0.4)
        await write(pilot, "a", "b", "space", "1", "c")

        assert marks(app) == [["yes"], ["a", "c"]]


async def test_y_and_n_are_letters_where_something_else_is_asked() -> None:
    """A list of other choices takes them as a text, as before."""
    async with answering(form(SIZE), pace=SHORT).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("y")

        assert "You seem to be writing" in bar(app)
        assert marks(app) == [[]]


async def test_what_was_left_stays_named_when_it_is_known_what_follows() -> None:
    """The forecast comes behind it, and not in its place."""
    prompt = form(CANARY, SIZE)
    async with answering(prompt).run_test() as pilot:
        app = await ready(pilot)
        body: Any = app.dialog.query_one("#dialog-body")
        body.foretell = lambda _: "Then wave 2 runs."
        await pilot.press("ctrl+s")
        assert bar(app).endswith("It is then: canary: no, size: nothing. Then wave 2 runs.")
        await pilot.press("escape", "tab", "2", "ctrl+s")

        assert bar(app).endswith("canary: no (left as it is). Then wave 2 runs.")


@pytest.mark.parametrize("size", [(80, 24), (40, 12), (120, 36)])
async def test_the_armed_line_says_at_every_size_what_was_left(size: tuple[int, int]) -> None:
    """At least one of it, and how many more there are."""
    left = [CANARY.evolve(id=f"canary_{number}") for number in range(9)]
    prompt = form(SIZE, *left)
    async with answering(prompt).run_test(size=size) as pilot:
        app = await ready(pilot)
        await pilot.press("2", "ctrl+s")
        text = " ".join(screen_text(app).replace("│", " ").split())

        assert "canary_0: no, " in text
        assert "more (left as they are)." in text


def test_what_was_left_is_one_safe_line() -> None:
    """Cut to its room, whatever the values are."""
    assert left_words({}, 80) == ""
    assert left_words({"canary": False}, 80) == "canary: no (left as it is)."
    assert left_words({"canary": False, "n": 2}, 80) == "canary: no, n: 2 (left as they are)."
    several = {"a": "long enough", "b": "long enough", "c": "long enough"}
    assert left_words(several, 50) == "a: long enough, and 2 more (left as they are)."
    assert left_words(several, 1) == "a: long enough, and 2 more (left as they are)."
    assert left_words({"a": ""}, 80) == "a: empty (left as it is)."
    evil = left_words({"a\x1b[2J\n": "\u202e" + "x" * 500}, 80)
    assert not set("\x1b\u202e\n") & set(evil)
    assert len(evil) < 80
