"""Work beside the screen, in groups that have names.

A worker is given what it calls, never what a call has returned: one that is ended before its first step would
leave that behind, awaited by nobody.
"""

from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any, ParamSpec

from textual.dom import DOMNode

if TYPE_CHECKING:
    from textual.worker import Worker

__all__ = ["begin", "begin_anew"]

P = ParamSpec("P")


def begin(
    owner: DOMNode,
    group: str,
    work: Callable[P, Coroutine[Any, Any, None]],
    *args: P.args,
    **kwargs: P.kwargs,
) -> None:
    """Do something beside the screen; it ends with its owner."""
    _run(owner, group, partial(work, *args, **kwargs), exclusive=False)


def begin_anew(
    owner: DOMNode,
    group: str,
    work: Callable[P, Coroutine[Any, Any, None]],
    *args: P.args,
    **kwargs: P.kwargs,
) -> None:
    """Do something beside the screen, and end what of its group is still being done for the same owner."""
    _run(owner, group, partial(work, *args, **kwargs), exclusive=True)


def _run(
    owner: DOMNode, group: str, work: Callable[[], Coroutine[None, None, None]], *, exclusive: bool
) -> None:
    _: Worker[None] = owner.run_worker(work, group=group, exclusive=exclusive)
