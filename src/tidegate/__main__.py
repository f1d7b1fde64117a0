"""`python -m tidegate`, and the `tidegate` command.

Two ways in do without the command line's own library, because a person waits for them:
`--version`, and the monitor.
"""

import os
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    try:
        sys.exit(_run(sys.argv[1:]))
    except KeyboardInterrupt:
        # Ctrl-C while modules are still being read: nothing was begun, and nothing is told but that.
        sys.exit(130)


def _run(words: list[str]) -> int:
    if words in (["--version"], ["-V"]):
        from tidegate import __version__

        sys.stdout.write(f"tidegate {__version__}\n")
        return 0
    # A shell that asks what may be typed next calls us without words, too.
    if not words and "_TIDEGATE_COMPLETE" not in os.environ and (code := _monitor()) is not None:
        return code
    from tidegate.cli.main import run

    return run()


def _monitor() -> int | None:
    """Show the monitor; None where it cannot be shown, and the command line says why."""
    from tidegate.cli.monitor import has_terminal, open_monitor
    from tidegate.settings import load_settings

    if not has_terminal():
        return None
    try:
        return open_monitor(load_settings())
    except Exception as error:  # noqa: BLE001 - the last resort
        from tidegate.cli.endings import ended_with

        return ended_with(error, [])


if __name__ == "__main__":
    main()
