"""`tidegate checkpoints diff`: what differs between two points of runs."""

from collections.abc import Mapping

import click

from tidegate.cli import options
from tidegate.cli.console import emit_json, say, shown_value
from tidegate.cli.exits import Exit
from tidegate.cli.grammar import Command, argument, not_empty
from tidegate.cli.wiring import Reading, read_store
from tidegate.clock import iso
from tidegate.history.changes import Change, line_diff, plain
from tidegate.history.comparing import Comparison, Rules
from tidegate.history.counterparts import Counterpart
from tidegate.history.document import Missing, Node, is_branch, plain_json
from tidegate.history.history import History
from tidegate.history.paths import parse_path, path_text
from tidegate.history.points import Point
from tidegate.model.prompt import describe_value
from tidegate.model.value import Stored
from tidegate.safe_text import safe_line
from tidegate.settings import Settings

__all__ = ["diff"]

_VALUE = 200
"""Characters of one value; `--json` has all of them."""
_LINES = 60
"""Lines of one text's difference."""
_POINT = "A checkpoint, RUN@SEQ, or a run, which means its newest event."


def _patterns(_: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> tuple[str, ...]:
    try:
        for text in texts:
            parse_path(not_empty(_, parameter, text))
    except ValueError as error:
        raise click.BadParameter(str(error), param=parameter) from None
    return texts


@click.command(cls=Command)
@argument("left", metavar="A", help=_POINT)
@argument("right", metavar="[B]", required=False, help="Another point. Default: A's run as it is now.")
@click.option(
    "with_",
    "--with",
    type=click.Choice([word.value for word in Counterpart]),
    help="Compare A not with B but with its run now, with the run it was forked from, with the point there, or "
    "with the last run of its workflow that succeeded.",
)
@click.option(
    "ignore",
    "--ignore",
    metavar="PATTERN",
    multiple=True,
    callback=_patterns,
    help="What does not count: blocks.*.outputs.stamp, state.seen, **.version; repeat for more.",
)
@click.option("--timing", is_flag=True, help="Let times, durations and numbers of attempts count.")
@click.option("--exit-code", is_flag=True, help="End with 1 if anything differs that counts.")
@options.as_json
@options.store
@options.pass_settings
def diff(
    settings: Settings,
    left: str,
    right: str | None,
    with_: str | None,
    ignore: tuple[str, ...],
    timing: bool,
    exit_code: bool,
    as_json: bool,
) -> int:
    """Compare two points of runs.

    Of one run or of two: values, blocks, answers, and the workflow itself. A line begins with + for what only B has, - for what only A has, ~ for what is another one there. With
    --with, A is the newer side. Ids never count. Names in a pattern are as in the lines; * stands for any
    name, ** for any number of names.

    Exit code: 0; with --exit-code 1 if anything differs.
    """
    if right is not None and with_ is not None:
        raise click.UsageError("B and --with name the other point: give one of them")

    async def work(reading: Reading) -> int:
        points = await _points(reading.history, left, right, with_)
        found = await reading.history.compare(*points, Rules(ignore=ignore, timing=timing))
        if as_json:
            emit_json(found.as_json())
        else:
            await _tell(reading.history, found, timing=timing)
        return Exit.FAILED if exit_code and not found.is_same else Exit.SUCCEEDED

    return read_store(settings, work)


async def _points(history: History, left: str, right: str | None, with_: str | None) -> tuple[Point, Point]:
    one = await history.find_point(left)
    if right is not None:
        return one, await history.find_point(right)
    word = Counterpart(with_ or "now")
    other = await history.counterpart(one, word)
    if one == other:
        raise click.UsageError(
            f"'{left}' is run {one.run_id} as it is now: name the point to compare it with, or say --with"
        )
    return (one, other) if word is Counterpart.NOW else (other, one)


# -- as text ----------------------------------------------------------------------------------


async def _tell(history: History, found: Comparison, *, timing: bool) -> None:
    for sign, point, workflow in zip("-+", (found.left, found.right), found.workflows, strict=True):
        at = (await (await history.walk(point.run_id)).event(point.seq)).at
        say(safe_line(f"{sign * 3} {point}  {workflow}  {iso(at)}"))
    for group, changes in found.by_group().items():
        say(group)
        for change in changes:
            _tell_change(change, under=group != "run")
    for line in _summary(found, timing=timing):
        say(line)


def _tell_change(change: Change, *, under: bool) -> None:
    path = path_text(change.path[1:] if under else change.path)
    head = f"  {change.kind.sign} {path}"
    lines = line_diff(change)
    if lines:
        say(safe_line(f"{head}:"))
        for line in lines[:_LINES]:
            say(f"      {safe_line(line, limit=_VALUE)}")
        if len(lines) > _LINES:
            say(f"      … {len(lines) - _LINES:,} more lines")
        return
    said = [_said(change, side) for side in (change.left, change.right) if not isinstance(side, Missing)]
    say(safe_line(f"{head}: {' → '.join(said)}"))


def _said(change: Change, node: Node | Missing) -> str:
    """Return a side of a change in a line: bounded, so that the other side is seen, too."""
    node = plain(node)
    name = str(change.path[-1]) if change.path else ""
    if isinstance(node, Stored):
        return f"({node.size:,} bytes, sha256 {node.sha256[:12]})"
    if isinstance(node, float) and (name.endswith("_at") or name == "deadline"):
        return iso(node)
    if isinstance(node, Missing):
        return ""
    if is_branch(node) and len(change.path) == len(("blocks", "build")) and change.group in _WHOLE:
        return _WHOLE[change.group](node)
    return safe_line(shown_value(plain_json(node)), limit=_VALUE)


def _block(block: Mapping[str, Node]) -> str:
    """Return a block that is there on one side only."""
    outputs = shown_value(plain_json(block["outputs"])) if "outputs" in block else ""
    return safe_line(f"{block['status']} {outputs}".rstrip(), limit=_VALUE)


def _question(pause: Mapping[str, Node]) -> str:
    """Return a question that was asked on one side only."""
    answer = f": {describe_value(plain_json(pause['answer']))}" if "answer" in pause else ""
    by = f", by {pause['by']}" if "by" in pause else ""
    asked = safe_line(str(pause.get("question", "")), limit=_VALUE)
    return f"{asked} ({pause['state']}{answer}{by})"


_WHOLE = {"blocks": _block, "answers": _question}


def _summary(found: Comparison, *, timing: bool) -> list[str]:
    """Return what there is to say beside the changes."""
    count, more = len(found.changes), found.more
    lines = [] if more == 0 else [f"… and {'at least ' if found.at_least else ''}{more:,} more differences"]
    if not count:
        lines.append("nothing that counts differs")
    if found.ignored:
        lines.append(f"{found.ignored:,} ignored")
    if found.timing and not timing:
        lines.append(f"{len(found.timing):,} times and numbers of attempts differ: --timing shows them")
    return lines
