"""Which presses count, decided from times alone."""

import pytest

from tidegate.tui.dialogs.frame.gate import Gate, Pace, Press


@pytest.fixture
def gate() -> Gate:
    """A gate of a dialog that was drawn at second 100."""
    gate = Gate(Pace(inert=0.4, quiet=0.12, burst=0.01))
    gate.open(100.0)
    return gate


def test_nothing_counts_before_the_dialog_is_drawn() -> None:
    """The question cannot be meant by a key that was pressed before anybody could read it."""
    assert not Gate().admits(1e9)


@pytest.mark.parametrize(("at", "counts"), [(99.0, False), (100.0, False), (100.39, False), (100.41, True)])
def test_keys_count_once_the_inert_time_is_over(gate: Gate, at: float, counts: bool) -> None:
    """What decides is when a key was pressed, not when the program came to it."""
    assert gate.admits(at) is counts


def test_nothing_counts_while_an_answer_is_on_its_way(gate: Gate) -> None:
    """One answer in flight at a time."""
    gate.busy = True

    assert not gate.admits(200.0)
    assert not gate.click(200.0, chain=1)


def test_a_second_key_of_its_own_is_clear(gate: Gate) -> None:
    """Enter after y, at the pace of a person."""
    gate.press("y", 101.0)
    gate.press("enter", 101.2)

    assert gate.verdict is Press.CLEAR


def test_a_key_that_follows_at_once_is_hurried(gate: Gate) -> None:
    """A held key, or a paste in a terminal that does not mark pastes."""
    gate.press("y", 101.0)
    gate.press("enter", 101.003)

    assert gate.verdict is Press.HURRIED
    assert gate.is_pasted


def test_the_same_key_again_waits_for_quiet(gate: Gate) -> None:
    """After half a second it may be somebody's second press, or the first repeat of a held key."""
    gate.press("y", 101.0)
    gate.press("y", 101.5)

    assert gate.verdict is Press.REPEATED


def test_an_enter_right_after_a_typed_character_came_out_of_a_paste(gate: Gate) -> None:
    """Characters in a field are presses too."""
    gate.typed("x", 101.0)
    gate.press("enter", 101.001)

    assert gate.is_pasted


def test_the_second_click_of_a_double_click_does_not_count(gate: Gate) -> None:
    """A double click is one thought."""
    assert gate.click(101.0, chain=1)
    assert not gate.click(101.2, chain=2)


def test_the_click_that_brings_the_terminal_back_does_not_count(gate: Gate) -> None:
    """It was aimed at a window, not at a button."""
    gate.focus_regained()

    assert not gate.click(101.0, chain=1)
    assert gate.click(102.0, chain=1)


def test_a_key_after_coming_back_makes_the_next_click_count(gate: Gate) -> None:
    """Whoever came back by keyboard clicks on purpose."""
    gate.focus_regained()
    gate.press("down", 101.0)

    assert gate.click(102.0, chain=1)


def test_a_character_behind_one_that_came_too_early_is_of_the_same_text(gate: Gate) -> None:
    """Until there is a pause; the same one again is somebody who tries again, and enter is no letter."""
    gate.early("a", 100.3)

    assert gate.is_writing("y", 100.5)
    assert not gate.is_writing("a", 100.5)
    assert not gate.is_writing("enter", 100.5)
    assert not gate.is_writing("y", 100.71)


@pytest.mark.parametrize(
    ("early", "at", "runs_on"),
    [((), 100.5, False), ((100.2,), 100.5, True), ((100.2,), 101.0, False), ((100.1, 100.2), 103.0, True)],
)
def test_a_text_that_began_too_early_runs_on(
    gate: Gate, early: tuple[float, ...], at: float, runs_on: bool
) -> None:
    """One character may be a second press of the key that led here, if a pause follows; several are a text."""
    for time in early:
        gate.early("e", time)
    gate.typed("x", at)

    assert gate.runs_on is runs_on
    gate.press("ctrl+s", at + 1)
    assert not gate.runs_on


@pytest.mark.parametrize(
    ("key", "after", "verdict"),
    [("n", 0.2, Press.HURRIED), ("n", 0.3, Press.CLEAR), ("enter", 0.2, Press.REPEATED)],
)
def test_a_letter_right_behind_a_field_is_held_back(
    gate: Gate, key: str, after: float, verdict: Press
) -> None:
    """It begins the next line of a text; enter again does what it says, and so does a letter after a pause."""
    gate.press("enter", 101.0)
    gate.left_field()
    gate.press(key, 101.0 + after)

    assert gate.verdict is verdict


@pytest.mark.parametrize(("key", "is_of_table"), [("tab", True), ("x", True), ("right", False)])
def test_an_enter_behind_a_tab_in_one_read_came_out_of_a_table(
    gate: Gate, key: str, is_of_table: bool
) -> None:
    """Behind an arrow it is somebody on a slow line who has chosen a button."""
    gate.press(key, 101.0)
    gate.press("enter", 101.001)

    assert gate.is_of_table is is_of_table
