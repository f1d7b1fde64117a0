"""Makes what of these pages is not written by hand: `python docs/make.py`.

`commands.md` and `blocks.md` are what the commands and the block types say of themselves; a test finds them when they are out
of date. `python docs/make.py picture` also makes `monitor.svg`: the samples are started in a scratch store, as `tidegate demo`
does, and the monitor is drawn once they have come to rest.
"""  # noqa: INP001 - a script beside the pages

import asyncio
import inspect
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import click

from tidegate.blocks.registry import BUILTIN
from tidegate.cli.main import tidegate
from tidegate.model.catalog import BlockSpec, InputSpec

PAGES = Path(__file__).parent
SIZE = (118, 34)
REST = 25.0
"""Seconds until what the demo has started waits for somebody, on a slow machine."""
LOOKED = 4.0
"""Seconds until what follows from a question is told."""


def commands_page() -> str:
    """Return the page of all commands with their arguments and options."""
    head = [
        "# Commands",
        "Made by `python docs/make.py` from what `--help` says. Every command takes `--help` and, where it has to do with a"
        " store, `--store`. Exit codes: 0 succeeded, 1 failed, 2 usage or an invalid file, 3 a person must answer, 4 rejected,"
        " 5 cancelled, 6 conflict, 7 not found, 130 interrupted.",
    ]
    context = click.Context(tidegate, info_name="tidegate", show_default=True)
    return "\n\n".join([*head, *_of_command(tidegate, context)]) + "\n"


def _of_command(command: click.Command, context: click.Context) -> Iterator[str]:
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"## `{context.command_path}`"
    yield f"`{context.command_path} {usage}`"
    yield from _paragraphs(command.help or "")
    for title, kind in (("argument", click.Argument), ("option", click.Option)):
        records = [
            record
            for parameter in command.get_params(context)
            if isinstance(parameter, kind)
            and not {"--help", "--store"}.intersection(parameter.opts)
            and (record := parameter.get_help_record(context)) is not None
        ]
        if records:
            yield _table((title, "what"), [(f"`{name}`", told) for name, told in records])
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None  # noqa: S101 - it was just listed
            yield from _of_command(below, click.Context(below, info_name=name, parent=context))


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        if "\b" in paragraph:  # As it stands, line by line.
            lines = inspect.cleandoc(paragraph.replace("\b", "")).strip()
            yield f"```\n{lines}\n```"
        else:
            yield " ".join(paragraph.split())


def blocks_page() -> str:
    """Return the page of all block types with their inputs and outputs."""
    head = [
        "# Block types",
        "Made by `python docs/make.py` from what `tidegate blocks TYPE` says. What all blocks have in common is told in"
        " [workflow files](workflow-files.md).",
    ]
    parts = [part for name, block in BUILTIN.items() for part in _of_type(name, block.spec)]
    return "\n\n".join([*head, *parts]) + "\n"


def _of_type(name: str, spec: BlockSpec) -> Iterator[str]:
    yield f"## {name}"
    yield spec.description.strip()
    rows = [(f"`{entry.name}`", entry.type, _need(entry), entry.description) for entry in spec.inputs()]
    yield _table(("input", "type", "default", "what"), rows)
    if spec.secret_inputs:
        yield "Secrets may stand in " + ", ".join(f"`{it}`" for it in sorted(spec.secret_inputs)) + "."
    outputs = [f"`{output}` ({kind})" for output, kind in spec.outputs.items()]
    yield "Outputs: " + ", ".join([*outputs, *["others, which only a run shows"] * spec.open_outputs]) + "."
    yield _effect(spec)
    if spec.example:
        lines = spec.example.strip().split("\n")
        yield (
            "```yml\n" + "\n".join(f"{'  ' if at else '- '}{line}" for at, line in enumerate(lines)) + "\n```"
        )


def _need(entry: InputSpec) -> str:
    if entry.required:
        return "required"
    empty = entry.default in (None, "", [], {}) and not isinstance(entry.default, bool)
    return (
        ""
        if empty
        else f"`{str(entry.default).lower() if isinstance(entry.default, bool) else entry.default}`"
    )


def _effect(spec: BlockSpec) -> str:
    if spec.interactive:
        return "It asks a person, and has no effect of its own."
    return f"Effect: `{spec.effect}`" + (
        ", or less, as its inputs say." if spec.effect_of is not None else "."
    )


def _table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [heads, ("---",) * len(heads), *rows]
    cells = ([" ".join(cell.replace("|", "\\|").split()) for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


PAGES_MADE = {"commands.md": commands_page, "blocks.md": blocks_page}


# -- the picture ------------------------------------------------------------------------------


async def picture() -> str:
    """Return the monitor, with the samples in it, as SVG."""
    from tidegate.cli.demo import open_samples
    from tidegate.clock import SystemClock
    from tidegate.settings import load_settings
    from tidegate.tui.app import MonitorApp

    folder = Path(tempfile.mkdtemp(prefix="tidegate-picture-"))
    settings = replace(load_settings({}, store=f"sqlite:///{folder}/picture.db"), operator="ana")
    app = MonitorApp(lambda: open_samples(settings), SystemClock())
    app.animation_level = "none"
    try:
        async with app.run_test(size=SIZE) as pilot:
            await asyncio.sleep(REST)
            # A question with answers that lead to different things.
            await pilot.press("down", "down")
            await asyncio.sleep(LOOKED)
            drawn = app.export_screenshot(title="tidegate", simplify=True)
            # A page loads nothing from elsewhere: without the font it is drawn in the reader's own.
            return re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    """Write what is made."""
    for name, page in PAGES_MADE.items():
        (PAGES / name).write_text(page(), encoding="utf-8")
    if "picture" in sys.argv[1:]:
        (PAGES / "monitor.svg").write_text(asyncio.run(picture()), encoding="utf-8")


if __name__ == "__main__":
    main()
