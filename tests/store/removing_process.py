"""What another process does about removals: ``python removing_process.py WHAT URL``."""

import asyncio
import sys

from store.builders import NOW
from tidegate.clock import SystemClock
from tidegate.engine.feed import Feed
from tidegate.model.listing import RunFilter
from tidegate.store import open_store
from tidegate.store.protocol import Store


async def remove(store: Store) -> None:
    """Remove every run that stands on top, and say when it is; then delete what is left, slice by slice."""
    for row in await store.runs(RunFilter(top_only=True)):
        await store.remove_run(row.run_id, at=NOW)
        say(f"removed {row.run_id}")
    while await store.empty_graves():
        say("emptied")
        # As long as whoever watches says so.
        await asyncio.to_thread(sys.stdin.readline)


async def follow(store: Store) -> None:
    """Say which runs are gone, as the feed tells."""
    feed = Feed(store)
    cursor = await feed.now()
    say("following")
    async for changes in feed.follow(cursor):
        for run_id in changes.gone:
            say(run_id)


def say(what: str) -> None:
    """Print at once."""
    print(what, flush=True)  # noqa: T201


async def main(what: str, url: str) -> None:
    """Do *what* with the store at *url*."""
    store = await open_store(url, clock=SystemClock())
    await {"remove": remove, "follow": follow}[what](store)
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
