"""Where the styles are: each screen names its own, so that the first one waits for no other's."""

from pathlib import Path

from tidegate.assets import asset_dir

__all__ = ["style_sheet"]


def style_sheet(name: str) -> Path:
    """Return the file with the styles *name*."""
    return asset_dir("styles") / f"{name}.tcss"
