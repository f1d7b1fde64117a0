"""`tidegate logs`."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

import click

from tidegate.cli import options
from tidegate.cli.console import OutputLost, say
from tidegate.cli.exits import Exit
from tidegate.cli.grammar import Command, argument
from tidegate.cli.wiring import Reading, read_store
from tidegate.clock import SystemClock
from tidegate.errors import BlockNotFound
from tidegate.history.history import History
from tidegate.history.parts import places_of
from tidegate.history.trees import Branch, Tree
from tidegate.model.ids import BlockId, RunId, block_of
from tidegate.model.listing import OutputChunk, Stream
from tidegate.model.state import RunState
from tidegate.safe_text import TextDecoder
from tidegate.settings import Settings
from tidegate.store.owner import has_living_owner

__all__ = ["logs"]

_LONGEST_LINE = 64 * 1024
"""Characters after which a line is printed before it has ended, so that memory stays bounded."""
_LOOK_AGAIN = 0.3
"""Seconds: output is stored without a change of its run, which is what the feed reports."""


@click.command(cls=Command)
@argument("run", metavar="RUN", help="A run's id, or the beginning of it.")
@argument(
    "block",
    metavar="[BLOCK]",
    required=False,
    help="Only of this block, item of one, or path: a, a[red], deploy[red]/a.",
)
@click.option("--follow", "-f", is_flag=True, help="Go on while the run moves.")
@click.option("--raw", is_flag=True, help="The bytes as they were written, escape sequences included.")
@options.store
@options.pass_settings
def logs(settings: Settings, run: str, block: str | None, follow: bool, raw: bool) -> int:
    """Print what blocks wrote, made safe for a terminal unless --raw.

    Where a block's work is another run, that run's output stands in its place.
    """

    async def work(reading: Reading) -> int:
        run_id, place = await reading.history.find_run(run), block
        if block is not None:
            run_id, place = await reading.history.find_place(run_id, block)
        printer = _Printer(reading.history, raw=raw, named=block is None)
        while True:
            now = await reading.feed.now()
            # Who drives it first: what it wrote before it left is then still read below.
            moves = has_living_owner((await reading.history.run_view(run_id)).row, SystemClock().now())
            await printer.print_new(await reading.history.tree(run_id), place)
            if not follow or not moves:
                printer.finish()
                return Exit.SUCCEEDED
            await reading.feed.wait(now, within=_LOOK_AGAIN)

    return read_store(settings, work)


def _wanted(state: RunState, block: str | None) -> tuple[BlockId, ...]:
    places = places_of(state, block)
    if block is not None and not places:
        known = places_of(state, block_of(BlockId(block))) or tuple(state.graph.blocks)
        raise BlockNotFound(state.run_id, block, known)
    return places


_Attempt = tuple[RunId, BlockId, int]


@dataclass(slots=True)
class _Text:
    """One stream of one attempt, on its way from bytes to lines."""

    decoder: TextDecoder = field(default_factory=TextDecoder)
    line: str = ""
    """What came after the last line break."""
    end: int = 0
    """How many bytes of the stream were read or are known to be missing."""

    def feed(self, chunk: OutputChunk) -> str:
        """Return the lines that a chunk completes, and a mark where bytes are missing before it."""
        missing, self.end = chunk.offset - self.end, chunk.offset + len(chunk.data)
        mark = f"{self.finish()}… {missing:,} bytes are not kept …\n" if missing > 0 else ""
        text = self.line + self.decoder.feed(chunk.data)
        lines, line_break, self.line = text.rpartition("\n")
        if len(self.line) > _LONGEST_LINE:
            lines, line_break, self.line = text, "\n", ""
        return mark + lines + line_break

    def finish(self) -> str:
        """Return the line that was begun and not ended."""
        text, self.line = self.line + self.decoder.finish(), ""
        return f"{text}\n" if text else ""


class _Printer:
    """Prints each chunk once, the blocks in the order of the file, what a block has started in its place."""

    def __init__(self, history: History, *, raw: bool, named: bool) -> None:
        self._history = history
        self._raw = raw
        self._named = named
        self._paths: dict[RunId, str] = {}
        self._printed: dict[_Attempt, int] = {}
        self._texts: dict[tuple[_Attempt, Stream], _Text] = {}
        self._complete: set[_Attempt] = set()
        self._over: set[RunId] = set()
        """Runs below that have ended, and of which everything is printed."""
        self._headed: _Attempt | None = None

    async def print_new(self, tree: Tree, block: str | None) -> None:
        """Print what was written since the last call.

        Raises:
            BlockNotFound: the run at the top has no such block.
        """
        below: dict[tuple[RunId | None, BlockId], list[Branch]] = {}
        for branch in tree.below():
            below.setdefault((branch.view.row.parent, branch.place), []).append(branch)
        state = await self._history.state(tree.top.row.run_id)
        await self._print_run(state, _wanted(state, block), "", below)

    async def _print_run(
        self,
        state: RunState,
        places: tuple[BlockId, ...],
        path: str,
        below: Mapping[tuple[RunId | None, BlockId], list[Branch]],
    ) -> None:
        self._paths[state.run_id] = path
        for place in places:
            await self._print_place(state, place)
            for branch in below.get((state.run_id, place), ()):
                row = branch.view.row
                if row.run_id in self._over and branch.view.status.is_terminal:
                    continue
                child = await self._history.state(row.run_id)
                await self._print_run(child, places_of(child), f"{path}{place}/", below)
                if child.finished is not None and branch.view.status.is_terminal:
                    self._over.add(row.run_id)

    async def _print_place(self, state: RunState, place: BlockId) -> None:
        block = state.block(place)
        for number in range(1, block.attempt + 1):
            attempt = (state.run_id, place, number)
            if attempt in self._complete:
                continue
            await self._print_attempt(attempt)
            if number < block.attempt or block.status.has_ended:
                self._complete.add(attempt)
                self._finish(attempt)

    def finish(self) -> None:
        """Print the lines that were begun and not ended."""
        for attempt in list(self._printed):
            self._finish(attempt)

    async def _print_attempt(self, attempt: _Attempt) -> None:
        while True:
            after = self._printed.get(attempt, -1)
            chunks = await self._history.output(*attempt, after=after)
            if not chunks:
                return
            for chunk in chunks:
                self._print(attempt, chunk)
            self._printed[attempt] = chunks[-1].n

    def _print(self, attempt: _Attempt, chunk: OutputChunk) -> None:
        if self._raw:
            _write_raw(chunk.data)
        else:
            text = self._texts.setdefault((attempt, chunk.stream), _Text())
            self._say(attempt, text.feed(chunk))

    def _finish(self, attempt: _Attempt) -> None:
        for stream in Stream:
            if (text := self._texts.pop((attempt, stream), None)) is not None:
                self._say(attempt, text.finish())

    def _say(self, attempt: _Attempt, text: str) -> None:
        if not text:
            return
        if (self._named or self._paths[attempt[0]]) and self._headed != attempt:
            run_id, place, number = attempt
            say(f"-- {self._paths[run_id]}{place}" + (f", attempt {number}" if number > 1 else ""))
        self._headed = attempt
        say(text.removesuffix("\n"))


def _write_raw(data: bytes) -> None:
    if sys.stdout is None:
        return
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputLost(f"the output cannot be written: {error.strerror}") from error
