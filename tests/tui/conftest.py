"""What tests of the monitor share."""

import os
import time

import pytest


@pytest.fixture(autouse=True)
def in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    """The monitor shows local time; that must not depend on where the tests run."""
    monkeypatch.setitem(os.environ, "TZ", "UTC")
    time.tzset()
