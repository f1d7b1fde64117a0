"""`tidegate completion`: the script with which a shell completes commands, options and names."""

import click

from tidegate.cli.completing import COMPLETION_VARIABLE
from tidegate.cli.console import say
from tidegate.cli.exits import Exit
from tidegate.cli.grammar import Command, argument

__all__ = ["completion"]


@click.command(cls=Command)
@argument("shell", metavar="bash|zsh|fish", type=click.Choice(["bash", "zsh", "fish"]), help="Which shell.")
@click.pass_context
def completion(context: click.Context, shell: str) -> int:
    """Print the script with which a shell completes commands, options, ids and names.

    \b
    bash: eval "$(tidegate completion bash)"  in ~/.bashrc
    zsh:  eval "$(tidegate completion zsh)"   in ~/.zshrc, after compinit
    fish: tidegate completion fish > ~/.config/fish/completions/tidegate.fish
    """  # noqa: D301  # the letter is meant: it keeps the lines as they are
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    if made is None:
        raise click.UsageError(f"there is no completion for {shell}")
    # Not `source()` of its class: that one starts a bash to ask for its version.
    script = made(context.find_root().command, {}, "tidegate", COMPLETION_VARIABLE)
    say((script.source_template % script.source_vars()).strip())
    return Exit.SUCCEEDED
