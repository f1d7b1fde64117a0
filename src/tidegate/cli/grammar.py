"""How commands are declared: groups that import a command when it is called, arguments with a help text.

Knows the parser and nothing of Tidegate: `tidegate --help` loads this, and must stay quick.
"""

import re
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["Command", "Group", "LazyGroup", "Place", "argument", "not_empty"]

F = TypeVar("F", bound=Callable[..., Any])
Place = tuple[str, str]
"""Where a command is, as ``module:name``, and its first sentence, which `--help` shows without importing it."""


def not_empty(_: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """Refuse an empty word: it is a variable that was not set, and as a prefix it names everything."""
    if value == "":
        raise click.BadParameter("it is empty", param=parameter)
    return value


class _Argument(click.Argument):
    """An argument that says what it is."""

    def __init__(self, declarations: list[str], *, help: str, **settings: Any) -> None:  # noqa: A002
        super().__init__(declarations, **settings)
        self.explanation = help

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """Return its name and its help."""
        return self.make_metavar(ctx), self.explanation + ("  [required]" if self.required else "")


def argument(name: str, *, metavar: str, help: str, **settings: Any) -> Callable[[F], F]:  # noqa: A002
    """Declare an argument that the help explains."""
    return click.argument(
        name, cls=_Argument, metavar=metavar, help=help, **{"callback": not_empty} | settings
    )


_NAMED = {
    "RUN": ("run",),
    "PAUSE": ("pause",),
    "CHECKPOINT": ("checkpoint",),
    "POINT": ("checkpoint", "run"),
    "WORKFLOW": ("workflow",),
    "FILE|NAME": ("known", "file"),
    "FILE": ("file",),
    "FOLDER": ("file",),
    "TYPE": ("type",),
}
"""What a word names that the help calls so."""


class _Named(click.types.StringParamType):
    """A text that names something, so that a shell can complete it."""

    def __init__(self, kinds: tuple[str, ...]) -> None:
        self._kinds = kinds

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> "list[CompletionItem]":
        """Return what the word may become."""
        from tidegate.cli.completing import proposals

        return proposals(ctx, self._kinds, incomplete)


def _kinds_of(parameter: click.Parameter) -> tuple[str, ...]:
    """Return what a parameter names, by how the help calls it."""
    called = re.sub(r"[\[\].]", "", parameter.metavar or "")
    if called == "NAME" and parameter.name == "workflow":
        return ("workflow",)
    words = [called] if called in _NAMED else called.split("|")
    return tuple(kind for word in words for kind in _NAMED.get(word, ()))


class Command(click.Command):
    """A command whose help has a section for its arguments, and whose arguments can be completed."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        for parameter in self.params:
            if parameter.type is click.STRING and (kinds := _kinds_of(parameter)):
                parameter.type = _Named(kinds)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the arguments, then the options."""
        of_arguments: list[tuple[str, str]] = []
        of_options: list[tuple[str, str]] = []
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                (of_arguments if isinstance(parameter, _Argument) else of_options).append(record)
        for title, records in (("Arguments", of_arguments), ("Options", of_options)):
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


class Group(click.Group):
    """A group that lists its commands in the order in which they were declared."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names."""
        return list(self.commands)


class LazyGroup(click.Group):
    """A group that knows its commands by name, and imports one when it is called."""

    def __init__(self, *args: Any, places: Mapping[str, Place], **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.places = places

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order of the table."""
        return list(self.places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command."""
        if cmd_name not in self.places:
            return None
        module, _, name = self.places[cmd_name][0].partition(":")
        return cast("click.Command", getattr(import_module(module), name))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """Return the commands and options that a word may become, importing none of the commands."""
        from click.shell_completion import CompletionItem

        begun = [
            CompletionItem(name, help=sentence)
            for name, (_, sentence) in self.places.items()
            if name.startswith(incomplete)
        ]
        return [*begun, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the names and first sentences, importing none of the commands."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, sentence) for name, (_, sentence) in self.places.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first word names; a near miss is told the right name."""
        word = args[0]
        if word not in self.places and not word.startswith("-"):
            # Only who mistyped pays for the comparison.
            from tidegate.workflows.nearest import did_you_mean

            ctx.fail(f"there is no command '{word}'{did_you_mean(word, list(self.places))}")
        return super().resolve_command(ctx, args)
