"""Options that several commands have."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import click

from tidegate.settings import Settings, load_settings

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["METRICS_PORT", "as_json", "by", "pass_settings", "serves", "some_of", "store"]

F = TypeVar("F", bound=Callable[..., Any])

METRICS_PORT = 8642
_LOOPBACK = "127.0.0.1"

pass_settings = click.make_pass_decorator(Settings)
"""Gives a command its settings as the first argument."""


def _choose_store(context: click.Context, _: click.Parameter, url: str | None) -> None:
    # The outermost command always sets them; one that names a store of its own sets them again.
    if url is not None or context.obj is None:
        context.obj = load_settings(store=url)


store = click.option(
    "--store",
    metavar="URL",
    expose_value=False,
    callback=_choose_store,
    help="The store: sqlite:///path, file:///directory, memory://. Default: TIDEGATE_STORE, or as `config show` says.",
)
as_json = click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
by = click.option("--by", metavar="NAME", help="Who does this, for the journal. Default: you.")


def _address(_: click.Context, parameter: click.Parameter, given: str | None) -> tuple[str, int] | None:
    """Return the host and the port that a person named; a port alone is of this machine only."""
    if given is None:
        return None
    try:
        parts = urlsplit(f"//{_LOOPBACK}:{given}" if given.isdecimal() else f"//{given}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or port is None or parts.path or parts.username:
        raise click.BadParameter(f"{given!r} is neither PORT nor HOST:PORT", param=parameter)
    return host, port


def serves(option: str, *, help: str) -> Callable[[F], F]:  # noqa: A002
    """Declare an option that lets a command serve metrics; its value is a host and a port, or None."""
    return click.option(
        option,
        "serve_at",
        metavar="[[HOST:]PORT]",
        is_flag=False,
        flag_value=str(METRICS_PORT),
        callback=_address,
        help=f"{help} Default: port {METRICS_PORT}, reached from this machine only; 0: any port.",
    )


class _SomeOf(click.Choice[str]):
    """Words of a closed list, with commas between."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the words, each of which must be one of the list."""
        choose = super().convert
        return tuple(choose(word.strip(), param, ctx) for word in value.split(","))

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> "list[CompletionItem]":
        """Return what the word behind the last comma may become."""
        from click.shell_completion import CompletionItem

        before, comma, begun = incomplete.rpartition(",")
        found = super().shell_complete(ctx, param, begun)
        return [CompletionItem(f"{before}{comma}{item.value}") for item in found]


def some_of(*declarations: str, words: Iterable[str], help: str) -> Callable[[F], F]:  # noqa: A002
    """Declare an option that takes one or more of *words*: with commas, repeated, or both.

    Its value is a tuple of them, none twice.
    """
    return click.option(
        *declarations,
        multiple=True,
        type=_SomeOf([str(word) for word in words]),
        callback=lambda _context, _parameter, given: tuple(
            dict.fromkeys(word for some in given for word in some)
        ),
        help=f"{help}; several with commas, or repeated.",
    )
