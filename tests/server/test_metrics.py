"""Metrics over HTTP: who is served, with what, and what they are told otherwise."""

import asyncio
from collections.abc import Awaitable, Callable

import httpx
import pytest

from tidegate.errors import SettingsError, StoreUnavailable
from tidegate.server.metrics import LOOPBACK, Address, Seldom, serving

ANY = Address(LOOPBACK, 0)


class Ticks:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.at = 0.0

    def now(self) -> float:
        """Return the instant."""
        return self.at

    def monotonic(self) -> float:
        """Return the same, as seconds."""
        return self.at


async def asked(
    page: Callable[[], Awaitable[str]], *requests: tuple[str, dict[str, str]]
) -> list[httpx.Response]:
    """Return what is answered to requests, each a path and its headers, that come at once."""
    async with serving(ANY, page, called="--serve") as url, httpx.AsyncClient() as client:
        base = url.removesuffix("/metrics")
        return list(
            await asyncio.gather(*(client.get(base + path, headers=headers) for path, headers in requests))
        )


async def test_those_who_ask_at_once_get_one_page() -> None:
    """Counting a large store takes seconds; it is done once for all of them, and again for the next."""
    made = 0

    async def page() -> str:
        nonlocal made
        made += 1
        await asyncio.sleep(0.3)
        return f"tidegate_made {made}"

    got = await asked(page, *[("/metrics", {})] * 4)

    assert {answer.text for answer in got} == {"tidegate_made 1\n"}
    assert got[0].headers["content-type"].startswith("text/plain; version=0.0.4")
    assert (await asked(page, ("/metrics", {})))[0].text == "tidegate_made 2\n"


async def test_what_takes_long_to_count_is_counted_seldom() -> None:
    """At most a tenth of the time goes into it; what could not be counted is tried again at once."""
    clock = Ticks()
    made: list[float] = []

    async def count() -> str:
        made.append(clock.at)
        clock.at += 3.0
        if len(made) == 1:
            raise StoreUnavailable("sqlite:///x.db", "busy")
        return f"as of {made[-1]:.0f}"

    seldom = Seldom(count, clock)
    with pytest.raises(StoreUnavailable):
        await seldom()
    assert await seldom() == "as of 3"
    clock.at = 35.9
    assert await seldom() == "as of 3"
    clock.at = 36.0
    assert await seldom() == "as of 36"


async def test_whoever_should_not_or_asks_for_something_else_is_told() -> None:
    """A browser that reaches this machine under a foreign name reads nothing."""

    async def page() -> str:
        return "tidegate_x 1"

    got = await asked(
        page,
        ("/metrics", {"Host": "evil.example:8642"}),
        ("/metrics", {"Host": "localhost:8642"}),
        ("/", {}),
    )

    assert [answer.status_code for answer in got] == [403, 200, 404]
    assert "metrics are at /metrics" in got[2].text
    assert "tidegate_x" not in got[0].text


async def test_a_store_that_cannot_be_read_is_a_sentence() -> None:
    """And an error to the collector."""

    async def page() -> str:
        raise StoreUnavailable("sqlite:///x.db", "disk I/O error")

    (got,) = await asked(page, ("/metrics", {}))

    assert got.status_code == 503
    assert got.text.startswith("tidegate: ")
    assert "disk I/O error" in got.text


async def test_a_port_that_is_taken_is_named() -> None:
    """With the option that chose it."""

    async def page() -> str:
        return ""

    async with serving(ANY, page, called="--serve") as url:
        port = int(url.split(":")[-1].split("/")[0])
        with pytest.raises(SettingsError, match=f"--serve is '127.0.0.1:{port}', expected a free port"):
            async with serving(Address(LOOPBACK, port), page, called="--serve"):
                pass
