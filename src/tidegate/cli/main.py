"""`tidegate`: the commands, and how an error becomes a sentence and an exit code."""

import os
import sys
from typing import Annotated

import typer

from tidegate import __version__
from tidegate.cli import answer, checkpoints, doctor, files, logs, monitor, runs
from tidegate.cli import run as run_command
from tidegate.cli.console import complain
from tidegate.cli.exits import Exit, exit_of_error
from tidegate.cli.options import Globals
from tidegate.errors import TidegateError
from tidegate.settings import load_settings

__all__ = ["app", "run"]

app = typer.Typer(
    name="tidegate",
    help="An operations console for durable workflows. Without a command: the monitor.",
    add_completion=False,
    no_args_is_help=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def tidegate(
    context: typer.Context,
    store: Annotated[
        str | None,
        typer.Option(
            "--store", metavar="URL", help="The store: sqlite:///path, memory://. Default: TIDEGATE_STORE."
        ),
    ] = None,
    version: Annotated[bool, typer.Option("--version", "-V", help="Print the version.")] = False,
) -> int:
    """Watch and answer durable workflows."""
    if version:
        typer.echo(f"tidegate {__version__}")
        raise typer.Exit
    context.obj = Globals(load_settings(store=store))
    if context.invoked_subcommand is None:
        return monitor.open_monitor(context.obj.settings)
    return Exit.SUCCEEDED


app.command("run")(run_command.run)
app.command("answer")(answer.answer)
app.command("inbox")(answer.inbox)
app.command("resume")(runs.resume)
app.command("logs")(logs.logs)
app.command("validate")(files.validate)
app.command("plan")(files.plan)
app.command("demo")(monitor.demo)
app.command("doctor")(doctor.doctor)
app.add_typer(runs.app, name="runs")
app.add_typer(checkpoints.app, name="checkpoints")


def run(arguments: list[str] | None = None) -> int:
    """Run one command; return its exit code. No traceback reaches a person."""
    try:
        outcome = app(args=arguments, standalone_mode=False)
    except TidegateError as error:
        complain(f"tidegate: {error}")
        return exit_of_error(error)
    except typer.Exit as error:
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        complain("tidegate: interrupted")
        return Exit.INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has gone; nothing can be told to them any more.
        sys.stderr.close()
        return Exit.SUCCEEDED
    except Exception as error:  # noqa: BLE001 - the last resort; the log has the details
        return _unexpected(error)
    return outcome if isinstance(outcome, int) else Exit.SUCCEEDED


def _unexpected(error: Exception) -> int:
    if os.environ.get("TIDEGATE_DEBUG"):
        raise error
    show = getattr(error, "show", None)
    if callable(show):  # A usage error of the command line's library: it knows how to tell it.
        show()
        return Exit.USAGE
    complain(f"tidegate: something unexpected went wrong: {type(error).__name__}: {error}")
    complain("This is a fault of Tidegate. TIDEGATE_DEBUG=1 shows where.")
    return Exit.FAILED
