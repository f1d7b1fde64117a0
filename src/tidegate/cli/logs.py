"""`tidegate logs`."""

import sys
from typing import Annotated

import typer

from tidegate.cli.console import say
from tidegate.cli.exits import Exit
from tidegate.cli.options import settings_of
from tidegate.cli.wiring import Session, run_with_session
from tidegate.clock import SystemClock
from tidegate.errors import BlockNotFound
from tidegate.model.ids import BlockId, RunId
from tidegate.model.state import RunState
from tidegate.safe_text import TextDecoder
from tidegate.store.owner import has_living_owner

__all__ = ["logs"]


def logs(
    context: typer.Context,
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run's id, or the beginning of it.")],
    block: Annotated[str | None, typer.Argument(metavar="BLOCK", help="Only of this block.")] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on while the run moves.")] = False,
    raw: Annotated[
        bool, typer.Option("--raw", help="The bytes as they were written, escape sequences included.")
    ] = False,
) -> int:
    """Print what blocks wrote, made safe for a terminal unless --raw."""

    async def work(session: Session) -> int:
        run_id = await session.history.find_run(run)
        printer = _Printer(session, run_id, raw=raw, named=block is None)
        while True:
            state = await session.history.state(run_id)
            row = (await session.history.run_view(run_id)).row
            await printer.print_new(state, _wanted(state, block))
            if not follow or not has_living_owner(row, SystemClock().now()):
                return Exit.SUCCEEDED
            await session.executor.feed.wait(await session.executor.feed.now(), within=0.3)

    return run_with_session(settings_of(context), work)


def _wanted(state: RunState, block: str | None) -> list[BlockId]:
    if block is None:
        return list(state.graph.blocks)
    if block not in state.graph.blocks:
        raise BlockNotFound(state.run_id, block, tuple(state.graph.blocks))
    return [BlockId(block)]


class _Printer:
    """Prints each chunk once, the blocks in the order of the file."""

    def __init__(self, session: Session, run_id: RunId, *, raw: bool, named: bool) -> None:
        self._session = session
        self._run_id = run_id
        self._raw = raw
        self._named = named
        self._printed: dict[tuple[BlockId, int], int] = {}
        self._decoders: dict[tuple[BlockId, int], TextDecoder] = {}
        self._last: tuple[BlockId, int] | None = None

    async def print_new(self, state: RunState, blocks: list[BlockId]) -> None:
        """Print what was written since the last call."""
        for block_id in blocks:
            for attempt in range(1, state.block(block_id).attempt + 1):
                await self._print_attempt(block_id, attempt)

    async def _print_attempt(self, block_id: BlockId, attempt: int) -> None:
        key = (block_id, attempt)
        while True:
            after = self._printed.get(key, -1)
            chunks = await self._session.history.output(self._run_id, block_id, attempt, after=after)
            if not chunks:
                return
            self._head(key)
            for chunk in chunks:
                self._print(key, chunk.data)
            self._printed[key] = chunks[-1].n

    def _head(self, key: tuple[BlockId, int]) -> None:
        if self._named and not self._raw and self._last != key:
            say(f"-- {key[0]}" + (f", attempt {key[1]}" if key[1] > 1 else ""))
        self._last = key

    def _print(self, key: tuple[BlockId, int], data: bytes) -> None:
        if self._raw:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        else:
            text = self._decoders.setdefault(key, TextDecoder()).feed(data)
            say(text.removesuffix("\n"))
