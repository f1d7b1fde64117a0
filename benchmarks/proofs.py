"""Every proof of durability at full size, and whether it held.

The tests that kill, stop and race engines run a part of what they can with every change. This runs all of it: each
commit of the reference workflow, all rounds, the numbers of the cases. It takes some twenty minutes.

`python benchmarks/proofs.py [NAME]... [--json FILE]`; `--list` says what there is.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
ACCEPTANCE = "tests/acceptance"
PROOFS = {
    "kill at every commit": [f"{ACCEPTANCE}/test_kill_anywhere.py::test_a_run_ends_the_same_wherever_its_process_is_killed"],
    "kill again and again": [f"{ACCEPTANCE}/test_kill_anywhere.py::test_a_run_ends_the_same_however_often_its_processes_are_killed"],
    "kill within forty items": [f"{ACCEPTANCE}/test_kill_items.py"],
    "kill a tree of runs": [f"{ACCEPTANCE}/test_kill_nested.py"],
    "kill a fork of a tree": [f"{ACCEPTANCE}/test_kill_fork.py"],
    "kill during delays": [f"{ACCEPTANCE}/test_kill_timers.py"],
    "kill after an operator's turn": [f"{ACCEPTANCE}/test_kill_turns.py"],
    "two workers and a zombie": [f"{ACCEPTANCE}/test_zombie.py"],
    "racing answers": [f"{ACCEPTANCE}/test_races.py::test_each_of_many_racing_answers_has_one_winner"],
    "cancel against answer": [f"{ACCEPTANCE}/test_races_at_pauses.py::test_a_cancel_and_an_answer_agree_on_who_was_first"],
    "deadline against answer": [f"{ACCEPTANCE}/test_races_at_pauses.py::test_a_deadline_is_one_more_voter"],
    "first contacts at once": [
        f"{ACCEPTANCE}/test_races.py::test_many_processes_may_make_first_contact_at_once",
        "tests/store/test_sqlite.py::test_twenty_processes_may_make_first_contact_at_once",
    ],
    "engines, pollers, a slow reader": [f"{ACCEPTANCE}/test_races.py::test_engines_pollers_and_a_slow_reader_share_a_store"],
    "the clock is set": [f"{ACCEPTANCE}/test_clock_steps.py"],
    "every prefix of a journal": ["tests/engine/test_cut_off.py", "tests/engine/test_books.py"],
    "the laws find what is broken": ["tests/engine/test_journal_invariants.py"],
}  # fmt: skip
"""What is run for each proof."""


@dataclass(frozen=True)
class Result:
    """What came of one proof."""

    name: str
    held: bool
    tests: int
    seconds: float
    size: str
    """In the words of its tests."""
    faults: list[str]
    """Which tests failed, and why."""


def prove(name: str) -> Result:
    """Run one proof at full size."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-n0",
            "-p",
            "no:cacheprovider",
            "-o",
            "junit_family=xunit1",
        ]
        command += [f"--junitxml={report}", f"--basetemp={folder}/tests", *PROOFS[name]]
        done = subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, "TIDEGATE_FULL_SIZE": "1"},
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        seconds = time.monotonic() - begun
        if not report.exists():
            return Result(name, held=False, tests=0, seconds=seconds, size="", faults=[done.stdout[-2_000:]])
        return _read(name, report, seconds)


def _read(name: str, report: Path, seconds: float) -> Result:
    cases = list(ElementTree.parse(report).iter("testcase"))  # noqa: S314 - written by our own test run
    sizes: dict[str, int] = {}
    for case in cases:
        for said in case.iter("property"):
            if said.get("name") == "size":
                sizes[said.get("value", "")] = sizes.get(said.get("value", ""), 0) + 1
    faults = [
        f"{case.get('name')}: {fault.get('message', '').splitlines()[:1]}"
        for case in cases
        for fault in (*case.iter("failure"), *case.iter("error"))
    ]
    size = "; ".join(f"{count} x {words}" if count > 1 else words for words, count in sizes.items())
    held = bool(cases) and not faults
    return Result(name, held=held, tests=len(cases), seconds=seconds, size=_short(size), faults=faults)


def _short(size: str) -> str:
    first, *others = size.split("; ")
    return f"{first}; and {len(others)} more" if others[1:] else size


def line(name: str, tests: object, seconds: str, verdict: str, size: str) -> str:
    """Return one line of the table."""
    return f"{name:<33} {tests:>5} {seconds:>8}  {verdict:<7} {size}"


def main() -> int:
    """Run the proofs, print a table as they end; return 1 if one is broken."""
    parser = argparse.ArgumentParser(description="Run the proofs of durability at full size.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="which proofs; all by default")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results there, too")
    parser.add_argument("--list", action="store_true", help="say what there is, and run nothing")
    asked = parser.parse_args()
    if unknown := set(asked.names) - set(PROOFS):
        parser.error(f"there is no proof named {', '.join(sorted(unknown))}; --list says what there is")
    if asked.list:
        print("\n".join(PROOFS))
        return 0
    print(line("proof", "tests", "seconds", "verdict", "size"))
    results = []
    for name in asked.names or PROOFS:
        result = prove(name)
        results.append(result)
        verdict = "held" if result.held else "BROKEN"
        print(line(name, result.tests, f"{result.seconds:.1f}", verdict, result.size), flush=True)
        for fault in result.faults:
            print(f"    {fault}", flush=True)
    if asked.json:
        asked.json.write_text(json.dumps([asdict(result) for result in results], indent=2) + "\n")
    broken = sum(not result.held for result in results)
    total = sum(result.seconds for result in results)
    print(f"{len(results) - broken} of {len(results)} proofs held, {total:.0f} s")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
