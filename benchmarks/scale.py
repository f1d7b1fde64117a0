"""The monitor over a store of 10,000 runs, 100,000 checkpoints and 2,000 open questions, used as a person uses it.

`python benchmarks/scale.py [--runs N] [--questions N] [--store FILE]` prints how long it takes until there is
something to be seen, until each key has its effect, what waiting costs, and how much memory it takes; at the end the
same while another process commits.
"""

import argparse
import asyncio
import contextlib
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from large_store import Size, write
from machine import facts
from seen import Figures, table
from terminal_user import Cost, Echo, TerminalUser

from tidegate.clock import SystemClock
from tidegate.store.opening import open_store

_POSITION = re.compile(r"─ (\d+)/(\d+) ─")
"""On the border of a list: which row the cursor is on, of how many."""
_FOUND = re.compile(r"(\d+) (?:of \d+|found) ")
_STEPS, _PAGES, _HELD = 60, 20, 60
_HELD_SECONDS = 1 / 30
"""How fast keys come from one that is held down."""
_DRAWN = 500
"""Characters that are written at least where a whole list is drawn."""
_SETTLED, _IDLE = 3.0, 10.0
"""Seconds without another row after which there are no more; and for which nothing is done."""
_HOUR = 3_600.0
_COMMITS, _COMMIT_SECONDS = 600, 0.05
_COMMON, _RARE = "deploy-api", "step_8 zzzz"
"""Words that one row of five has, and none."""
_LISTS = {"2": "runs", "3": "checkpoints", "1": "inbox", "6": "activity"}
"""By their digits; the first is not the one that is seen at the start."""


class Person:
    """Somebody who uses the monitor, and notes how long it takes."""

    def __init__(self, user: TerminalUser, figures: Figures) -> None:
        self.user = user
        self.figures = figures
        self.row = self.rows = 0

    def go(self, digit: str, mode: str) -> None:
        """Go to a mode, and to its first row."""
        self.user.press(digit)
        self.figures.echo(f"{mode}: go there", self.user.until(self._stands))
        self.user.read_for(1.0)
        self.user.press("g")
        self.user.read_for(0.5)
        self.row = 1

    def _stands(self, text: str) -> bool:
        """Whether the border says where the cursor is; note it."""
        if found := _POSITION.findall(text):
            self.row, self.rows = map(int, found[-1])
        return bool(found)

    def _at(self, row: int) -> Echo:
        """Return how long it took until the cursor was on *row*."""
        return self.user.until(lambda text: self._stands(text) and self.row == row)

    def _is_beyond(self, row: int, text: str) -> bool:
        return self._stands(text) and self.row > row

    def walk(self, name: str, key: str = "j") -> None:
        """Go row by row, each step once the one before is seen."""
        for _ in range(min(_STEPS, self.rows - self.row if key == "j" else self.row - 1)):
            row = self.row + (1 if key == "j" else -1)
            self.user.press(key)
            self.figures.echo(name, self._at(row))
            self.user.read_for(0.02)

    def hold(self, name: str) -> None:
        """Hold a key down; note how long after it is let go its last step is seen."""
        steps = min(_HELD, self.rows - self.row)
        if not steps:
            return
        last = self.row + steps
        for _ in range(steps):
            self.user.press("j")
            self.user.read_for(_HELD_SECONDS)
        self.figures.echo(name, self._at(last))

    def turn_pages(self, name: str) -> None:
        """Go page by page."""
        for _ in range(_PAGES):
            if self.row >= self.rows:
                return
            row = self.row
            self.user.press("\x1b[6~")
            self.figures.echo(name, self.user.until(partial(self._is_beyond, row)))
            self.user.read_for(0.05)

    def go_to_end(self, mode: str) -> None:
        """Go to the last row; the list is read to its end for that."""
        began, is_there = time.perf_counter(), self.row == self.rows
        self.user.press("G")
        if not is_there:
            self.figures.echo(f"{mode}: G", self.user.until(self._is_going))
        grew = time.perf_counter()
        while time.perf_counter() - grew < _SETTLED:
            rows = self.rows
            self.user.read_for(0.1)
            self._stands(self.user.text)
            if self.rows > rows:
                grew = time.perf_counter()
        self.figures.wait(f"{mode}: all {self.rows:,} rows read", grew - began)

    def _is_going(self, text: str) -> bool:
        """Whether the border says that the list is being read to its end, or the cursor is there."""
        return "reading on" in text or (self._stands(text) and self.row == self.rows)

    def sort(self, name: str) -> None:
        """Take each order, and then those again that lead back to the first."""
        orders = [self._next_order(name)]
        while (order := self._next_order(name)) != orders[0]:
            orders.append(order)
        for _ in orders[:-1]:
            self._next_order(name)
        self.user.press("G")
        self.user.read_for(0.5)
        self._stands(self.user.text)

    def _next_order(self, name: str) -> str:
        self.user.press("s")
        self.figures.echo(name, self.user.shows("ordered by "))
        self.user.read_for(0.3)
        self._stands(self.user.text)
        return self.user.text.partition("ordered by ")[2].split()[0]

    def mark(self, mode: str) -> None:
        """Mark everything, and take the marks away."""
        self.user.press("*")
        self.figures.echo(f"{mode}: mark all", self.user.shows(" marked"))
        self.user.read_for(0.5)
        self.walk(f"{mode}: walk, all marked", "k")
        self.user.press("u")
        self.figures.echo(f"{mode}: unmark all", self.user.until(self._is_drawn))
        self.user.read_for(0.5)

    @staticmethod
    def _is_drawn(text: str) -> bool:
        return len(text) > _DRAWN and "[" not in text[-_DRAWN:]

    def filter(self, mode: str, words: str) -> None:
        """Type a filter; note each letter, and how long until all that it finds is found."""
        self.user.press("/")
        self.user.read_for(0.3)
        began = time.perf_counter()
        for end in range(1, len(words) + 1):
            self.user.press(words[end - 1])
            self.figures.echo(f"{mode}: type a filter", self.user.shows(words[:end].rstrip()))
            self.user.read_for(0.08)
        grew = time.perf_counter()
        while time.perf_counter() - grew < _SETTLED:
            if self._grows():
                grew = time.perf_counter()
        self.figures.wait(f"{mode}: found all of '{words}', from its first letter", grew - began)
        self.user.press("\x1b")
        self.figures.echo(f"{mode}: leave the filter", self.user.until(self._stands))
        self.user.read_for(1.0)

    def _grows(self) -> bool:
        """Move the cursor in the field, as somebody does who corrects a letter; return whether the list has changed."""
        self.user.press("\x1b[D")
        self.user.read_for(0.1)
        text = self.user.text
        return bool(_FOUND.search(text) or "so far" in text)

    def wait(self, mode: str) -> None:
        """Do nothing."""
        cost = Cost(self.user.pid)
        self.user.read_for(_IDLE)
        self.figures.idle[mode] = cost.percent()


def use(person: Person, size: Size) -> None:
    """Use everything."""
    user, figures = person.user, person.figures
    figures.wait("first paint", user.shows("Inbox").passed / 1000)
    figures.wait("the questions in sight", user.shows(f" 1/{size.questions} ").passed / 1000)
    user.read_for(3.0)
    for digit, mode in _LISTS.items():
        person.go(digit, mode)
        person.walk(f"{mode}: walk")
        person.turn_pages(f"{mode}: page")
        person.hold(f"{mode}: last step of a held key")
        person.go_to_end(mode)
        person.walk(f"{mode}: walk at the end", "k")
        if mode != "activity":
            person.sort(f"{mode}: order")
            person.mark(mode)
        for words in (_COMMON, _RARE):
            person.filter(mode, words)
        person.wait(f"{mode}, as far as it was read")
    look_at_dashboard(person)


def look_at_dashboard(person: Person) -> None:
    """Go from tile to tile."""
    user, figures = person.user, person.figures
    user.press("5")
    figures.echo("dashboard: go there", user.shows("waiting"))
    user.read_for(2.0)
    for key in "lllllllhhhhhhh" * 4:
        user.press(key)
        figures.echo("dashboard: walk", user.shows("┏"))
        user.read_for(0.02)
    person.wait("dashboard")


@contextlib.contextmanager
def committing(url: str) -> Iterator[None]:
    """Let another process commit meanwhile."""
    with subprocess.Popen([sys.executable, __file__, "--commit", url]) as process:
        try:
            yield
        finally:
            process.terminate()


def use_beside_others(person: Person, url: str) -> None:
    """Walk through each mode while another process commits."""
    with committing(url):
        cost = Cost(person.user.pid)
        for digit, mode in _LISTS.items():
            person.user.press(digit)
            person.user.until(person._stands)  # noqa: SLF001 - it is this module's own
            person.user.read_for(1.0)
            person.user.press("g")
            person.user.read_for(1.0)
            for key in "jjk" * (_STEPS // 3):
                person.user.press(key)
                person.figures.echo(f"{mode}: walk, others commit", person.user.until(person._stands))  # noqa: SLF001
                person.user.read_for(0.05)
        person.figures.idle["while others begin and end up to 20 runs a second"] = cost.percent()


async def fill(url: str, size: Size) -> None:
    """Make the store."""
    clock = SystemClock()
    store = await open_store(url, clock=clock)
    await write(store, size, clock.now())
    await store.close()


async def commit(url: str) -> None:
    """Start and end runs, at a steady pace."""
    clock = SystemClock()
    store = await open_store(url, clock=clock)
    for _ in range(_COMMITS):
        await write(store, Size(runs=1, questions=0, days=0.0), clock.now() + _HOUR)
        await asyncio.sleep(_COMMIT_SECONDS)
    await store.close()


def measured(url: str, size: Size, home: Path) -> Figures:
    """Return what it costs to use the monitor over the store at *url*; it keeps in *home* how it is left."""
    figures = Figures()
    user = TerminalUser(
        [sys.executable, "-m", "tidegate"], {"TIDEGATE_STORE": url, "XDG_STATE_HOME": str(home)}
    )
    person, cost = Person(user, figures), Cost(user.pid)
    try:
        use(person, size)
        use_beside_others(person, url)
        figures.memory = cost.memory()
    finally:
        user.close()
    return figures


def main(arguments: Sequence[str]) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=Size().runs)
    parser.add_argument("--questions", type=int, default=Size().questions)
    parser.add_argument("--store", type=Path, help="a file that is made, or used if it is there already")
    parser.add_argument("--commit", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.commit:
        asyncio.run(commit(asked.commit))
        return
    size = Size(asked.runs, asked.questions)
    with tempfile.TemporaryDirectory() as folder:
        file = asked.store or Path(folder) / "large.db"
        url = f"sqlite:///{file.resolve()}"
        if not file.exists():
            asyncio.run(fill(url, size))
        print(table(measured(url, size, Path(folder)), size, facts(file.parent)))


if __name__ == "__main__":
    main(sys.argv[1:])
