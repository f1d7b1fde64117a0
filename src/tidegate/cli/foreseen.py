"""What an answer would lead to, as a table and as JSON."""

from tidegate.cli.console import emit_json, say, table
from tidegate.cli.wiring import Session
from tidegate.history.spans import span
from tidegate.model.listing import PauseRow
from tidegate.model.outlook import ForeseenBlock, Outlook, Supposed
from tidegate.model.prompt import is_secret
from tidegate.safe_text import safe_line

__all__ = ["tell_foreseen"]

_VALUE = 200
"""Characters of one text; `--json` has all of them."""


async def tell_foreseen(session: Session, pause: PauseRow, raw: str | None, *, as_json: bool) -> None:
    """Say what an answer would lead to; without one, what any would, as far as that is known.

    Raises:
        InvalidAnswer, PauseClosed: it would be refused.
    """
    outlook = await session.executor.foresee(pause.pause_id, Supposed.ANYTHING if raw is None else raw)
    usual = await session.history.usual(pause.workflow)
    seconds = {block: it.seconds for block, it in usual.items()}
    if as_json:
        times = {str(block): round(value, 3) for block, value in seconds.items()}
        emit_json({**outlook.as_json(), "usual_seconds": {**times}})
        return
    said = "any answer" if raw is None or is_secret(pause.prompt) else f"'{safe_line(raw, 60)}'"
    say(
        f"{said} to {pause.pause_id} (block {pause.block} of {pause.workflow}, run {pause.run_id}) would lead to:"
    )
    if rows := [_row(it, None if it.above else seconds.get(it.block)) for it in outlook.blocks]:
        table(("", "BLOCK", "TYPE", "USUALLY", ""), rows)
    for sentence in _ends(outlook):
        say(sentence)


def _row(block: ForeseenBlock, seconds: float | None) -> tuple[str, ...]:
    words = [
        "has an effect outside" if block.has_effect else "",
        "cannot be undone" if not block.reversible else "",
        "asks" if block.asks else "",
        "as its wave begins" if block.by_wave else "",
        f"for {', '.join(block.waits_for)} as well" if block.waits_for else "",
        f"only if {block.condition}" if block.condition else "",
        "perhaps" if not block.is_sure and not block.condition else "",
        f"fails: {block.reason}" if block.reason and not block.skipped else block.reason,
        block.does,
    ]
    told = "; ".join(safe_line(word, _VALUE) for word in words if word)
    return block.ahead.value, _name(block), block.type, "" if seconds is None else span(seconds), told


def _name(block: ForeseenBlock) -> str:
    return f"{block.above} / {block.block}" if block.above else str(block.block)


def _ends(outlook: Outlook) -> list[str]:
    said = []
    if outlook.hidden:
        said.append(f"and {outlook.hidden} more")
    if outlook.is_held:
        said.append("the run is paused: nothing starts before somebody lets it go on")
    if outlook.asks_again:
        said.append(f"it asks again: {safe_line(outlook.asks_again, _VALUE)}")
    if outlook.ends is not None:
        run = "the run below" if outlook.caller else "the run"
        said.append(f"{run} ends at once: {outlook.ends.value}")
    elif not outlook.blocks:
        said.append("nothing new starts by it")
    if outlook.effects:
        said.append(f"effects outside are real: {', '.join(map(_name, outlook.effects))}")
    if outlook.irreversible:
        said.append(f"cannot be undone: {', '.join(map(_name, outlook.irreversible))}")
    return said
