"""Folders of our own: for their owner alone, whatever the umask says."""

from pathlib import Path

__all__ = ["make_private_folder"]


def make_private_folder(folder: Path) -> tuple[Path, ...]:
    """Make *folder*, and those above it that are missing; return what was made, from above.

    What is there already stays as its owner has it.

    Raises:
        OSError: that cannot be done.
    """
    missing = tuple(path for path in reversed((folder, *folder.parents)) if not path.exists())
    for path in missing:
        # One by one: with `parents` only the last of them would get the mode.
        path.mkdir(mode=0o700, exist_ok=True)
    return missing
