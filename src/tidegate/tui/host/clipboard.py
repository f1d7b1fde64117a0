"""Copying: by the terminal, which works over any connection, and by a tool of this desktop where there is one."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping

__all__ = ["copy_with_tool", "tool_of"]

_SECONDS = 5.0
_TOOLS = (
    ("WAYLAND_DISPLAY", ("wl-copy",)),
    ("DISPLAY", ("xclip", "-selection", "clipboard")),
    ("DISPLAY", ("xsel", "--clipboard", "--input")),
)
"""A variable that says which desktop there is, and what copies there."""


def tool_of(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> tuple[str, ...]:
    """Return the command that takes text into the clipboard of this desktop; empty: there is none, or it is far away."""
    # The desktop of a remote machine is not the one that the operator sits at.
    if environ.get("SSH_CONNECTION") or environ.get("SSH_TTY"):
        return ()
    if platform == "darwin":
        return ("pbcopy",)
    path = environ.get("PATH")
    return next(
        (tool for variable, tool in _TOOLS if environ.get(variable) and shutil.which(tool[0], path=path)), ()
    )


def copy_with_tool(tool: tuple[str, ...], text: str) -> str:
    """Copy *text*; return why that did not work, or nothing. It waits for the tool: call it in a thread."""
    try:
        subprocess.run(
            tool,
            input=text.encode("utf-8", "replace"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return f"{tool[0]} did not copy it: {error}"
    return ""
