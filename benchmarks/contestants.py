"""Who is measured: which packages in which environment, by which driver, at which workloads, how often at most."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["ALL", "DRIVERS", "ENGINES", "Contestant", "chosen"]

DRIVERS = Path(__file__).parent / "drivers"
ROOT = Path(__file__).parents[1]
_ALWAYS = 1_000_000


@dataclass(frozen=True, slots=True)
class Contestant:
    """One engine under one setting."""

    name: str
    group: str
    """What ``--only`` takes; its environment has the same name, unless `environment` says otherwise."""
    driver: str
    workloads: Mapping[str, int]
    """At most how many repetitions of each, for what takes minutes; what is not in here is not run."""
    arguments: tuple[str, ...] = ()
    environment: str = ""
    steps: Mapping[str, int] = field(default_factory=dict)
    """Of a run, where it is not the workload's own number."""

    @property
    def home(self) -> str:
        """Return the name of its environment."""
        return self.environment or self.group


PACKAGES: Mapping[str, tuple[str, ...]] = {
    "tidegate": (str(ROOT),),
    "dbos": ("dbos==3.4.0",),
    "langgraph": ("langgraph==1.2.24", "langgraph-checkpoint-sqlite==3.1.2", "aiosqlite==0.22.1"),
    "burr": ("apache-burr==0.43.0", "aiosqlite==0.22.1"),
}
"""What each environment holds; Tidegate is this checkout, built anew each time."""

_QUICK = dict.fromkeys(("W1", "W2", "W4"), _ALWAYS)
_WAVE = {"W3": _ALWAYS}
# Seconds to minutes each, and hundreds of megabytes where an engine writes its whole state at each step.
_LONG = {"W4k": 2, "W5": 2}
_OURS = _QUICK | _WAVE | {"W4k": _ALWAYS, "W5": _ALWAYS, "W10k": 3, "W5k": 2}

ENGINES = (
    Contestant("tidegate", "tidegate", "tidegate_driver.py", _OURS | {"W64k": _ALWAYS}),
    Contestant("reference", "raw", "reference_driver.py", _OURS, environment="tidegate"),
    Contestant("dbos", "dbos", "dbos_driver.py", _QUICK | _WAVE | _LONG),
    Contestant("dbos-wal", "dbos", "dbos_driver.py", _QUICK | _WAVE | _LONG, arguments=("--wal",)),
    Contestant("langgraph", "langgraph", "langgraph_driver.py", _QUICK | _WAVE | _LONG),
    Contestant("burr", "burr", "burr_driver.py", _QUICK | _LONG),
)
# Rows, not steps: enough of them to tell one disk from another.
LIMIT = Contestant(
    "raw",
    "raw",
    "sqlite_driver.py",
    dict.fromkeys(("W1", "W2"), _ALWAYS),
    environment="tidegate",
    steps={"W1": 500, "W2": 200},
)
ALL = (LIMIT, *ENGINES)


def chosen(groups: str) -> tuple[Contestant, ...]:
    """Return the contestants of the groups or names in a list with commas; empty: all.

    Raises:
        ValueError: there is no such group or name.
    """
    wanted = {word.strip() for word in groups.split(",") if word.strip()}
    known = {one.group for one in ALL} | {one.name for one in ALL}
    if unknown := sorted(wanted - known):
        raise ValueError(f"there is no contestant '{unknown[0]}': take some of {', '.join(sorted(known))}")
    return tuple(one for one in ALL if not wanted or {one.name, one.group} & wanted)
