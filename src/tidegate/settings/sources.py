"""Who says what a setting is: the command line, else a variable, else the project's file, else the user's."""

from collections.abc import Mapping
from dataclasses import dataclass

from tidegate.settings.files import Entry, Found

__all__ = ["DEFAULT_ORIGIN", "VARIABLES", "Said", "Sources"]

DEFAULT_ORIGIN = "default"
"""Who decided when nobody did."""
VARIABLES = {
    "store": "TIDEGATE_STORE",
    "operator": "TIDEGATE_OPERATOR",
    "workflows": "TIDEGATE_WORKFLOWS",
    "max_checkpoint_size_mb": "TIDEGATE_MAX_CHECKPOINT_SIZE_MB",
    "max_per_workflow": "TIDEGATE_MAX_PER_WORKFLOW",
    "ttl_seconds": "TIDEGATE_TTL_SECONDS",
    "keep_paused": "TIDEGATE_KEEP_PAUSED",
    "auto_cleanup": "TIDEGATE_AUTO_CLEANUP",
    "cleanup_interval_seconds": "TIDEGATE_CLEANUP_INTERVAL_SECONDS",
    "theme": "TIDEGATE_THEME",
    "ascii": "TIDEGATE_ASCII",
    "mouse": "TIDEGATE_MOUSE",
    "notify": "TIDEGATE_NOTIFY",
    "notify_by": "TIDEGATE_NOTIFY_BY",
}
"""The variable that decides each setting, whatever a file says."""


@dataclass(frozen=True, slots=True)
class Said:
    """What was said of a setting."""

    text: str
    """As a variable would hold it; of a list in a file nothing."""
    name: str
    """How a fault calls the place: a variable, or a place in a file with the key."""
    origin: str
    entry: Entry | None = None
    """If a file says it."""


class Sources:
    """Looks settings up."""

    def __init__(self, environ: Mapping[str, str], files: Found) -> None:
        """Read the files.

        Raises:
            SettingsFileError: one of them has faults.
        """
        self._environ = environ
        self._entries = files.entries()

    def variable(self, name: str) -> str:
        """Return what a variable holds; one that is set to nothing is not set."""
        return self._environ.get(name, "").strip()

    def find(self, key: str) -> Said | None:
        """Return what was said of a setting; None: nothing."""
        name = VARIABLES[key]
        if text := self.variable(name):
            return Said(text, name, name)
        entry = self.in_file(key)
        if entry is None:
            return None
        return Said(_as_text(entry.value), f"{entry.origin}:1: {key}", entry.origin, entry)

    def in_file(self, key: str) -> Entry | None:
        """Return what a file says of a setting; None: nothing."""
        return self._entries.get(key)


def _as_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if isinstance(value, list) else str(value)
