"""Which question comes after the one that was just answered."""

from dataclasses import dataclass

import pytest

from tidegate.model.ids import BlockId, PauseId, RunId, Seq
from tidegate.model.listing import PauseRow
from tidegate.model.prompt import ConfirmPrompt
from tidegate.tui.screens.lists.chain import Chain, ordinal


@dataclass
class Hand:
    """The hand of a clock that is moved by hand."""

    at: float = 0.0

    def __call__(self) -> float:
        """Return where it stands."""
        return self.at


def asks(pause_id: str, run_id: str, root: str | None = None) -> PauseRow:
    """Return an open question of a run, or of one below another."""
    return PauseRow(
        pause_id=PauseId(pause_id),
        run_id=RunId(run_id),
        workflow="w",
        block=BlockId("b"),
        attempt=1,
        prompt=ConfirmPrompt(message="Go on?"),
        opened_at=0.0,
        opened_seq=Seq(2),
        root=RunId(root) if root else None,
    )


def test_it_goes_on_with_the_run_of_the_question_that_was_closed() -> None:
    """Also with a run below it; each further one counts on, and whoever comes from elsewhere begins anew."""
    chain = Chain(Hand())
    chain.leave(asks("p1", "r"))

    assert chain.look([asks("q", "other")], "q") is None
    assert chain.look([asks("q", "other"), asks("p2", "child", "r")], "q") == "p2"
    assert chain.position(PauseId("p2")) == "2nd in a row of this run"
    assert chain.position(PauseId("q")) == ""
    chain.leave(asks("p2", "child", "r"))
    assert chain.look([asks("p3", "r")], "") == "p3"
    assert chain.position(PauseId("p3")) == "3rd in a row of this run"
    assert chain.look([], "") is None
    assert chain.following is None
    chain.leave(asks("q", "other"))
    assert chain.look([asks("q2", "other")], "") == "q2"
    assert chain.position(PauseId("q2")) == "2nd in a row of this run"


def test_a_cursor_that_was_moved_or_a_while_later_ends_it() -> None:
    """Nobody is taken from what he reads."""
    hand = Hand()
    chain = Chain(hand)
    chain.leave(asks("p1", "r"))
    assert chain.look([asks("x", "a"), asks("y", "b")], "x") is None
    assert chain.look([asks("x", "a"), asks("y", "b"), asks("p2", "r")], "y") is None
    assert chain.following is None

    chain.leave(asks("p2", "r"))
    hand.at = 4.0
    assert chain.look([asks("p3", "r")], "") is None


def test_that_the_next_question_is_hidden_is_news_for_a_while() -> None:
    """And of the filter that hides it only: who takes another one looks for something else."""
    hand = Hand()
    chain = Chain(hand)

    def follow() -> None:
        chain.leave(asks("p1", "r"))
        assert chain.look([asks("p2", "r")], "") == "p2"

    follow()
    assert chain.is_news("kind:input")
    assert chain.is_news("kind:input")
    assert not chain.is_news("kind:choice")
    assert chain.following is None
    follow()
    assert chain.is_news("kind:choice")
    hand.at = 10.5
    assert not chain.is_news("kind:choice")
    assert chain.following is None


@pytest.mark.parametrize(
    ("number", "written"),
    [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (112, "112th"), (23, "23rd")],
)
def test_a_place_in_an_order_is_written_as_people_say_it(number: int, written: str) -> None:
    """Eleven to thirteen are the exceptions."""
    assert ordinal(number) == written
