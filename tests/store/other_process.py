"""What another process does to a store: ``python other_process.py WHAT URL``."""

import asyncio
import os
import sys

from store.builders import RUN, adding, new_run, wave
from tidegate.clock import SystemClock
from tidegate.errors import JournalConflict
from tidegate.store import open_store
from tidegate.store.protocol import Store


async def contact(store: Store) -> None:
    """Create a run, list all."""
    await store.create_run(new_run(f"run{os.getpid()}"))
    say(len(await store.runs()))


async def append_for_ever(store: Store) -> None:
    """Append, and acknowledge each append once it is said to be durable."""
    await store.create_run(new_run())
    head = 1
    while True:
        head = await store.append(adding(wave(), wave(), after=head))
        say(head)


async def race(store: Store) -> None:
    """For each head on stdin, try to append after it."""
    while line := await asyncio.to_thread(sys.stdin.readline):
        try:
            await store.append(adding(wave(), after=int(line)))
            say("won")
        except JournalConflict:
            say("lost")


async def append_once(store: Store) -> None:
    """Append to the run that is there."""
    say(await store.append(adding(wave(), after=(await store.run(RUN)).head)))


async def forget(store: Store) -> None:
    """Leave without closing, while something waits."""
    await store.create_run(new_run())
    say("left")


def say(what: object) -> None:
    """Print at once."""
    print(what, flush=True)  # noqa: T201


async def main(what: str, url: str) -> None:
    """Do *what* with the store at *url*."""
    store = await open_store(url, clock=SystemClock())
    await {
        "contact": contact,
        "append": append_for_ever,
        "race": race,
        "append-once": append_once,
        "forget": forget,
    }[what](store)
    if what != "forget":
        await store.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
