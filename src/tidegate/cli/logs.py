"""`tidegate logs`."""

import sys
from collections.abc import Collection, Mapping

import click

from tidegate.cli import options
from tidegate.cli.console import OutputLost, complain, say
from tidegate.cli.exits import Exit
from tidegate.cli.grammar import Command, argument
from tidegate.cli.log_text import LogText
from tidegate.cli.wiring import Reading, read_store
from tidegate.clock import SystemClock
from tidegate.errors import BlockNotFound
from tidegate.history.history import History
from tidegate.history.parts import places_of
from tidegate.history.trees import Branch, Tree
from tidegate.model.ids import BlockId, RunId, block_of
from tidegate.model.listing import OutputChunk, Stream
from tidegate.model.state import RunState
from tidegate.settings import Settings
from tidegate.store.owner import has_living_owner

__all__ = ["logs"]

_NAMED = 20
"""Parts of a block that are named where another one was asked for."""
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
@argument(
    "part",
    metavar="[PART]",
    required=False,
    help="Only this item, iteration or attempt of it: red, 2. Of an attempt, what it wrote itself.",
)
@click.option("--follow", "-f", is_flag=True, help="Go on while the run moves.")
@click.option("--timestamps", "-t", is_flag=True, help="Begin each line with when it came.")
@click.option("--raw", is_flag=True, help="The bytes as they were written, escape sequences included.")
@options.store
@options.pass_settings
def logs(
    settings: Settings,
    run: str,
    block: str | None,
    part: str | None,
    follow: bool,
    timestamps: bool,
    raw: bool,
) -> int:
    """Print what blocks wrote, made safe for a terminal unless --raw.

    Where a block's work is another run, that run's output stands in its place. Where a part is damaged, a line
    says so instead, and the exit code is 1.
    """
    if raw and timestamps:
        raise click.UsageError("--raw prints bytes, and no lines that could begin with a time; leave out one")

    async def work(reading: Reading) -> int:
        run_id, place, attempt = await reading.history.find_run(run), block, None
        if block is not None:
            run_id, place = await reading.history.find_place(run_id, block)
        if place is not None and part is not None:
            place, attempt = _part(await reading.history.state(run_id), BlockId(place), part)
        printer = _Printer(reading.history, raw=raw, dated=timestamps, named=block is None, attempt=attempt)
        while True:
            now = await reading.feed.now()
            # Who drives it first: what it wrote before it left is then still read below.
            moves = has_living_owner((await reading.history.run_view(run_id)).row, SystemClock().now())
            await printer.print_new(await reading.history.tree(run_id), place)
            if not follow or not moves:
                printer.finish()
                return Exit.FAILED if _is_damaged(reading.call, printer.damaged) else Exit.SUCCEEDED
            await reading.feed.wait(now, within=_LOOK_AGAIN)

    return read_store(settings, work)


def _is_damaged(call: str, damaged: Collection[RunId]) -> bool:
    """Say where to look, if something was damaged; return whether it was."""
    for run_id in damaged:
        complain(
            f"tidegate: output of run {run_id} is damaged; `{call} checkpoints verify {run_id}` says where"
        )
    return bool(damaged)


def _wanted(state: RunState, block: str | None) -> tuple[BlockId, ...]:
    places = places_of(state, block)
    if block is not None and not places:
        known = places_of(state, block_of(BlockId(block))) or tuple(state.graph.blocks)
        raise BlockNotFound(state.run_id, block, known)
    return places


class _NoPart(BlockNotFound):
    """The block has no such item, iteration or attempt."""

    def __init__(self, run_id: RunId, block: BlockId, part: str, known: tuple[str, ...]) -> None:
        super().__init__(run_id, f"{block} {part}", known)
        more = f" and {len(known) - _NAMED:,} more" if len(known) > _NAMED else ""
        has = f"it has {', '.join(known[:_NAMED]) or 'none yet'}{more}"
        self.args = (f"run {run_id} has no item, iteration or attempt '{part}' of block '{block}': {has}",)


def _part(state: RunState, block: BlockId, part: str) -> tuple[BlockId, int | None]:
    """Return the item or iteration of a block that a word means, or the block and one of its attempts.

    Raises:
        BlockNotFound: there is no such block, or it has no such part.
    """
    _wanted(state, block)
    for place in (BlockId(f"{block}[{part}]"), BlockId(f"{block}#{part}")):
        if places_of(state, place):
            return place, None
    parts, attempts = places_of(state, block)[1:], state.block(block).attempt
    numbers = {str(number): number for number in range(1, attempts + 1)}
    if not parts and part in numbers:
        return block, numbers[part]
    known: tuple[str, ...] = parts or tuple(f"attempt {number}" for number in numbers)
    raise _NoPart(state.run_id, block, part, known)


_Attempt = tuple[RunId, BlockId, int]


class _Printer:
    """Prints each chunk once, the blocks in the order of the file, what a block has started in its place."""

    def __init__(
        self, history: History, *, raw: bool, dated: bool, named: bool, attempt: int | None = None
    ) -> None:
        self._history = history
        self._raw = raw
        self._dated = dated
        self._named = named
        self._only = attempt
        self._paths: dict[RunId, str] = {}
        self._printed: dict[_Attempt, int] = {}
        self._texts: dict[tuple[_Attempt, Stream], LogText] = {}
        self._complete: set[_Attempt] = set()
        self._over: set[RunId] = set()
        """Runs below that have ended, and of which everything is printed."""
        self._headed: _Attempt | None = None
        self.damaged: dict[RunId, None] = {}
        """Runs of which some output is damaged, in order."""

    async def print_new(self, tree: Tree, block: str | None) -> None:
        """Print what was written since the last call.

        Raises:
            BlockNotFound: the run at the top has no such block.
        """
        below: dict[tuple[RunId | None, BlockId], list[Branch]] = {}
        for branch in tree.below() if self._only is None else ():
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
            if attempt in self._complete or self._only not in (None, number):
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
        if chunk.damage:
            self.damaged[attempt[0]] = None
        if self._raw:
            _write_raw(chunk.data)
        else:
            text = self._texts.setdefault((attempt, chunk.stream), LogText(dated=self._dated))
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
