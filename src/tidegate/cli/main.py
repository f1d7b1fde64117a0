"""`tidegate`: the commands, and the way into them."""

import os
import sys
from collections.abc import Sequence
from dataclasses import replace

import click

from tidegate.cli import options
from tidegate.cli.endings import ended_with, leave_quietly
from tidegate.cli.exits import Exit
from tidegate.cli.grammar import LazyGroup, Place
from tidegate.settings import MONITOR_THEMES, MonitorSettings, Settings

__all__ = ["run", "tidegate"]

COMMANDS: dict[str, Place] = {
    "run": ("tidegate.cli.run:run", "Start a run and follow it until it ends or waits for a person."),
    "answer": (
        "tidegate.cli.answer:answer",
        "Answer an open pause, and follow its run until it ends or waits again.",
    ),
    "assign": (
        "tidegate.cli.assign:assign",
        "Say whose business an open pause is: theirs is the first look, but anybody may answer.",
    ),
    "inbox": (
        "tidegate.cli.inbox:inbox",
        "List every open pause: those with a deadline first, then the oldest.",
    ),
    "resume": ("tidegate.cli.resume:resume", "Go on with a run after a crash, a stop or a failure."),
    "worker": (
        "tidegate.cli.worker:worker",
        "Drive runs without a terminal: take over what was left behind, let deadlines and timers fire.",
    ),
    "mcp": (
        "tidegate.cli.mcp:mcp",
        "Serve workflows to clients of the Model Context Protocol: start, answer, look, compare, fork.",
    ),
    "logs": ("tidegate.cli.logs:logs", "Print what blocks wrote, made safe for a terminal unless --raw."),
    "validate": (
        "tidegate.cli.files:validate",
        "Check workflow files: every fault, with its place and what would be right.",
    ),
    "plan": (
        "tidegate.cli.files:plan",
        "Show the waves of a workflow: what may run together, and what asks a person.",
    ),
    "init": (
        "tidegate.cli.init:init",
        "Write a first workflow with comments, and the schema with which editors check it.",
    ),
    "schema": (
        "tidegate.cli.schema:schema",
        "Print the JSON Schema of workflow files, for editors.",
    ),
    "blocks": (
        "tidegate.cli.blocks:blocks",
        "List the types of blocks, or say what one of them takes and gives.",
    ),
    "demo": (
        "tidegate.cli.demo:demo",
        "Open the monitor on the sample workflows, in a scratch store that is deleted afterwards.",
    ),
    "stats": (
        "tidegate.cli.stats:stats",
        "Show how much there is, how old it is, and how long people and machines took.",
    ),
    "watch": (
        "tidegate.cli.watch:watch",
        "Show what waits, what runs and how the last days went, and keep it up to date.",
    ),
    "backup": (
        "tidegate.cli.backup:backup",
        "Write a verified copy of the whole store, while everybody goes on.",
    ),
    "config": (
        "tidegate.cli.config:config",
        "Settings: what is set, by whom, and in which files.",
    ),
    "keys": (
        "tidegate.cli.keys:keys",
        "List what the monitor can do: the id of each command, its keys, and what it does.",
    ),
    "completion": (
        "tidegate.cli.completion:completion",
        "Print the script with which a shell completes commands, options, ids and names.",
    ),
    "doctor": (
        "tidegate.cli.doctor:doctor",
        "Show the store, versions, paths and the terminal, and whether the store can be opened.",
    ),
    "encryption": (
        "tidegate.cli.encryption:encryption",
        "Encryption at rest: keys, what opens the store, and an encrypted copy of it.",
    ),
    "runs": ("tidegate.cli.runs:runs", "Runs: what ran, what runs, and turning its course."),
    "checkpoints": ("tidegate.cli.checkpoints:checkpoints", "Checkpoints: named points of runs."),
}


@click.group(
    cls=LazyGroup,
    places=COMMANDS,
    invoke_without_command=True,
    help="An operations console for durable workflows. Without a command: the monitor.",
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
)
@options.store
@click.option(
    "--read-only", is_flag=True, help="The monitor only looks: nothing is answered, started or driven."
)
@click.option(
    "--ascii/--no-ascii", "ascii_only", default=None, help="Whether the monitor draws with ASCII only."
)
@click.option("--theme", type=click.Choice(MONITOR_THEMES), help="The colours of the monitor.")
@click.option("--no-mouse", is_flag=True, help="Leave the mouse to the terminal.")
@click.option("--version", "-V", is_flag=True, help="Print the version.")
@click.pass_context
def tidegate(
    context: click.Context,
    version: bool,
    read_only: bool,
    ascii_only: bool | None,
    theme: str | None,
    no_mouse: bool,
) -> int:
    """Watch and answer durable workflows."""
    if version:
        from tidegate import __version__

        click.echo(f"tidegate {__version__}")
        raise click.exceptions.Exit
    settings = context.ensure_object(Settings)
    asked = _asked_for(settings.monitor, read_only, ascii_only, theme, no_mouse)
    context.obj = replace(settings, monitor=asked)
    if context.invoked_subcommand is not None:
        if read_only:
            raise click.UsageError("--read-only is about the monitor, which is opened without a command")
        return Exit.SUCCEEDED
    from tidegate.cli.monitor import has_terminal, open_monitor

    if not has_terminal():
        raise click.UsageError(
            "the monitor needs a terminal; `tidegate --help` lists the commands that need none"
        )
    return open_monitor(context.obj)


def _asked_for(
    settings: MonitorSettings, read_only: bool, ascii_only: bool | None, theme: str | None, no_mouse: bool
) -> MonitorSettings:
    """Return *settings* as the command line has them."""
    return replace(
        settings,
        read_only=read_only,
        ascii=settings.ascii if ascii_only is None else ascii_only,
        theme=theme or settings.theme,
        mouse=settings.mouse and not no_mouse,
    )


def _words() -> list[str]:
    """Return what was typed as UTF-8, which under LANG=C Python takes for something else."""
    return [os.fsencode(word).decode("utf-8", "surrogateescape") for word in sys.argv[1:]]


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code. No traceback reaches a person."""
    if instruction := os.environ.get("_TIDEGATE_COMPLETE"):
        from tidegate.cli.completing import complete

        return complete(tidegate, instruction)
    words = _words() if arguments is None else list(arguments)
    try:
        # Not `tidegate.main`: that one turns a closed pipe into exit code 1 by itself.
        with tidegate.make_context("tidegate", words.copy()) as context:
            code = int(tidegate.invoke(context) or Exit.SUCCEEDED)
    except click.exceptions.Exit as ending:
        code = ending.exit_code
    except BrokenPipeError:
        # Whoever read our output has seen enough; that is no failure of ours.
        code = Exit.SUCCEEDED
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the last resort
        code = ended_with(error, words)
    leave_quietly()
    return code
