"""`python -m tidegate`, and the `tidegate` command."""

import sys


def main() -> None:
    """Run the command line. Answers `--version` before it imports anything."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from tidegate import __version__

        sys.stdout.write(f"tidegate {__version__}\n")
        return
    from tidegate.cli.main import run

    sys.exit(run())


if __name__ == "__main__":
    main()
