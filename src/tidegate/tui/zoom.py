"""One pane over the whole body, and back."""

from textual.screen import Screen
from textual.widget import Widget

__all__ = ["is_zoomed", "toggle_zoom"]

_ASIDE, _ZOOMED = "-aside", "-zoomed"


def is_zoomed(screen: Screen[None]) -> bool:
    """Whether one pane has the whole body."""
    return bool(screen.query(f".{_ZOOMED}"))


def toggle_zoom(screen: Screen[None], pane: Widget | None = None) -> bool:
    """Give a pane the whole body, or all of them their places again; return whether anything changed.

    Args:
        screen: Whose panes.
        pane: Which; None: the focused one.
    """
    if is_zoomed(screen):
        screen.query(f".{_ASIDE}").remove_class(_ASIDE)
        screen.query(f".{_ZOOMED}").remove_class(_ZOOMED)
        return True
    pane = pane or screen.focused
    way = [] if pane is None else _way_to_body(pane)
    for node in way:
        node.add_class(_ZOOMED)
        for other in node.siblings:
            if isinstance(other, Widget):
                other.add_class(_ASIDE)
    return bool(way)


def _way_to_body(pane: Widget) -> list[Widget]:
    """Return the pane and what holds it, up to the body; nothing if it is not in the body, or alone there."""
    way = [pane]
    for node in pane.ancestors:
        if node.id == "body":
            return way if any(list(step.siblings) for step in way) else []
        if not isinstance(node, Widget):
            break
        way.append(node)
    return []
