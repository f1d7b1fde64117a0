"""What each answer leads to, while it is chosen: looked up, told, and looked up once more before it is sent."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from tidegate.errors import TidegateError
from tidegate.model.outlook import Supposed, news
from tidegate.tui.dialogs.frame.pages import LinesPane
from tidegate.tui.lines import Line, Tone, text_line
from tidegate.tui.nouns.advice import Advice, Foreseen
from tidegate.tui.present.outlook import final_names, news_sentence, outlook_lines, outlook_sentence

__all__ = ["Answers", "Foresight"]

Answers: TypeAlias = Sequence[tuple[str, "str | Supposed"]]
"""What may be answered: its name, safe to draw, and what is sent."""

_PATIENCE = 2.0
"""Seconds that sending waits for what follows to be looked up once more."""


class Foresight:
    """What has been looked up of one question."""

    def __init__(self, advice: Advice | None) -> None:
        """Make it; without *advice* it knows nothing and says nothing."""
        self._advice = advice
        self._seen: dict[str | Supposed, Foreseen | None] = {}
        """None: it leads nowhere, and whoever sends it is told why."""
        self._answers: list[tuple[str, str | Supposed]] = []
        self._page = LinesPane("What follows")
        self._page.put([text_line("Working it out ...", Tone.DIM)])

    @property
    def pages(self) -> Sequence[LinesPane]:
        """What can be turned to."""
        if self._advice is None:
            return ()
        return (self._page, *(LinesPane(page.title, page) for page in self._advice.pages))

    async def look_up(self, answers: Iterable[tuple[str, str | Supposed]]) -> None:
        """Look up what some answers lead to, and show it."""
        for name, raw in answers:
            # Also if it is only being looked up: one of them may be armed meanwhile.
            if all(raw != known for _, known in self._answers):
                self._answers.append((name, raw))
                self._seen[raw] = await self._foresee(raw)
        self._show()

    async def _foresee(self, raw: str | Supposed) -> Foreseen | None:
        if self._advice is None:
            return None
        try:
            return await self._advice.foresee(raw)
        except TidegateError:
            return None

    def _show(self) -> None:
        lines: list[Line] = []
        for number, (name, raw) in enumerate(self._answers):
            if (foreseen := self._seen.get(raw)) is not None:
                lines += [text_line("", key=f"gap:{number}")] if lines else []
                lines += outlook_lines(foreseen, name, str(number))
        self._page.put(lines or [text_line("Nothing is known of it.", Tone.DIM)])

    def knows(self, raw: str) -> bool:
        """Whether an answer was looked up, or cannot be."""
        return self._advice is None or raw in self._seen

    def sentence(self, raw: str) -> str:
        """Return what an answer leads to, safe to draw; empty: not looked up."""
        foreseen = self._seen.get(raw)
        return outlook_sentence(foreseen) if foreseen is not None else ""

    async def find_final(self, raw: str) -> str:
        """Return the blocks that an answer leads to and that cannot be undone, safe to draw; empty: none, or not known."""
        if raw not in self._seen:
            try:
                async with asyncio.timeout(_PATIENCE):
                    self._seen[raw] = await self._foresee(raw)
            except TimeoutError:
                return ""
        return self.known_final(raw)

    def known_final(self, raw: str) -> str:
        """Return the same, as far as it was looked up already."""
        foreseen = self._seen.get(raw)
        return final_names(foreseen.outlook) if foreseen is not None else ""

    async def news_of(self, raw: str) -> str:
        """Return what has changed of what *raw* leads to since it was looked up, safe to draw; empty: nothing.

        What it leads to now counts as looked up from then on. Where that takes too long, nothing is said: an
        answer is never kept from the store by it.
        """
        seen = self._seen.get(raw) or self._seen.get(Supposed.ANYTHING)
        if seen is None:
            return ""
        try:
            async with asyncio.timeout(_PATIENCE):
                now = await self._foresee(raw)
        except TimeoutError:
            return ""
        if now is None:
            return ""
        self._seen[raw] = now
        self._show()
        changed = news(seen.outlook, now.outlook)
        return news_sentence(changed) if changed else ""
