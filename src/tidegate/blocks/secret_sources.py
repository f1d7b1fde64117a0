"""Reading a secret from where its workflow says it is. It is kept by whoever asked, and nowhere else.

A message says which secret is missing and where it was looked for, and never any part of what was found.
"""

import asyncio
import os
from pathlib import Path
from typing import assert_never

from tidegate.blocks.base import Failed
from tidegate.blocks.process import GRACE, Program
from tidegate.blocks.secret_forms import LEAST, without_breaks
from tidegate.blocks.starting import inherited, start
from tidegate.model.secret import FromAnswer, FromCommand, FromEnvironment, FromFile, SecretDefinition

__all__ = ["MOST", "Unreadable", "read_secret"]

MOST = 16 * 1024
"""Bytes of a secret."""
_PATIENCE = 30.0
"""Seconds for a command that prints one."""


class Unreadable(Exception):
    """A secret could not be had."""

    def __init__(self, name: str, problem: str) -> None:
        """Say which, and why."""
        super().__init__(f"secret '{name}' {problem}")


async def read_secret(secret: SecretDefinition, folder: str, *, patience: float = _PATIENCE) -> str:
    """Return what *secret* is now.

    Args:
        secret: Which.
        folder: Absolute; where a relative path starts, and where a command runs.
        patience: Seconds for a command.

    Raises:
        Unreadable: it is not there, or is nothing that can be masked.
    """
    match source := secret.source:
        case FromEnvironment():
            value = _variable(secret.name, source.variable)
        case FromFile():
            # Off the loop: a network disk may hang.
            value = await asyncio.to_thread(_file, secret.name, source.path, folder)
        case FromCommand():
            value = await _printed(secret.name, source.words, folder, patience)
        case FromAnswer():
            raise Unreadable(secret.name, f"is read from the answer to '{source.block}', not here")
        case _:
            assert_never(source)
    return _sound(secret.name, value)


def _variable(name: str, variable: str) -> str:
    value = os.environ.get(variable)
    if value is None:
        where = f"the environment variable {variable} is not set in the process that drives the run"
        raise Unreadable(name, f"is missing: {where}")
    return _decoded(name, os.fsencode(value))


def _file(name: str, written: str, folder: str) -> str:
    path = Path(written)
    try:
        path = Path(folder) / path.expanduser()
        # Asked first: reading a pipe would wait for ever.
        if path.exists() and not path.is_file():
            raise Unreadable(name, f"is missing: {path} is no regular file")
        with path.open("rb") as file:
            data = file.read(MOST + 2)
    except (OSError, RuntimeError) as error:
        why = error.strerror if isinstance(error, OSError) else "there is no home folder"
        raise Unreadable(name, f"is missing: the file {path} cannot be read ({why})") from None
    return _decoded(name, data.rstrip(b"\r\n"))


async def _printed(name: str, words: tuple[str, ...], folder: str, patience: float) -> str:
    group = start(Program(words, inherited(), folder), None, GRACE)
    if isinstance(group, Failed):
        raise Unreadable(name, f"is missing: {group.failure.message}")
    data = bytearray()

    async def take(stream: int, some: bytes) -> None:
        # What it complains about may quote anything: nothing of that is told, or kept.
        if stream == 1 and len(data) <= MOST:
            data.extend(some)

    try:
        async with asyncio.timeout(patience):
            code = await group.run(take)
    except TimeoutError:
        raise Unreadable(name, f"is missing: {words[0]} did not print it in {patience:g} s") from None
    if code != 0:
        ended = f"exit code {code}" if code > 0 else f"signal {-code}"
        problem = f"is missing: {words[0]} ended with {ended}; run it by hand in {folder} to see why"
        raise Unreadable(name, problem)
    return _decoded(name, bytes(data).rstrip(b"\r\n"))


def _decoded(name: str, data: bytes) -> str:
    if len(data) > MOST:
        raise Unreadable(name, f"has more than {MOST:,} bytes: pass the path of a file instead")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Unreadable(name, "is no text (UTF-8): pass the path of a file instead") from None


def _sound(name: str, value: str) -> str:
    if not value.strip():
        raise Unreadable(name, "is missing: what was found is empty")
    if "\0" in value:
        raise Unreadable(name, "holds a NUL character, which no command can be given")
    size = len(without_breaks(value.encode()).decode())
    if size < LEAST:
        problem = f"has {size} characters: one of fewer than {LEAST} cannot be masked, and is not used"
        raise Unreadable(name, problem)
    return value
