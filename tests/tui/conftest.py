"""What tests of the monitor share."""

import os
import re
import time
from collections.abc import Callable
from difflib import unified_diff
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from pytest_textual_snapshot import SVGImageExtension
from syrupy.assertion import SnapshotAssertion
from textual import _wait
from textual.css.stylesheet import Stylesheet


@pytest.fixture(autouse=True)
def in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    """The monitor shows local time; that must not depend on where the tests run."""
    monkeypatch.setitem(os.environ, "TZ", "UTC")
    time.tzset()


@pytest.fixture(autouse=True)
def logs_elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What goes wrong in a test is not written into the home of whoever runs it."""
    folder = tmp_path_factory.getbasetemp() / "state"
    monkeypatch.setenv("XDG_STATE_HOME", str(folder))
    return folder


@pytest.fixture(autouse=True)
def looks_more_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a key the toolkit sleeps until nothing works any more; half as long tells it as well.

    It does so twice for every key, which was a third of the time of all these tests.
    """
    monkeypatch.setattr(_wait, "SLEEP_GRANULARITY", 1 / 100)
    monkeypatch.setattr(_wait, "SLEEP_IDLE", 1 / 2000)


_parse = Stylesheet._parse_rules  # noqa: SLF001 - it has no other door
_parsed: dict[tuple[object, ...], Any] = {}


@pytest.fixture(autouse=True)
def reads_styles_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same styles with the same variables are the same rules, in the app of whichever test.

    The toolkit remembers them within an app. Reading them anew for each was a sixth of the time of all these tests.
    """

    def parse(sheet: Stylesheet, *text: object, **details: object) -> Any:
        asked = (text, tuple(details.items()), frozenset(sheet._variables.items()))  # noqa: SLF001 - same
        if asked not in _parsed:
            _parsed[asked] = _parse(sheet, *text, **details)  # type: ignore[arg-type]
        return _parsed[asked]

    monkeypatch.setattr(Stylesheet, "_parse_rules", parse)


@pytest.fixture
def look(snapshot: SnapshotAssertion, tmp_path: Path) -> Callable[[str], None]:
    """Compares a picture with the one that somebody has looked at."""
    approved = snapshot.use_extension(SVGImageExtension)

    def compare(picture: str) -> None:
        found = tmp_path / "found.svg"
        found.write_text(picture, encoding="utf-8")
        if picture == approved:
            return
        kept = approved.executions[max(approved.executions)].recalled_data
        told = unified_diff(_drawn(str(kept)), _drawn(picture), "approved", "found", lineterm="", n=0)
        pytest.fail("\n".join([*told, f"look at {found}; --snapshot-update approves it"]), pytrace=False)

    return compare


def _drawn(picture: str) -> list[str]:
    """Return what a picture shows, piece by piece, with its place and its colour: differences that one can read."""
    colours = dict(re.findall(r"-(r\d+) \{ fill: ([^}]+?) \}", picture))
    pieces = re.findall(r'<text class="\S+-(r\d+)" x="(\S+)" y="(\S+)"[^>]*>([^<]*)<', picture)
    rows = [f"{y}, {x}: {unescape(text)!r} ({colours[kind]})" for kind, x, y, text in pieces if text.strip()]
    lights = re.findall(r'<rect fill="(#\w+)" x="(\S+)" y="(\S+)" width="(\S+)"', picture)
    return rows + [f"{y}, {x}: {width} wide on {colour}" for colour, x, y, width in lights]
