"""What can be searched and ordered in each mode that has a list."""

from collections.abc import Mapping
from typing import Any, Final

from tidegate.tui.query.listing import Listing
from tidegate.tui.query.of_activity import ACTIVITY
from tidegate.tui.query.of_checkpoints import CHECKPOINTS
from tidegate.tui.query.of_inbox import INBOX
from tidegate.tui.query.of_runs import RUNS
from tidegate.tui.query.of_workflows import WORKFLOWS

__all__ = ["LISTINGS"]

LISTINGS: Final[Mapping[str, Listing[Any]]] = {
    listing.name: listing for listing in (INBOX, RUNS, CHECKPOINTS, WORKFLOWS, ACTIVITY)
}
"""By the mode, which each is named after."""
