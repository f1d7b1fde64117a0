"""Engines on one store for an hour: random workflows, kills, standstills, answers, turns and clean-up.

After every step the laws of each run that changed are checked, and every minute those of the whole store; a line per
minute says how much there is. It ends with a verdict, also on whether memory and file stayed bounded.

`python benchmarks/soak.py [--minutes 60] [--seed N] [--folder DIR] [--directory]`
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / folder) for folder in ("tests", "tests/engine", "tests/acceptance")]

from journal_invariants import Broken  # noqa: E402 - it stands with the tests that share it
from soak_measure import Measure  # noqa: E402
from soaking import soak  # noqa: E402
from tidegate.errors import TidegateError  # noqa: E402

RSS_LIMIT = 400 << 20
"""Bytes, of the engine that is never killed."""
WAL_LIMIT = 64 << 20
GROWTH = 1.5
"""How much more there may be in the last third than in the middle one."""
SLACK = 16 << 20
"""Bytes that do not count as growth."""


def grown(measures: Sequence[Measure], what: str) -> str:
    """Return how *what* has grown beyond its bounds; empty if it has not."""
    third = len(measures) // 3
    if not third:
        return ""
    middle = max(getattr(measure, what) for measure in measures[third : 2 * third])
    last = max(getattr(measure, what) for measure in measures[2 * third :])
    if last <= GROWTH * middle + SLACK:
        return ""
    return f"{what} grew from {middle / 2**20:.1f} to {last / 2**20:.1f} MiB"


def unbounded(measures: Sequence[Measure]) -> list[str]:
    """Return what did not stay bounded, in words."""
    found = [words for what in ("elder_rss", "file") if (words := grown(measures, what))]
    for what, limit in (("elder_rss", RSS_LIMIT), ("wal", WAL_LIMIT)):
        most = max((getattr(measure, what) for measure in measures), default=0)
        if most > limit:
            found.append(f"{what} reached {most / 2**20:.1f} MiB of {limit / 2**20:.0f} MiB")
    return found


def main() -> int:
    """Soak, and say how it went; return 1 if something did not hold."""
    parser = argparse.ArgumentParser(description="Soak engines on one store.")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=int(time.monotonic() * 1000) % 1_000_000)
    parser.add_argument("--folder", type=Path, help="an empty one, which is kept; default: a temporary one")
    parser.add_argument("--directory", action="store_true", help="keep the store in a directory of files")
    asked = parser.parse_args()
    folder = asked.folder or Path(tempfile.mkdtemp(prefix="tidegate-soak-"))
    (folder / "history" if asked.directory else folder).mkdir(parents=True, exist_ok=True)
    print(f"seed {asked.seed}, {asked.minutes:g} minutes, in {folder}", flush=True)
    said: list[str] = []

    def say(line: str) -> None:
        said.append(line)
        print(line, flush=True)

    try:
        done = asyncio.run(soak(folder, asked.minutes * 60, asked.seed, say))
    except (Broken, TidegateError) as error:
        print(f"BROKEN (seed {asked.seed}): {error}\nThe store and what the engines said is kept in {folder}")
        return 1
    faults = unbounded(done.measures)
    print("steps: " + ", ".join(f"{kind} {count}" for kind, count in done.steps.most_common()))
    print("told: " + ", ".join(f"{word} {count}" for word, count in done.laws.told.most_common()))
    print("\n".join(faults) or "memory and file stayed bounded")
    print("BROKEN" if faults else f"HELD: every law, at each of {done.steps.total()} steps")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
