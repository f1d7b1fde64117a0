"""How rows and notes share the room that there is: nothing is cut while something beside it has cells to spare."""

import pytest

from tidegate.tui.lines import Column, Line, Piece, Tone, column_widths, shared_by_need
from tidegate.tui.widgets.bars import beside_note, note_in

COLUMNS = (Column("STATUS", 6), Column("WORKFLOW", weight=2), Column("RUN", 6), Column("WHY", weight=2))
WIDTH = 61


@pytest.mark.parametrize(
    ("workflow", "why", "widths"),
    [
        (10, 60, (10, 36)),
        (60, 3, (43, 3)),
        (60, 60, (23, 23)),
        (10, 10, (10, 36)),
        (0, 0, (8, 38)),
    ],
    ids=[
        "the last needs it",
        "the first needs it",
        "both are cut alike",
        "both have enough",
        "nothing is there",
    ],
)
def test_columns_share_by_need(workflow: int, why: int, widths: tuple[int, int]) -> None:
    """Each has what it needs as far as the other leaves it; the last one takes what is left."""
    pieces = (Piece("done"), Piece("w" * workflow), Piece("4f2a"), Piece("y" * why))

    shared = shared_by_need(COLUMNS, [Line("row", pieces, columns=True)], WIDTH)

    shown = column_widths(shared, WIDTH)
    assert shown == (6, widths[0], 6, widths[1])
    assert sum(shown) + len(COLUMNS) - 1 == WIDTH


def test_a_column_that_is_hidden_takes_nothing() -> None:
    """Not even where it would need much; and a list without columns has none to share."""
    columns = (*COLUMNS[:3], Column("WHY", weight=2, since=WIDTH + 1))
    pieces = (Piece("done"), Piece("w" * 9), Piece("4f2a"), Piece("y" * 90))

    shown = column_widths(shared_by_need(columns, [Line("row", pieces, columns=True)], WIDTH), WIDTH)

    assert shown == (6, WIDTH - 14, 6, 0)
    assert shared_by_need((), [], WIDTH) == ()


@pytest.mark.parametrize(
    ("tone", "length", "kept"),
    [(Tone.DONE, 20, 39), (Tone.DONE, 50, 24), (Tone.DIM, 50, 9), (Tone.DIM, 58, 1)],
)
def test_a_hint_has_the_whole_line_if_it_needs_it(tone: Tone, length: int, kept: int) -> None:
    """What is said about the screen comes back when it goes; any other note leaves some of it."""
    left, note = beside_note((Piece(" "), Piece("x" * 100)), Piece("n" * length, tone), 61)

    assert sum(len(piece.text) for piece in left) == kept
    assert note == (Piece("n" * length, tone),)


@pytest.mark.parametrize(
    ("tone", "length", "beside", "shown"),
    [
        (Tone.DONE, 40, 60, 40),
        (Tone.DONE, 70, 60, 48),
        (Tone.DONE, 70, 10, 67),
        (Tone.DONE, 300, 0, 77),
        (Tone.DIM, 70, 60, 70),
    ],
    ids=["short", "long", "much room", "far too long", "a hint"],
)
def test_a_long_note_leaves_room_for_the_screen(tone: Tone, length: int, beside: int, shown: int) -> None:
    """It ends in an ellipsis, and is kept in full; a hint is kept nowhere, and so never cut."""
    text = note_in(Piece("n" * length, tone), 80, beside)

    assert len(text) == shown
    assert text.endswith("…") is (shown < length)
