"""The fields of a list that a filter can name: what each takes, and when a row has it.

A field reads what is written behind it once, into a test of rows. It knows no list: what it looks at is given
by the list.
"""

import math
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from tidegate.tui.query.values import ANY_TIME, Span, length_of, span_of

__all__ = [
    "Choice",
    "Field",
    "Flags",
    "Length",
    "Meaning",
    "Moment",
    "Number",
    "Person",
    "Reader",
    "Since",
    "Unreadable",
    "Words",
    "names_of",
]

T = TypeVar("T")

_COMPARE: Final = {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge, "=": operator.eq}
_LENGTHS = "such as 30s, 10m, 2h, 1d12h"


class Unreadable(Exception):
    """What is written behind a field is nothing that it takes. The text says what it takes."""


@dataclass(frozen=True, slots=True)
class Meaning(Generic[T]):
    """One value behind a field, read."""

    holds: Callable[[T, float], bool]
    """Whether a row has it, now."""
    words: frozenset[str] = frozenset()
    """Of a closed set: those that are meant. Of a text that has to be equal: that text."""
    span: Span = ANY_TIME
    """Of an instant: when it lies."""
    is_timed: bool = False
    """Whether a row that stays as it is may come to have it, or lose it, by time alone."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Who filters."""

    me: str = ""


@dataclass(frozen=True, slots=True)
class Field(ABC, Generic[T]):
    """Something that every row of a list has, or may have."""

    names: tuple[str, ...]
    """What it is called; the first is the one that is shown."""
    help: str
    """What it is, as a sentence fragment."""

    @property
    def name(self) -> str:
        """What it is called."""
        return self.names[0]

    @property
    @abstractmethod
    def signs(self) -> str:
        """What may stand between its name and a value, blanks between; the usual one first."""

    @property
    @abstractmethod
    def example(self) -> str:
        """A value that it takes."""

    @property
    def usage(self) -> str:
        """How it is written, for instance."""
        return f"{self.name}{self.signs.split()[0]}{self.example}"

    @property
    def choices(self) -> tuple[str, ...]:
        """The values that it takes, if they are few."""
        return ()

    @abstractmethod
    def read(self, sign: str, text: str, reader: Reader) -> Meaning[T]:
        """Return what a value means.

        Raises:
            Unreadable: it means nothing here.
        """


@dataclass(frozen=True, slots=True)
class Words(Field[T]):
    """A text. Behind a colon stands a part of it, whatever its case; behind an equals sign exactly all of it."""

    get: Callable[[T], str]
    sample: str = "deploy"

    @property
    def signs(self) -> str:
        """Both."""
        return ": ="

    @property
    def example(self) -> str:
        """Some word."""
        return self.sample

    def read(self, sign: str, text: str, reader: Reader) -> Meaning[T]:
        """Return what looks for a text."""
        del reader
        get, wanted = self.get, text.casefold()
        if sign == "=":
            return Meaning(lambda row, _: get(row) == text, words=frozenset((text,)))
        return Meaning(lambda row, _: wanted in get(row).casefold())


@dataclass(frozen=True, slots=True)
class Person(Field[T]):
    """Who did something. ``me`` is whoever filters."""

    get: Callable[[T], Iterable[str]]

    @property
    def signs(self) -> str:
        """A person is named, or not."""
        return ": ="

    @property
    def example(self) -> str:
        """Oneself."""
        return "me"

    @property
    def choices(self) -> tuple[str, ...]:
        """The one person who is known for certain."""
        return ("me",)

    def read(self, sign: str, text: str, reader: Reader) -> Meaning[T]:
        """Return what looks for a person."""
        get, wanted = self.get, text.casefold()
        if wanted == "me":
            return Meaning(lambda row, _: reader.me in get(row))
        if sign == "=":
            return Meaning(lambda row, _: any(wanted == name.casefold() for name in get(row)))
        return Meaning(lambda row, _: any(wanted in name.casefold() for name in get(row)))


@dataclass(frozen=True, slots=True)
class Choice(Field[T]):
    """One of a closed set of words; the beginning of one means all that begin so."""

    get: Callable[[T], str]
    values: tuple[str, ...]

    @property
    def signs(self) -> str:
        """It is one of some."""
        return ": ="

    @property
    def example(self) -> str:
        """The first."""
        return self.values[0]

    @property
    def choices(self) -> tuple[str, ...]:
        """All."""
        return self.values

    def read(self, sign: str, text: str, reader: Reader) -> Meaning[T]:
        """Return what looks for a word."""
        del sign, reader
        get, meant = self.get, _meant(text, self.values)
        return Meaning(lambda row, _: get(row) in meant, words=meant)


@dataclass(frozen=True, slots=True)
class Flags(Field[T]):
    """What may be said of a row, or may not."""

    get: Mapping[str, Callable[[T, float], bool]]

    @property
    def signs(self) -> str:
        """It is so."""
        return ":"

    @property
    def example(self) -> str:
        """The first."""
        return next(iter(self.get))

    @property
    def choices(self) -> tuple[str, ...]:
        """All."""
        return tuple(self.get)

    def read(self, sign: str, text: str, reader: Reader) -> Meaning[T]:
        """Return what asks whether it is so."""
        del sign, reader
        meant = _meant(text, self.choices)
        tests = [self.get[word] for word in meant]
        return Meaning(lambda row, now: any(test(row, now) for test in tests), words=meant, is_timed=True)


def _meant(text: str, words: tuple[str, ...]) -> frozenset[str]:
    wanted = text.casefold()
    meant = frozenset((wanted,)) if wanted in words else {word for word in words if word.startswith(wanted)}
    if not meant:
        raise Unreadable(f"'{text}' is none of {', '.join(words)}")
    return frozenset(meant)


@dataclass(frozen=True, slots=True)
class Number(Field[T]):
    """A number; of a row that has none nothing holds."""

    get: Callable[[T], float | None]
    sample: str = "50"

    @property
    def signs(self) -> str:
        """It is compared."""
        return "> < >= <= ="

    @property
    def example(self) -> str:
        """Some number."""
        return self.sample

    def read(self, sign: str, text: str, reader: Reader) -> Meaning[T]:
        """Return what compares."""
        del reader
        get, compare = self.get, _COMPARE[sign]
        try:
            wanted = float(text.removesuffix("%"))
        except ValueError:
            wanted = math.nan
        if not math.isfinite(wanted):
            raise Unreadable(f"'{text}' is no number")
        return Meaning(lambda row, _: (value := get(row)) is not None and compare(value, wanted))


@dataclass(frozen=True, slots=True)
class Length(Field[T]):
    """A length of time; of a row that has none nothing holds."""

    get: Callable[[T, float], float | None]
    sample: str = "1h"
    usual: str = "<"

    @property
    def signs(self) -> str:
        """It is compared."""
        return "< > <= >=" if self.usual == "<" else "> < >= <="

    @property
    def example(self) -> str:
        """Some length."""
        return self.sample

    def read(self, sign: str, text: str, reader: Reader) -> Meaning[T]:
        """Return what compares."""
        del reader
        get, compare = self.get, _COMPARE[sign]
        wanted = length_of(text)
        if wanted is None:
            raise Unreadable(f"'{text}' is no length of time: {_LENGTHS}")
        seconds = wanted
        return Meaning(
            lambda row, now: (value := get(row, now)) is not None and compare(value, seconds), is_timed=True
        )


@dataclass(frozen=True, slots=True)
class Moment(Field[T]):
    """When something was: by how long ago that is, or by its day; of a row that has none nothing holds."""

    get: Callable[[T], float | None]
    sample: str = "2h"

    @property
    def signs(self) -> str:
        """How long ago is compared; a day is named."""
        return "< > <= >= :"

    @property
    def example(self) -> str:
        """Some length."""
        return self.sample

    def read(self, sign: str, text: str, reader: Reader) -> Meaning[T]:
        """Return what looks when it was."""
        del reader
        if sign == ":":
            span = span_of(text)
            if span is None:
                raise Unreadable(f"'{text}' is no day: such as today, yesterday, 2026-11-28")
            return Meaning(_within(self.get, span), span=span, is_timed=True)
        length = length_of(text)
        if length is None:
            raise Unreadable(f"'{text}' is no length of time: {_LENGTHS}")
        return _ago(self.get, length, is_younger="<" in sign)


def _ago(get: Callable[[T], float | None], length: float, *, is_younger: bool) -> Meaning[T]:
    def span(now: float) -> tuple[float, float]:
        return (now - length, math.inf) if is_younger else (-math.inf, now - length)

    return Meaning(_within(get, span), span=span, is_timed=True)


def _within(get: Callable[[T], float | None], span: Span) -> Callable[[T, float], bool]:
    def holds(row: T, now: float) -> bool:
        low, high = span(now)
        return (at := get(row)) is not None and low <= at < high

    return holds


@dataclass(frozen=True, slots=True)
class Since(Field[T]):
    """An instant, from its beginning on or, if *is_end*, before it."""

    get: Callable[[T], float | None]
    is_end: bool = False

    @property
    def signs(self) -> str:
        """An instant is named."""
        return ":"

    @property
    def example(self) -> str:
        """A day."""
        return "yesterday" if self.is_end else "today"

    @property
    def choices(self) -> tuple[str, ...]:
        """The days that have names."""
        return ("today", "yesterday")

    def read(self, sign: str, text: str, reader: Reader) -> Meaning[T]:
        """Return what looks when it was."""
        del sign, reader
        named = span_of(text)
        if named is None:
            raise Unreadable(f"'{text}' is neither a day nor a length of time: such as today, 2026-11-28, 2h")
        known, is_end = named, self.is_end

        def span(now: float) -> tuple[float, float]:
            begin = known(now)[0]
            return (-math.inf, begin) if is_end else (begin, math.inf)

        return Meaning(_within(self.get, span), span=span, is_timed=True)


def names_of(fields: Iterable[Field[T]]) -> str:
    """Return what fields are called, as a list of words."""
    return ", ".join(field.name for field in fields)
