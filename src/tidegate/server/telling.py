"""How a tool's result is told: texts that are safe to show, and JSON in which nothing is altered."""

import functools
import json
import re
from collections.abc import Awaitable, Callable
from typing import ParamSpec

from mcp.types import CallToolResult, TextContent

from tidegate.embedding.results import RunResult
from tidegate.errors import TidegateError
from tidegate.model.base import Json, JsonObject
from tidegate.model.events import RunStatus
from tidegate.safe_text import safe_lines
from tidegate.server.refusals import refusal

__all__ = ["AGAIN", "FIRST", "run_json", "run_told", "tell", "told"]

P = ParamSpec("P")

FIRST = "Workflow paused - use resume_workflow to continue"
AGAIN = "Workflow paused again - use resume_workflow to continue"

_WORDS = {RunStatus.SUCCEEDED: "success", RunStatus.PAUSED: "paused"}
_MOVING = (RunStatus.QUEUED, RunStatus.RUNNING)
_RISKY = re.compile(r"[^\x20-\x7e]")
_TARGETS = ("checkpoint_id", "pause_id", "run_id", "point")
"""The parameters that say what a call is about."""


def tell(document: JsonObject, text: str, *, is_error: bool = False) -> CallToolResult:
    """Return a tool's result.

    Args:
        document: What programs read; it is also the second text, for clients that read texts only.
        text: What people and models read; it may hold foreign text.
        is_error: Whether what was asked for was refused.
    """
    written = _RISKY.sub(_escaped, json.dumps(document, ensure_ascii=False))
    texts = ["\n".join(safe_lines(text)), written]
    content = [TextContent(type="text", text=part) for part in texts]
    return CallToolResult(content=list(content), structured_content=document, is_error=is_error)


def _escaped(match: re.Match[str]) -> str:
    """Return a character as JSON may hold it; what is invisible or steers a terminal is escaped."""
    character = match[0]
    return character if character.isprintable() else json.dumps(character)[1:-1]


def told(
    **also: Json,
) -> Callable[[Callable[P, Awaitable[CallToolResult]]], Callable[P, Awaitable[CallToolResult]]]:
    """Let a tool's refusals be results: with a sentence, and fields that say the same.

    Args:
        also: Fields that a refusal of this tool has, too.
    """

    def wrap(tool: Callable[P, Awaitable[CallToolResult]]) -> Callable[P, Awaitable[CallToolResult]]:
        @functools.wraps(tool)
        async def safely(*args: P.args, **kwargs: P.kwargs) -> CallToolResult:
            try:
                return await tool(*args, **kwargs)
            except TidegateError as error:
                about = {name: str(kwargs[name]) for name in _TARGETS if kwargs.get(name)}
                document: JsonObject = {
                    **about,
                    **also,
                    **refusal(error, next(iter(about.values()), "")),
                }
                return tell(document, str(document["error"]), is_error=True)

        return safely

    return wrap


def run_json(result: RunResult, paused: str = FIRST) -> JsonObject:
    """Return where a run stands: its own fields, and those that existing tools know.

    Args:
        result: Where it stands.
        paused: What to say if it waits for somebody.
    """
    known: JsonObject = {
        **result.as_json(),
        "status": _word(result.status),
        "run_status": result.status.value,
    }
    if result.status is RunStatus.SUCCEEDED:
        return {**known, "message": "Workflow completed successfully"}
    if result.status in _MOVING:
        return {**known, "message": "Workflow is running - use get_run to see where it stands"}
    if result.status is not RunStatus.PAUSED:
        return {**known, "error": _error(result), "message": "Workflow execution failed"}
    if result.pauses:
        first = result.pauses[0]
        return {**known, "checkpoint_id": first.pause_id, "prompt": first.prompt.text, "message": paused}
    return {**known, "prompt": None, "message": f"Workflow is held by {result.held_by or 'somebody'}"}


def _word(status: RunStatus) -> str:
    return "running" if status in _MOVING else _WORDS.get(status, "failure")


def _error(result: RunResult) -> str:
    failures = [f"block '{failure.block}': {failure.message}" for failure in result.failures]
    return "; ".join(failures) or result.reason or f"the run is {result.status.value}"


def run_told(result: RunResult, paused: str = FIRST, also: JsonObject | None = None) -> CallToolResult:
    """Return where a run stands, as a tool's result; *also* are further fields of it."""
    document: JsonObject = {**run_json(result, paused), **(also or {})}
    lines = [f"{document['message']} (run {result.run_id} of {result.workflow}: {result.status.value})"]
    lines += [f"{pause.pause_id}: {pause.prompt.text} [{pause.prompt.rule}]" for pause in result.pauses]
    if "error" in document:
        lines.append(str(document["error"]))
    return tell(document, "\n".join(lines))
