"""What all tests share."""

import gc
import os

import pytest_textual_snapshot

# Syrupy 5 renamed the attribute that the plugin sets; without this line snapshots are called .raw.
pytest_textual_snapshot.SVGImageExtension.file_extension = "svg"

# Snapshots and reports are of colours; and no test may touch the store of whoever runs it.
for variable in (
    "NO_COLOR",
    "TIDEGATE_CONFIG",
    "TIDEGATE_KEY",
    "TIDEGATE_KEY_FILE",
    "TIDEGATE_STORE",
    "WORKFLOW_CHECKPOINT_BACKEND",
    "WORKFLOW_CHECKPOINT_DSN",
):
    os.environ.pop(variable, None)
# Nor may one heed the settings file of whoever runs it.
os.environ["XDG_CONFIG_HOME"] = "/nowhere/config"


# A quarter of the processor's time of the monitor's tests was spent on looking for garbage among what stays.
gc.set_threshold(50_000, 20, 20)


def pytest_xdist_auto_num_workers() -> int:
    """Return how many processes share the tests: more than there are cores, as much of the time is waiting."""
    return 2 * (os.cpu_count() or 2)
