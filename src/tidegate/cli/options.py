"""Options that several commands have."""

import click

from tidegate.settings import Settings, load_settings

__all__ = ["as_json", "by", "pass_settings", "store"]

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
