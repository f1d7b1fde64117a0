"""The question that is answered from a closed list."""

import re
from collections.abc import Iterator

from tidegate.errors import InvalidAnswer
from tidegate.model.base import Json
from tidegate.model.question import Question
from tidegate.model.raw_answer import checked
from tidegate.model.typed_text import as_json, read_json

__all__ = ["ChoicePrompt"]

_NOTHING = ("", "none", "[]")
_NUMBER = re.compile(r"[1-9][0-9]{0,5}", re.ASCII)


class ChoicePrompt(Question, tag="choice"):
    """One or, with `multiple`, several of a closed list."""

    question: str
    choices: tuple[str, ...]
    """In the workflow's order; never empty, no duplicates."""
    multiple: bool = False
    min: int = 1
    """With `multiple`: the fewest that may be chosen; 0: choosing none is an answer."""
    max: int | None = None
    """With `multiple`: the most that may be chosen; None: all."""
    default: str | tuple[str, ...] | None = None
    """Taken by a deadline with `on_timeout: default`, and for a field of a form that is left out; never
    preselected. With `multiple` a tuple in the workflow's order, else a text."""

    @property
    def kind(self) -> str:
        """One word for lists."""
        return "choice"

    @property
    def text(self) -> str:
        """What the person reads."""
        return self.question

    @property
    def most(self) -> int:
        """How many may be chosen."""
        return min(self.max or len(self.choices), len(self.choices)) if self.multiple else 1

    @property
    def rule(self) -> str:
        """What counts as an answer, as a sentence fragment."""
        listed = ", ".join(self.choices)
        numbers = f"(1 to {len(self.choices)})"
        if not self.multiple:
            return f"type one of {listed}, or its number {numbers}"
        nothing = ", or none" if self.min == 0 else ""
        return f"type {self._count()} of {listed}, or their numbers {numbers}, with commas between{nothing}"

    def _count(self) -> str:
        fewest = max(self.min, 1)
        if fewest == self.most:
            return f"{fewest}" if fewest < len(self.choices) else "all"
        return f"{fewest} to {self.most}"

    @property
    def example(self) -> Json:
        """An answer's value, to show what one looks like."""
        return list(self.choices[: max(self.min, 1)]) if self.multiple else self.choices[0]

    @property
    def default_value(self) -> Json:
        """The default as an answer's value; None: there is none."""
        return list(self.default) if isinstance(self.default, tuple) else self.default

    def parse(self, raw: str) -> Json:
        """Return the choice that *raw* names; with `multiple` the list of them, in the workflow's order.

        Args:
            raw: A choice's exact text, or its 1-based number as shown. Blanks around it are dropped. Of
                several choices: with commas between, one on each line, or as a JSON list. What names a
                choice as a whole is that choice, also if it holds a comma. With `min` 0 an empty text,
                "none" and "[]" choose nothing.

        Raises:
            InvalidAnswer: *raw* names what is no choice, or too few or too many. Part of a choice is
                not a choice.
        """
        checked(raw)
        if not self.multiple:
            return self.choices[self._named(raw)]
        chosen = set(self._several(raw))
        if not self.min <= len(chosen) <= self.most:
            raise InvalidAnswer(f"{self.rule}; this names {len(chosen)}")
        return [self.choices[index] for index in sorted(chosen)]

    def spell(self, value: Json) -> str:
        """Return a text that `parse` reads as *value*."""
        if isinstance(value, str):
            return value
        text = as_json(value)
        # A choice may itself look like the list, and as a whole it would be read as that choice.
        while self.index_of(text) is not None:
            text = f"[ {text[1:]}"
        return text

    def index_of(self, word: str) -> int | None:
        """Return the 0-based position of the choice that *word* names; None: it names none."""
        bare = word.strip()
        for candidate in (word, bare):
            if candidate in self.choices:
                return self.choices.index(candidate)
        # Text before number, so that a choice which is itself "2" stays reachable.
        is_number = _NUMBER.fullmatch(bare) is not None
        return int(bare) - 1 if is_number and int(bare) <= len(self.choices) else None

    def _named(self, word: str) -> int:
        index = self.index_of(word)
        if index is None:
            stranger = f"; '{word.strip()[:80]}' is none of them" if self.multiple and word.strip() else ""
            raise InvalidAnswer(self.rule + stranger)
        return index

    def _several(self, raw: str) -> Iterator[int]:
        whole = self.index_of(raw)
        if whole is not None:
            yield whole
        elif raw.strip().casefold() not in _NOTHING:
            items = _json_items(raw)
            yield from self._lines(raw) if items is None else map(self._named, items)

    def _lines(self, raw: str) -> Iterator[int]:
        for line in filter(str.strip, raw.split("\n")):
            # A line that is a choice by itself is not cut at its commas.
            whole = self.index_of(line)
            yield from map(self._named, line.split(",")) if whole is None else [whole]


def _json_items(raw: str) -> list[str] | None:
    """Return what a JSON list of texts and whole numbers holds; None: it is no such list."""
    if not raw.lstrip().startswith("["):
        return None
    try:
        items = read_json(raw)
    except InvalidAnswer:
        return None
    plain = isinstance(items, list) and all(type(item) in (str, int) for item in items)
    return [str(item) for item in items] if plain and isinstance(items, list) else None
