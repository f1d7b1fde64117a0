"""`tidegate checkpoints verify`: whether what is kept of each run is what was written."""

import sys
import time
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING

import click

from tidegate.cli import options
from tidegate.cli.console import complain, emit_json, say
from tidegate.cli.exits import Exit
from tidegate.cli.grammar import Command, argument
from tidegate.cli.wiring import Reading, read_store
from tidegate.clock import iso
from tidegate.history.verdict import Verdict
from tidegate.settings import Settings

if TYPE_CHECKING:
    from tidegate.model.base import Json

__all__ = ["verify"]

_EVERY = 2.0
"""Seconds between two lines that say how far it is."""


@click.command(cls=Command)
@argument(
    "runs",
    metavar="[RUN]...",
    nargs=-1,
    required=False,
    help="Their ids, or the beginnings. Default: every run.",
)
@options.as_json
@options.store
@options.pass_settings
def verify(settings: Settings, runs: tuple[str, ...], as_json: bool) -> int:
    """Check whether what is kept of each run is what was written. Changes nothing.

    Each journal is read to its end: the chain of its hashes, every event, what follows from them (the run's
    row, its questions, its checkpoints), and every value, definition and output that it names. Of a damaged
    run it says what, and up to where the run can be relied on.

    Exit code: 0 if all is well, 1 if anything is damaged.
    """

    async def work(reading: Reading) -> int:
        faults = () if runs else await reading.history.faults()
        teller = _Teller(reading.call, quiet=as_json)
        for fault in () if as_json else faults:
            say(f"damaged   the store: {fault}")
        async for verdict in _verdicts(reading, runs):
            teller.tell(verdict)
        if as_json:
            teller.emit(reading.url, faults)
        else:
            teller.end(is_sound=not faults)
        return Exit.FAILED if faults or teller.damaged else Exit.SUCCEEDED

    return read_store(settings, work)


async def _verdicts(reading: Reading, runs: Sequence[str]) -> AsyncIterator[Verdict]:
    if not runs:
        async for verdict in reading.history.verify():
            yield verdict
    for run_id in [await reading.history.find_run(run) for run in runs]:
        yield await reading.history.verify_run(run_id)


class _Teller:
    """Says what was found of each run as it is found, and counts."""

    def __init__(self, call: str, *, quiet: bool) -> None:
        self._call = call
        self._quiet = quiet
        self._told_at = time.monotonic()
        self._documents: list[Json] = []
        self.runs = self.events = self.damaged = self.unverified = 0

    def tell(self, verdict: Verdict) -> None:
        """Take one verdict."""
        self.runs += 1
        self.events += verdict.good
        self.unverified += verdict.unverified
        self.damaged += not verdict.is_sound
        if self._quiet:
            self._documents.append(verdict.as_json())
        else:
            say("\n".join(_lines(self._call, verdict)))
        self._tell_progress()

    def _tell_progress(self) -> None:
        # Only where nobody sees the lines themselves go by.
        sees_lines = not self._quiet and sys.stdout is not None and sys.stdout.isatty()
        if sees_lines or time.monotonic() - self._told_at < _EVERY:
            return
        self._told_at = time.monotonic()
        complain(f"tidegate: {self.runs:,} runs verified, {self.events:,} events, {self.damaged:,} damaged")

    def emit(self, url: str, faults: Sequence[str]) -> None:
        """Write everything as one document."""
        emit_json(
            {
                "store": url,
                "ok": not faults and not self.damaged,
                "faults": list(faults),
                "runs": self._documents,
                "total": self.runs,
                "damaged": self.damaged,
                "output_without_checksum": self.unverified,
            }
        )

    def end(self, *, is_sound: bool) -> None:
        """Say how it was on the whole, and what to do about damage.

        Args:
            is_sound: Whether the store is, beside its runs.
        """
        what = f"{self.runs:,} runs, {self.events:,} events"
        if is_sound and not self.damaged:
            say(f"{what}: all that was looked at is as it was written" if self.runs else "No runs.")
        else:
            damaged = f"{self.damaged:,} of the runs" if self.damaged else "the store, and none of its runs,"
            say(f"{what}; {damaged} damaged. Nothing was changed.")
            way = "damaged runs up to their last good event, without values and output that are damaged"
            say(f"  `{self._call} doctor --repair` makes a sound copy: {way}")
        if self.unverified:
            parts = f"Parts of output from before there were checksums: {self.unverified:,}"
            say(f"  {parts}. Whether these are as they were written is not known")


def _lines(call: str, verdict: Verdict) -> list[str]:
    name = f"{verdict.run_id}  {verdict.workflow}"
    if verdict.is_sound:
        return [f"ok        {name}  {verdict.head:,} events"]
    return [
        f"damaged   {name}",
        *(f"            {finding}" for finding in verdict.findings),
        f"          {_good_point(verdict)}",
        *(f"          {line}" for line in _ways_on(call, verdict)),
    ]


def _good_point(verdict: Verdict) -> str:
    if not verdict.good or verdict.good_at is None:
        return "nothing of its journal is good"
    mark = verdict.checkpoint
    named = (
        f", checkpoint {mark.checkpoint_id} at event {mark.seq}" if mark is not None else ", no checkpoint"
    )
    is_whole = verdict.good == verdict.head and (mark is None or bool(verdict.values))
    good = f"its journal is good to its end, event {verdict.good}"
    if not is_whole:
        good = f"good up to event {verdict.good} of {verdict.head}, {iso(verdict.good_at)}"
    if not verdict.values:
        return good if is_whole else good + named
    before = f"up to event {verdict.usable}{named}" if verdict.usable else "at none of its events"
    return f"{good}; free of damaged values {before}"


def _ways_on(call: str, verdict: Verdict) -> list[str]:
    """Return the commands that show, and go on from, the last point at which nothing is damaged."""
    if not verdict.usable or (verdict.usable == verdict.head and verdict.checkpoint is None):
        return []
    point = f"{verdict.run_id}@{verdict.usable}"
    return [
        f"  show it there:       {call} checkpoints show {point}",
        f"  go on from there:    {call} checkpoints fork {point}",
    ]
