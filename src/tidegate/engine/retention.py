"""Which finished runs go, and why each of the others stays: decided from what is listed, without doing it.

A run goes as a whole, with everything that its blocks have started. One that has not ended never goes,
whatever its age: a question may be open for a year. Times only ever keep: set back, the clock makes runs
younger, and which of them are the newest is told by their order, not by their dates. One that a fork goes on
from goes only with that fork, and after it.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from tidegate.model.base import Noun
from tidegate.model.events import RunStatus
from tidegate.model.ids import RunId
from tidegate.model.listing import KeptRun
from tidegate.model.policy import Retention
from tidegate.settings import Cleaning

__all__ = ["EVERYTHING", "Fate", "Limits", "judge", "limits_of", "marks_kept", "rounds"]

_DAY = 86_400.0
_UNITS = ((_DAY, "day"), (3_600.0, "hour"), (60.0, "minute"), (1.0, "second"))


class Limits(Noun):
    """How long the finished runs of a workflow are kept."""

    max_runs: int | None = None
    """How many, the newest. Runs that have not ended do not count."""
    max_age: float | None = None
    """Seconds since they ended."""
    keep_successful: bool = True
    """Whether the last one that succeeded stays in any case."""
    both: bool = False
    """Whether a run goes only if it is beyond both limits, instead of one of them."""


EVERYTHING = Limits(max_runs=0, keep_successful=False)
"""All that has ended goes."""


class Fate(Noun):
    """What becomes of a run, and why."""

    run: KeptRun
    goes: bool
    why: str
    """For people."""
    bytes: int = 0
    """What it takes, with everything below it; 0 where nobody has asked."""

    def but_stays(self, why: str) -> "Fate":
        """Return the fate on a run that could not go after all."""
        return self.evolve(goes=False, why=why)


def limits_of(retention: Retention, cleaning: Cleaning) -> Limits:
    """Return the limits of a workflow whose file says *retention*.

    As soon as the file says how many or how long, that is what holds; otherwise what *cleaning* says.
    """
    if retention.max_checkpoints is not None or retention.max_age_days is not None:
        days = retention.max_age_days
        return Limits(
            max_runs=retention.max_checkpoints,
            max_age=None if days is None else days * _DAY,
            keep_successful=retention.keep_successful,
        )
    return Limits(
        max_runs=cleaning.max_per_workflow,
        max_age=cleaning.ttl_seconds,
        keep_successful=retention.keep_successful,
        both=cleaning.both,
    )


def marks_kept(retention: Retention) -> int | None:
    """Return how many checkpoints of one run stay on the list; None: all. Only a workflow's file limits that."""
    return retention.max_checkpoints


def judge(
    runs: Sequence[KeptRun],
    limits: Mapping[str, Limits],
    now: float,
    *,
    despite_pins: bool = False,
    only: Collection[RunId] = (),
) -> tuple[Fate, ...]:
    """Return what becomes of each run, in the order given.

    Args:
        runs: On top, those that were created last first, all there are of the workflows concerned.
        limits: By workflow. Runs of one that is not named stay.
        now: Seconds since 1970 UTC.
        despite_pins: Whether pins keep nothing.
        only: Those that are meant: of all others nothing is said, and they stay; empty: all.
    """
    finished: dict[str, list[KeptRun]] = {}
    for run in runs:
        if not run.unfinished:
            finished.setdefault(run.workflow, []).append(run)
    fates: dict[str, Fate] = {}
    for workflow, ended in finished.items():
        known = limits.get(workflow)
        last_success = next((run.run_id for run in ended if run.status is RunStatus.SUCCEEDED), None)
        for newer, run in enumerate(ended):
            why = _why_it_stays(
                run, known, is_last_success=run.run_id == last_success, despite_pins=despite_pins
            )
            fates[run.run_id] = (
                Fate(run=run, goes=False, why=why)
                if why or known is None
                else _judge_one(run, newer, known, now)
            )
    judged = (fates.get(run.run_id) or Fate(run=run, goes=False, why=_unfinished(run)) for run in runs)
    meant = frozenset(only)
    return _mind_forks(
        [it for it in judged if not meant or it.run.run_id in meant], despite_pins=despite_pins
    )


def rounds(fates: Sequence[Fate]) -> Iterator[tuple[Fate, ...]]:
    """Yield those that go, one round after the other: each run once all that go on from points of it are gone.

    What could only go before one of its forks is in no round.
    """
    going = {fate.run.run_id: fate for fate in fates if fate.goes}
    left = {run_id: len(fate.run.forks) for run_id, fate in going.items()}
    origins: dict[RunId, list[RunId]] = {}
    for run_id, fate in going.items():
        for fork in fate.run.forks:
            origins.setdefault(fork, []).append(run_id)
    ready = [run_id for run_id, forks in left.items() if not forks]
    while ready:
        yield tuple(going[run_id] for run_id in ready)
        freed = [origin for fork in ready for origin in origins.get(fork, ())]
        for origin in freed:
            left[origin] -= 1
        ready = [origin for origin in dict.fromkeys(freed) if not left[origin]]


def _mind_forks(fates: Sequence[Fate], *, despite_pins: bool) -> tuple[Fate, ...]:
    """Let those stay that a run which stays goes on from, whatever was decided on each by itself."""
    gone = {fate.run.run_id for each in rounds(fates) for fate in each}
    minded = []
    for fate in fates:
        staying = sum(fork not in gone for fork in fate.run.forks)
        is_said = fate.run.unfinished or (fate.run.pinned and not despite_pins)
        minded.append(fate.but_stays(_needed(staying)) if staying and not is_said else fate)
    return tuple(minded)


def _needed(forks: int) -> str:
    return "a run goes on from a point of it" if forks == 1 else f"{forks:,} runs go on from points of it"


def _unfinished(run: KeptRun) -> str:
    return "a run below it has not ended" if run.status.is_terminal else f"it has not ended: {run.status}"


def _why_it_stays(run: KeptRun, limits: Limits | None, *, is_last_success: bool, despite_pins: bool) -> str:
    """Return what protects a finished run whatever its age; empty: nothing."""
    if run.pinned and not despite_pins:
        return "a checkpoint of it is pinned"
    if limits is None:
        return "how long it is kept cannot be told"
    if limits.keep_successful and is_last_success:
        return f"it is the last success of {run.workflow}"
    return ""


def _judge_one(run: KeptRun, newer: int, limits: Limits, now: float) -> Fate:
    """Judge a finished run that nothing protects; *newer* is how many finished ones of its workflow are newer."""
    # A time in the future is that of a clock which was ahead: the run is then as young as can be.
    age = max(0.0, now - run.ended_at)
    reasons = list(_reasons(limits, newer, age))
    passed = [is_passed for is_passed, _ in reasons]
    goes = all(passed) if limits.both else any(passed)
    return Fate(run=run, goes=goes, why=", ".join(why for is_passed, why in reasons if is_passed is goes))


def _reasons(limits: Limits, newer: int, age: float) -> Iterator[tuple[bool, str]]:
    """Yield for each limit whether a run is beyond it, and that in words."""
    if limits.max_runs == 0:
        yield True, "none that has ended is kept"
    elif limits.max_runs is not None:
        which = f"one of the newest {limits.max_runs:,} that have ended"
        yield (True, f"not {which}") if newer >= limits.max_runs else (False, which)
    if limits.max_age is not None:
        more = "more" if age > limits.max_age else "not more"
        yield age > limits.max_age, f"ended {_span(age)} ago, {more} than {_span(limits.max_age)}"
    if limits.max_runs is None and limits.max_age is None:
        yield False, "nothing limits how long it is kept"


def _span(seconds: float) -> str:
    """Return a time in its largest unit."""
    size, unit = next(((size, unit) for size, unit in _UNITS if seconds >= size), _UNITS[-1])
    count = int(seconds // size)
    return f"{count:,} {unit}{'' if count == 1 else 's'}"
