"""The modes, each with the screen it begins with.

What is not on the first screen is imported when it is asked for: the first paint does not wait for it.
"""

from collections.abc import Callable

from tidegate.tui.desk import Desk
from tidegate.tui.screens.base import MonitorScreen
from tidegate.tui.screens.lists.inbox import InboxScreen

__all__ = ["MODES"]


def _runs(desk: Desk) -> MonitorScreen:
    from tidegate.tui.screens.lists.runs import RunsScreen

    return RunsScreen(desk)


def _checkpoints(desk: Desk) -> MonitorScreen:
    from tidegate.tui.screens.lists.checkpoints import CheckpointsScreen

    return CheckpointsScreen(desk)


def _workflows(desk: Desk) -> MonitorScreen:
    from tidegate.tui.screens.lists.workflows import WorkflowsScreen

    return WorkflowsScreen(desk)


def _dashboard(desk: Desk) -> MonitorScreen:
    from tidegate.tui.screens.dashboard import DashboardScreen

    return DashboardScreen(desk)


def _activity(desk: Desk) -> MonitorScreen:
    from tidegate.tui.screens.lists.activity import ActivityScreen

    return ActivityScreen(desk)


MODES: dict[str, Callable[[Desk], MonitorScreen]] = {
    "inbox": InboxScreen,
    "runs": _runs,
    "checkpoints": _checkpoints,
    "workflows": _workflows,
    "dashboard": _dashboard,
    "activity": _activity,
}
