"""Which URLs name a store."""

from pathlib import Path

import pytest

from tidegate.clock import SystemClock
from tidegate.store import open_store
from tidegate.store.opening import WrongStore, url_of

CLOCK = SystemClock()


async def test_a_bare_path_names_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Absolute or relative; the URL it then has is absolute."""
    monkeypatch.chdir(tmp_path)

    for name in ("one.db", f"{tmp_path}/two.db"):
        store = await open_store(name, clock=CLOCK)
        assert store.url == f"sqlite://{tmp_path / Path(name).name}"
        await store.close()


@pytest.mark.parametrize(
    "typed",
    ["sqlite://{}/x.db", "sqlite:///{}/x.db", "sqlite:////{}/x.db", "{}/x.db", "/{}/x.db", "x.db", "./x.db"],
)
async def test_a_store_is_told_in_one_form(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    """However many slashes somebody types, and from wherever: what is told can be given again."""
    monkeypatch.chdir(tmp_path)
    url = typed.format(tmp_path)
    store = await open_store(url, clock=CLOCK)

    assert store.url == url_of(url) == url_of(store.url) == f"sqlite://{tmp_path}/x.db"
    await store.close()


async def test_each_memory_store_is_its_own() -> None:
    """Two of them share nothing."""
    from store.builders import new_run

    one, two = await open_store("memory://", clock=CLOCK), await open_store("memory://", clock=CLOCK)
    await one.create_run(new_run())

    assert len(await one.runs()) == 1
    assert await two.runs() == ()
    for store in (one, two):
        await store.close()


@pytest.mark.parametrize("scheme", ["postgresql", "redis"])
async def test_stores_to_come_are_named_as_such(scheme: str) -> None:
    """It is not the user's typing that is at fault."""
    with pytest.raises(WrongStore, match=f"{scheme} stores are not supported by this version yet"):
        await open_store(f"{scheme}://somewhere/x", clock=CLOCK)


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("sqlite://relative.db", "three slashes"),
        ("sqlite://", "three slashes"),
        ("sqlite:///", "three slashes"),
        ("file://relative", "a file URL needs an absolute path, with three slashes"),
        ("file://", "three slashes"),
        ("file:///", "three slashes"),
        ("file:///a\0b", "NUL"),
        ("mysql://host/x", "'mysql' is no kind of store"),
        ("memory://name", "'memory' is no kind of store|takes no name"),
        ("", "no store is named"),
        ("  ", "no store is named"),
        ("a\0b", "NUL"),
    ],
)
async def test_what_names_no_store_is_refused_with_help(url: str, problem: str) -> None:
    """The text says what would be right."""
    with pytest.raises(WrongStore, match=problem) as refused:
        await open_store(url, clock=CLOCK)
    assert "Use sqlite:///absolute/path/to/tidegate.db" in str(refused.value)
