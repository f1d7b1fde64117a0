"""Times as people say them."""

import click

from tidegate.clock import SystemClock
from tidegate.history.spans import span
from tidegate.model.duration import parse_duration

__all__ = ["age", "due", "duration"]


def age(at: float) -> str:
    """Return how long ago *at* (seconds since 1970 UTC) was, in its one or two largest units."""
    # What has passed, whole: a second that has only begun is none yet.
    return span(int(SystemClock().now() - at))


def duration(_: click.Context, parameter: click.Parameter, text: str | None) -> float | None:
    """Return the seconds that an option says, like `2h`; a callback.

    Raises:
        click.BadParameter: it says no time.
    """
    try:
        return None if text is None else parse_duration(text, zero=True)
    except ValueError as error:
        raise click.BadParameter(str(error), param=parameter) from None


def due(deadline: float | None) -> str:
    """Return how long there is until *deadline* (seconds since 1970 UTC), or how long it has passed."""
    if deadline is None:
        return "-"
    left = deadline - SystemClock().now()
    return f"in {span(left)}" if left > 0 else f"{span(-left)} late"
