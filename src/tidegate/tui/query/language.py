"""The language of filters.

    filter = term { blank term }                all of them must hold
    term   = [ "-" ] ( test | text )            with a minus: it must not hold
    test   = name sign value { "," value }      one of the values is enough
    sign   = ":" | "=" | "<" | ">" | "<=" | ">="
    text   = word | quoted                      in what the row shows, whatever its case
    value  = word | quoted                      a word ends at a blank, in a value at a comma, too
    quoted = '"' anything but '"' '"'           the last quote of a filter may be missing

Pure: from text to something that tells whether a row is shown.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Generic, TypeVar

from tidegate.errors import TidegateError
from tidegate.tui.query.fields import Field, Meaning, Reader, Unreadable, names_of

__all__ = ["EVERYTHING", "Query", "QueryFault", "Term", "parse", "quoted"]

T = TypeVar("T")

_TEST = re.compile(r"(-?)([a-z][a-z_]*)(<=|>=|[:=<>])", re.ASCII | re.IGNORECASE)
_TEXT = re.compile(r'(-?)(?:"([^"]*)"?|(\S+))')
_VALUE = re.compile(r'"([^"]*)"?|([^\s,"]*)')
_PLAIN = re.compile(r"[^\s\"-]\S*")


class QueryFault(TidegateError):
    """A filter that means nothing."""

    def __init__(self, column: int, problem: str, begun: int | None = None) -> None:
        """Say where.

        Args:
            column: Of the character that it begins at, from 1.
            problem: What is wrong, and what would not be.
            begun: Where the last term begins, from 0, if nothing is wrong but that it is not written to its end.
        """
        super().__init__(f"column {column}: {problem}")
        self.column = column
        self.problem = problem
        self.begun = begun


@dataclass(frozen=True, slots=True)
class Term(Generic[T]):
    """One thing that has to hold."""

    field: str
    """Empty: a text."""
    sign: str
    meanings: tuple[Meaning[T], ...]
    text: str = ""
    """What the row has to show, in its folded case."""
    is_not: bool = False

    def holds(self, row: T, now: float, shows: Callable[[T], str]) -> bool:
        """Return whether it holds for a row."""
        if self.field:
            return any(meaning.holds(row, now) for meaning in self.meanings) is not self.is_not
        return (self.text in shows(row)) is not self.is_not


@dataclass(frozen=True, slots=True)
class Query(Generic[T]):
    """A filter that was understood."""

    source: str = ""
    """As it was written, without blanks around it."""
    terms: tuple[Term[T], ...] = ()

    def __bool__(self) -> bool:
        """Return whether it may leave out anything."""
        return bool(self.terms)

    def holds(self, row: T, now: float, shows: Callable[[T], str]) -> bool:
        """Return whether a row is shown.

        Args:
            row: Which.
            now: Seconds since 1970 UTC.
            shows: Returns what a row shows, in its folded case; only asked if the filter has a text.
        """
        return all(term.holds(row, now, shows) for term in self.terms)

    @property
    def is_timed(self) -> bool:
        """Whether what it leaves out may be other after a while, though no row has changed."""
        return any(meaning.is_timed for term in self.terms for meaning in term.meanings)

    @property
    def fields(self) -> frozenset[str]:
        """The names of the fields that it looks at."""
        return frozenset(term.field for term in self.terms if term.field)

    @property
    def has_text(self) -> bool:
        """Whether it looks for a text in what rows show."""
        return any(not term.field for term in self.terms)

    # -- what a store can choose by, so that what has to be read is less ----------------------

    def _meant(self, field: str) -> Iterator[Term[T]]:
        return (term for term in self.terms if term.field == field and not term.is_not)

    def words(self, field: str) -> frozenset[str] | None:
        """Return the words of a closed set that a field may be, None if it may be any."""
        sets = [
            frozenset().union(*(meaning.words for meaning in term.meanings)) for term in self._meant(field)
        ]
        return frozenset.intersection(*sets) if sets else None

    def exact(self, field: str) -> str | None:
        """Return the text that a field has to be equal to, if there is one such text."""
        texts = [
            next(iter(term.meanings[0].words))
            for term in self._meant(field)
            if term.sign == "=" and len(term.meanings) == 1
        ]
        return texts[0] if texts else None

    def span(self, now: float, *fields: str) -> tuple[float, float]:
        """Return from when on and until when an instant lies that some fields are about."""
        low, high = -math.inf, math.inf
        for term in (term for field in fields for term in self._meant(field)):
            spans = [meaning.span(now) for meaning in term.meanings]
            low, high = max(low, min(span[0] for span in spans)), min(high, max(span[1] for span in spans))
        return low, high


EVERYTHING: Query[object] = Query()


def quoted(text: str) -> str:
    """Return what looks for *text* as it is, as one term of a filter."""
    is_plain = _PLAIN.fullmatch(text) is not None and _TEST.match(text) is None
    return text if is_plain else f'"{text.replace(chr(34), " ")}"'


def parse(text: str, fields: Sequence[Field[T]], reader: Reader | None = None) -> Query[T]:
    """Return what a filter means.

    Args:
        text: As it is written.
        fields: Those of the list.
        reader: Who filters.

    Raises:
        QueryFault: it means nothing.
    """
    known = {name: field for field in fields for name in field.names}
    parser = _Parser(text, fields, known, reader or Reader())
    return Query(text.strip(), tuple(parser.terms()))


class _Parser(Generic[T]):
    """Goes through a filter once, from left to right."""

    def __init__(
        self, text: str, fields: Sequence[Field[T]], known: dict[str, Field[T]], reader: Reader
    ) -> None:
        self._source = text
        self._fields = fields
        self._known = known
        self._reader = reader
        self._at = 0

    def terms(self) -> Iterator[Term[T]]:
        """Yield every term."""
        while True:
            rest = self._source[self._at :]
            self._at += len(rest) - len(rest.lstrip())
            if self._at >= len(self._source):
                return
            if (match := _TEST.match(self._source, self._at)) is not None:
                yield self._test(match)
            elif (term := self._text()) is not None:
                yield term

    def _text(self) -> Term[T] | None:
        match = _TEXT.match(self._source, self._at)
        if match is None:
            # There is something that is not blank, so there is a word.
            self._at = len(self._source)
            return None
        self._at = match.end()
        text = (match[3] if match[2] is None else match[2]).casefold()
        # An empty text is in every row: it is not worth a term, with or without a minus.
        return Term("", "", (), text, is_not=bool(match[1])) if text else None

    def _test(self, match: re.Match[str]) -> Term[T]:
        minus, name, sign = match.groups()
        start = match.start() + len(minus)
        field = self._field(name, sign, start)
        if sign not in field.signs.split():
            raise QueryFault(
                start + len(name) + 1, f"'{field.name}' takes no '{sign}': such as {field.usage}"
            )
        self._at = match.end()
        values = tuple(self._values(field, sign, match.start()))
        return Term(field.name, sign, values, is_not=bool(minus))

    def _field(self, name: str, sign: str, start: int) -> Field[T]:
        field = self._known.get(name.casefold())
        if field is not None:
            return field
        here = f"the fields are {names_of(self._fields)}" if self._fields else "there are no fields"
        near = get_close_matches(name.casefold(), self._known, n=1)
        guess = f" (did you mean '{near[0]}'?)" if near else ""
        raise QueryFault(
            start + 1,
            f"no field '{name}'{guess}; {here}; a text with '{sign}' in it goes in quotes",
        )

    def _values(self, field: Field[T], sign: str, start: int) -> Iterator[Meaning[T]]:
        while True:
            match = _VALUE.match(self._source, self._at)
            text = "" if match is None else match[2] if match[1] is None else match[1]
            if match is None or not text:
                begun = start if self._at >= len(self._source) else None
                raise QueryFault(self._at + 1, f"'{field.name}' of what? such as {field.usage}", begun)
            try:
                yield field.read(sign, text, self._reader)
            except Unreadable as why:
                raise QueryFault(self._at + 1, str(why)) from None
            self._at = match.end()
            if self._source[self._at : self._at + 1] != ",":
                return
            self._at += 1
