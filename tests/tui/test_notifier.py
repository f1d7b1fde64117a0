"""When the operator is told that something waits: each question once for each thing that happens to it."""

from hypothesis import given
from hypothesis import strategies as st

from tidegate.model.ids import PauseId
from tidegate.model.listing import OpenPause
from tidegate.settings import Notify
from tidegate.tui.host.notifier import Notifier, title_of


def test_the_title_says_how_much_waits_and_whether_some_is_late() -> None:
    """A terminal shows it while one looks elsewhere."""
    assert title_of(0, is_late=False) == "tidegate"
    assert title_of(7, is_late=False) == "(7) tidegate"
    assert title_of(7, is_late=True) == "(7!) tidegate"


def _open(*names: str, deadline: float | None = None, assignee: str = "") -> tuple[OpenPause, ...]:
    return tuple(OpenPause(pause_id=PauseId(name), deadline=deadline, assignee=assignee) for name in names)


def _look(
    notifier: Notifier, asked: tuple[OpenPause, ...], now: float, *, asleep: frozenset[str] = frozenset()
) -> None:
    """Look at what is open, for ana; both clocks say the same."""
    notifier.look(asked, me="ana", asleep=asleep, at=now, now=now)


def test_what_was_there_at_the_start_is_no_news() -> None:
    """Nor is an answer; a new question is, and a deadline that passes."""
    notifier = Notifier(Notify.UNFOCUSED)
    late, other = _open("a", deadline=-1), _open("b", deadline=30)

    _look(notifier, (*late, *other, *_open("c")), 0)
    _look(notifier, (*late, *other), 5)
    assert not notifier.take_bell(5, may_ring=True)
    _look(notifier, (*late, *other, *_open("d")), 10)
    assert notifier.take_bell(10, may_ring=True)
    _look(notifier, (*late, *other, *_open("d")), 30)
    assert notifier.take_bell(30, may_ring=True)
    _look(notifier, (*late, *other, *_open("d")), 40)
    assert not notifier.take_bell(40, may_ring=True)
    assert notifier.take_message(40, is_focused=False) == "1 new question, a deadline has passed (3 wait)"


def test_one_that_comes_while_another_goes_is_told() -> None:
    """As many wait as before; it is another one all the same."""
    notifier = Notifier(Notify.UNFOCUSED)
    _look(notifier, _open("a", "b"), 0)

    _look(notifier, _open("b", "c"), 1)

    assert notifier.take_bell(1, may_ring=True)
    assert notifier.take_message(2, is_focused=False) == "1 new question (2 wait)"


def test_each_deadline_that_passes_is_told_though_another_has_passed_already() -> None:
    """The second one is no less late than the first."""
    notifier = Notifier(Notify.UNFOCUSED)
    asked = _open("a", deadline=10) + _open("b", deadline=30) + _open("c", deadline=30)
    told = []
    for now in (0, 10, 11, 20, 30, 31, 60):
        _look(notifier, asked, now)
        told.append((notifier.take_bell(now, may_ring=True), notifier.take_message(now, is_focused=False)))

    assert [now for now, (rings, _) in zip((0, 10, 11, 20, 30, 31, 60), told, strict=True) if rings] == [
        10,
        30,
    ]
    assert [message for _, message in told if message] == [
        "a deadline has passed (3 wait)",
        "2 deadlines have passed (3 wait)",
    ]


def test_nobody_is_flooded() -> None:
    """The bell rings once a second at most; what comes within ten seconds is told together."""
    notifier = Notifier(Notify.UNFOCUSED)
    rung = 0
    for n in range(30):
        _look(notifier, _open(*map(str, range(n))), n / 10)
        rung += notifier.take_bell(n / 10, may_ring=True)
    assert rung == 3
    # What came within the same second as a bell is rung for with the next one.
    assert notifier.take_bell(3.1, may_ring=True)
    assert not notifier.take_bell(9, may_ring=True)
    assert notifier.take_message(3, is_focused=False) == "29 new questions (29 wait)"
    _look(notifier, _open(*map(str, range(31))), 4)
    _look(notifier, _open("30"), 5)
    assert notifier.take_message(12.9, is_focused=False) == ""
    assert notifier.take_message(13, is_focused=False) == "1 new question (1 waits)"
    assert notifier.take_message(99, is_focused=False) == ""


def test_what_is_answered_at_once_calls_nobody() -> None:
    """It is let be for a second before it is told."""
    notifier = Notifier(Notify.UNFOCUSED)
    _look(notifier, (), 0)
    _look(notifier, _open("a", "b"), 1)
    assert notifier.take_message(1.9, is_focused=False) == ""

    _look(notifier, _open("b"), 1.95)

    assert notifier.take_message(2, is_focused=False) == "1 new question (1 waits)"


def test_a_bell_that_would_be_misunderstood_comes_later() -> None:
    """Once the dialog is closed; and not at all if nothing of it is open any more."""
    notifier = Notifier(Notify.UNFOCUSED)
    _look(notifier, (), 0)
    _look(notifier, _open("a"), 1)

    assert not notifier.take_bell(1, may_ring=False)
    assert not notifier.take_bell(60, may_ring=False)
    assert notifier.take_bell(61, may_ring=True)
    assert not notifier.take_bell(70, may_ring=True)
    _look(notifier, _open("a", "b"), 80)
    assert not notifier.take_bell(80, may_ring=False)
    _look(notifier, _open("a"), 81)
    assert not notifier.take_bell(90, may_ring=True)


def test_what_is_somebody_elses_calls_once_it_is_ours() -> None:
    """Neither its coming nor its deadline does before; what is ours by name does."""
    notifier = Notifier(Notify.UNFOCUSED)
    _look(notifier, (), 0)
    bens = _open("a", deadline=5, assignee="ben")
    _look(notifier, bens, 1)
    _look(notifier, bens, 6)
    assert not notifier.take_bell(6, may_ring=True)
    assert notifier.take_message(8, is_focused=False) == ""

    _look(notifier, _open("a", deadline=5, assignee="ana"), 20)

    assert notifier.take_bell(20, may_ring=True)
    told = "1 new question, a deadline has passed (1 waits)"
    assert notifier.take_message(21, is_focused=False) == told
    _look(notifier, bens, 30)
    _look(notifier, _open("a", deadline=5), 31)
    assert notifier.take_message(60, is_focused=False) == ""


def test_what_is_snoozed_calls_when_its_time_has_come() -> None:
    """Not before, and not as a new one; who wakes it by hand is not told."""
    notifier = Notifier(Notify.UNFOCUSED)
    _look(notifier, _open("a", "b"), 0)
    _look(notifier, _open("a", "b", "c"), 1, asleep=frozenset("abc"))
    assert notifier.take_message(5, is_focused=False) == ""

    _look(notifier, _open("a", "b", "c"), 6, asleep=frozenset("ab"))
    assert not notifier.take_bell(6, may_ring=True)
    _look(notifier, _open("a", "b", "c"), 7, asleep=frozenset("b"))
    notifier.call_back("a")
    assert notifier.take_bell(7, may_ring=True)
    assert notifier.take_message(7, is_focused=False) == "1 snoozed question is back (2 wait)"
    assert notifier.take_message(60, is_focused=False) == ""


def test_who_looks_is_not_told_by_the_terminal_too() -> None:
    """And is not told later, of what was seen; unless it is wanted always, or never."""
    for notify, focused, elsewhere in (
        (Notify.UNFOCUSED, "", ""),
        (Notify.ALWAYS, "1 new question (1 waits)", ""),
        (Notify.OFF, "", ""),
    ):
        notifier = Notifier(notify)
        _look(notifier, (), 0)
        _look(notifier, _open("a"), 1)
        assert notifier.take_bell(1, may_ring=True) is (notify is not Notify.OFF)
        assert notifier.take_message(2, is_focused=True) == focused
        assert notifier.take_message(30, is_focused=False) == elsewhere


_NAMES = "abcdef"
_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("open"), st.sampled_from(_NAMES), st.none() | st.integers(0, 120)),
        st.tuples(st.just("close"), st.sampled_from(_NAMES), st.none()),
        st.tuples(st.just("hand"), st.sampled_from(_NAMES), st.sampled_from(["", "ana", "ben"])),
        st.tuples(st.just("wait"), st.none(), st.sampled_from([0.1, 1, 3, 11])),
        st.tuples(st.just("look"), st.none(), st.none()),
    ),
    max_size=60,
)


class _World:
    """Questions that come and go, and what a person would have to be told of them."""

    def __init__(self) -> None:
        self.now = 0.0
        self.asked: dict[str, OpenPause] = {}
        self.closed: set[str] = set()
        self.notifier = Notifier(Notify.UNFOCUSED)
        self.told: dict[str, set[str]] = {"new": set(), "late": set()}
        self.known: dict[str, set[str]] | None = None
        """What there was at the first look."""

    def do(self, what: str, name: str | None, value: object) -> None:
        """Take one step."""
        if what == "wait" and isinstance(value, int | float):
            self.now += value
        elif what == "look":
            self.look()
        elif what == "open" and name not in self.asked and name not in self.closed and name is not None:
            deadline = float(value) if isinstance(value, int) else None
            self.asked[name] = OpenPause(pause_id=PauseId(name), deadline=deadline)
        elif name in self.asked and name is not None:
            if what == "close":
                del self.asked[name]
                self.closed.add(name)
            elif what == "hand" and isinstance(value, str):
                self.asked[name] = self.asked[name].evolve(assignee=value)

    def look(self) -> None:
        """Let the notifier look and tell; it must tell just what nobody was told of yet."""
        _look(self.notifier, tuple(self.asked.values()), self.now)
        if self.known is None:
            self.known = self.calling()
        missing = {kind: found - self.known[kind] - self.told[kind] for kind, found in self.calling().items()}
        message = self.notifier.take_message(self.now, is_focused=False)
        if message:
            assert message == _as_told(len(missing["new"]), len(missing["late"]), len(self.asked))
            for kind, found in missing.items():
                self.told[kind] |= found

    def calling(self) -> dict[str, set[str]]:
        """Return which questions are ana's business, and which of those are late."""
        ours = {name: one for name, one in self.asked.items() if one.assignee in {"", "ana"}}
        late = {name for name, one in ours.items() if one.deadline is not None and one.deadline <= self.now}
        return {"new": set(ours), "late": late}


def _as_told(new: int, late: int, waiting: int) -> str:
    parts = [f"{new} new question{'s' * (new != 1)}"] if new else []
    if late:
        parts.append("a deadline has passed" if late == 1 else f"{late} deadlines have passed")
    return f"{', '.join(parts)} ({waiting} {'waits' if waiting == 1 else 'wait'})"


@given(_STEPS)
def test_each_question_is_told_once_for_each_thing_that_happens_to_it(
    steps: list[tuple[str, str | None, object]],
) -> None:
    """However they come, go, change hands and run late meanwhile: none twice, and none that stays is left out."""
    world = _World()
    world.look()
    for step in steps:
        world.do(*step)
    # Until every deadline has passed, and then for what may have to wait its turn.
    for seconds in (121, 11, 11):
        world.now += seconds
        world.look()

    assert world.known == {"new": set(), "late": set()}
    for kind, there in world.calling().items():
        assert there <= world.told[kind]
