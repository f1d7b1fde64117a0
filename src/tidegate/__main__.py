"""`python -m tidegate`, and the `tidegate` command."""

import sys


def main() -> None:
    """Run the command line. Answers `--version` before it imports anything."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from tidegate import __version__

        sys.stdout.write(f"tidegate {__version__}\n")
        return
    try:
        from tidegate.cli.main import run
    except KeyboardInterrupt:
        # Ctrl-C while modules are still being read: nothing was begun, and nothing is told but that.
        sys.exit(130)
    sys.exit(run())


if __name__ == "__main__":
    main()
