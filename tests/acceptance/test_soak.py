"""A short soak: what `benchmarks/soak.py` does for an hour, for some seconds."""

from pathlib import Path

import pytest

from sizes import FULL
from soaking import soak

SECONDS = 300.0 if FULL else 10.0


@pytest.mark.timeout(900)
async def test_every_law_holds_under_kills_standstills_and_orders(tmp_path: Path) -> None:
    """Random workflows on several engines; each law is checked at each step, and all of them at the end."""
    told: list[str] = []
    done = await soak(tmp_path, SECONDS, seed=4, say=told.append, every=4.0)

    assert told
    assert done.steps["kill"]
    assert done.steps["freeze"]
    assert done.laws.told["start done"] > 5
    assert done.laws.told["answer done"] > 5
    assert done.laws.told["assign done"] > 0
    assert any(done.laws.effects.values())
