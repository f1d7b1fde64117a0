"""What the tests of whole workflow files share."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from samples.playing import SAMPLES, Stage, stage


@pytest.fixture
async def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Stage]:
    """A stage; temporary files of what runs there go into a folder of the test, too.

    Whatever a test plays, nothing may be left where the samples ship.
    """
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    before = sorted(SAMPLES.rglob("*"))
    async with stage(tmp_path / "stage") as opened:
        yield opened
    assert sorted(SAMPLES.rglob("*")) == before
