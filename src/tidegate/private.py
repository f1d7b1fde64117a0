"""Folders of our own: for their owner alone, whatever the umask says."""

from pathlib import Path

__all__ = ["make_private_folder"]


def make_private_folder(folder: Path) -> None:
    """Make *folder*, and those above it that are missing. What is there already stays as its owner has it.

    Raises:
        OSError: that cannot be done.
    """
    for path in reversed((folder, *folder.parents)):
        # Asked of each: with `parents` only the last one would get the mode.
        if not path.exists():
            path.mkdir(mode=0o700, exist_ok=True)
