"""Durable steps of Tidegate, of the bare SQLite writer and of other engines, side by side.

`python benchmarks/durability.py` makes a virtual environment for each contestant, runs all workloads in turn
(the first repetition of everything, then the second, ...), each in a process and folder of its own on the
same disk, and prints a table; `--json FILE` keeps every sample. See benchmarks/README.md.
"""

import argparse
import json
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from contestants import Contestant, chosen
from drivers.protocol import WORKLOADS
from environments import Unavailable, python_of, versions_in
from figures import Figures
from machine import facts
from report import as_markdown
from rounds import Plan, counted, latencies, sampled, say

HERE = Path(__file__).parent
_NAMED = (
    "tidegate",
    "dbos",
    "SQLAlchemy",
    "langgraph",
    "langgraph-checkpoint-sqlite",
    "aiosqlite",
    "apache-burr",
)


def _pythons(contestants: Sequence[Contestant], folder: Path) -> dict[str, Path]:
    """Return the interpreters that could be had."""
    pythons: dict[str, Path] = {}
    for name in dict.fromkeys(one.home for one in contestants):
        say(f"environment {name}")
        try:
            pythons[name] = python_of(name, folder)
        except Unavailable as error:
            say(f"{name} is left out: {error}")
    return pythons


def _versions(pythons: dict[str, Path]) -> dict[str, dict[str, str]]:
    return {name: versions_in(python) for name, python in pythons.items()}


def _named(versions: dict[str, dict[str, str]]) -> dict[str, str]:
    every = {name: version for one in versions.values() for name, version in one.items()}
    return {name: every[name] for name in _NAMED if name in every}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--reps", type=int, default=5, help="repetitions of each workload (5)")
    parser.add_argument(
        "--only", default="", help="contestants, with commas: tidegate,raw,dbos,langgraph,burr"
    )
    parser.add_argument("--workloads", default=",".join(WORKLOADS), help="with commas; all of them")
    parser.add_argument("--json", type=Path, help="a file for every sample")
    parser.add_argument(
        "--dir", type=Path, help="a folder on the disk to be measured (that of temporary files)"
    )
    parser.add_argument("--envs", type=Path, default=HERE / ".envs", help="where the environments are kept")
    parser.add_argument(
        "--quick", action="store_true", help="one repetition, and a fifth of the long workloads"
    )
    return parser.parse_args()


def _planned(options: argparse.Namespace, folder: Path) -> Plan:
    """Return what the command line asks for.

    Raises:
        ValueError: it asks for what there is not.
    """
    workloads = tuple(word.strip() for word in options.workloads.split(",") if word.strip())
    if unknown := [word for word in workloads if word not in WORKLOADS]:
        raise ValueError(f"there is no workload '{unknown[0]}': take some of {', '.join(WORKLOADS)}")
    contestants = chosen(options.only)
    pythons = _pythons(contestants, options.envs.absolute())
    there = tuple(one for one in contestants if one.home in pythons)
    repetitions = 1 if options.quick else options.reps
    return Plan(there, workloads, repetitions, folder, pythons, is_quick=options.quick)


def main() -> None:
    """Measure and print."""
    options = _arguments()
    folder = Path(tempfile.mkdtemp(prefix="durability-", dir=options.dir))
    try:
        plan = _planned(options, folder)
        machine, versions = facts(folder), _versions(plan.pythons)
        samples = list(sampled(plan))
        figures = Figures(samples, counted(plan), latencies(plan))
    except ValueError as error:
        raise SystemExit(f"durability: {error}") from None
    except KeyboardInterrupt:
        raise SystemExit("durability: stopped before there was anything to report") from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(as_markdown(figures, machine, _named(versions)))
    if options.json:
        kept = {
            "machine": machine,
            "versions": versions,
            "samples": [asdict(sample) for sample in samples],
            "counts": figures.counts,
            "latency": figures.latency,
        }
        options.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
