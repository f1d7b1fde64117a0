"""What another process does to a store: ``python other_process.py WHAT URL``."""

import asyncio
import os
import resource
import sys

from store.builders import NOW, RUN, adding, hashed, new_run, wave
from tidegate.clock import SystemClock
from tidegate.errors import JournalConflict, StaleEpoch, StoreUnavailable
from tidegate.model.listing import Epoch
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
    try:
        while True:
            head = await store.append(adding(wave(), wave(), after=head))
            say(head)
    except StaleEpoch:
        say("stale")


async def append_too_much(store: Store) -> None:
    """Append a value that is larger than a file may be, then go on with small ones."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 * 1024, 64 * 1024))
    await store.create_run(new_run())
    name, data = hashed("x" * 200_000)
    try:
        await store.append(adding(wave(), values={name: data}))
    except StoreUnavailable as refusal:
        say(refusal)
    say(await store.append(adding(wave(), values=dict([hashed("small")]))))


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


async def renew(store: Store) -> None:
    """Renew the lease of a run, and stay."""
    await store.create_run(new_run())
    await store.renew({RUN: Epoch(1)}, until=NOW + 60)
    say("renewed")
    await asyncio.sleep(60)


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
        "append-too-much": append_too_much,
        "race": race,
        "renew": renew,
        "append-once": append_once,
        "forget": forget,
    }[what](store)
    if what != "forget":
        await store.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
