r"""Whether a text matches a regular expression as a whole, in bounded time whatever both are.

`re` tries one way after the other: `(a+)+` over thirty letters takes minutes, holds everything else in the process
up meanwhile, and cannot be interrupted. Here all ways are gone at once. Where a match can have come to is a set of
positions, one bit each, and each part of the pattern makes such a set of another. The pattern itself is read by
`re`, and so is each of its characters and classes: what matches is the same. What needs to know which way was taken
(`\1`, atomic groups) is not there.
"""

import importlib
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

__all__ = ["PatternFault", "matches", "read_pattern"]

# Not public; `sre_parse`, which was, is gone. A test compares with `re` for random patterns and texts.
_parser: Any = importlib.import_module("re._parser")
_compiler: Any = importlib.import_module("re._compiler")

_MOST_PATTERN = 2_000
_MOST_WORK = 5_000_000
"""Steps over sets of up to 4,096 positions each: about two seconds."""
_WORDS = {
    "GROUPREF": r"a reference to a group, like \1",
    "GROUPREF_EXISTS": "a condition on a group, like (?(1)...)",
    "ATOMIC_GROUP": "an atomic group (?>...)",
    "POSSESSIVE_REPEAT": "a possessive repeat, like a++",
}

Part: TypeAlias = tuple[Any, Any]
"""An operation of `re`, and what it is about."""
Parts: TypeAlias = Sequence[Part]


class PatternFault(ValueError):
    """A pattern that cannot be judged; the text says why."""


def matches(pattern: str, text: str) -> bool:
    r"""Return whether all of *text* matches *pattern*; `\d`, `\w` and `\b` are about ASCII.

    Raises:
        PatternFault: the pattern is none, uses what is not there, or takes too long over a text like this.
    """
    parts, flags = read_pattern(pattern)
    try:
        return bool(_Match(text).ends(parts, flags, 1) >> len(text))
    except RecursionError as error:
        raise PatternFault("it is nested too deeply") from error


@lru_cache(maxsize=256)
def read_pattern(pattern: str) -> tuple[Parts, int]:
    """Return the parts of a pattern, and its flags.

    Raises:
        PatternFault: it is none, or uses what is not there.
    """
    if len(pattern) > _MOST_PATTERN:
        raise PatternFault(f"it has {len(pattern):,} characters; at most {_MOST_PATTERN:,} are taken")
    try:
        read = _parser.parse(pattern, re.ASCII)
        # Not only for its parts: `re` finds some faults only when it compiles.
        re.compile(pattern, re.ASCII)
        _Match("").check(read)
    except RecursionError as error:
        raise PatternFault("it is nested too deeply") from error
    except (re.error, ValueError, OverflowError) as error:
        raise PatternFault(str(error)) from error
    return read, read.state.flags


class _Match:
    """The sets of positions of one text. Bit i is the position before character i."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._all = (1 << (len(text) + 1)) - 1
        self._cost = 1 + (len(text) >> 12)
        self._left = _MOST_WORK
        self._masks: dict[tuple[str, str, int], int] = {}

    def check(self, parts: Parts) -> None:
        """Look at all of a pattern.

        Raises:
            PatternFault: something in it is not there.
        """
        for operation, argument in parts:
            name = str(operation)
            if name not in _STEPS:
                raise PatternFault(
                    f"{_WORDS.get(name, name)} is not supported, as it cannot be judged in bounded time"
                )
            for inner in _inside(name, argument):
                self.check(inner)

    def ends(self, parts: Parts, flags: int, at: int, *, back: bool = False) -> int:
        """Return where *parts* can end if they begin at one of *at*; *back*: where they can begin to end there."""
        for operation, argument in reversed(list(parts)) if back else parts:
            if not at:
                return 0
            self._spend(self._cost)
            at = _STEPS[str(operation)](self, (operation, argument), flags, at, back)
        return at

    def _spend(self, cost: int) -> None:
        self._left -= cost
        if self._left < 0:
            raise PatternFault(f"it takes too long over {len(self._text):,} characters")

    # -- one part each ------------------------------------------------------------------------

    def character(self, part: Part, flags: int, at: int, back: bool) -> int:
        """Go over one character."""
        mask = self._mask(part, flags)
        return (at >> 1) & mask if back else (at & mask) << 1

    def branch(self, part: Part, flags: int, at: int, back: bool) -> int:
        """Go all of several ways."""
        found = 0
        for way in part[1][1]:
            found |= self.ends(way, flags, at, back=back)
        return found

    def group(self, part: Part, flags: int, at: int, back: bool) -> int:
        """Go through a group, which may have flags of its own."""
        _, added, removed, parts = part[1]
        if added & _parser.TYPE_FLAGS:
            flags &= ~_parser.TYPE_FLAGS
        return self.ends(parts, (flags | added) & ~removed, at, back=back)

    def repeat(self, part: Part, flags: int, at: int, back: bool) -> int:
        """Go through something several times."""
        least, most, parts = part[1]
        for _ in range(least):
            before, at = at, self.ends(parts, flags, at, back=back)
            if at in (0, before):
                break
        if most is _parser.MAXREPEAT and not back and len(parts) == 1 and str(parts[0][0]) in _CHARACTERS:
            # All characters of a row at once: the carry of an addition runs through it.
            mask = self._mask(parts[0], flags)
            return (((at & mask) + mask) ^ mask) | at
        found, new, times = at, at, int(least)
        while new and times < most:
            new = self.ends(parts, flags, new, back=back) & ~found
            found |= new
            times += 1
        return found

    def look(self, part: Part, flags: int, at: int, _back: bool) -> int:
        """Stay where something follows, or comes before."""
        return at & self._seen(part[1], flags)

    def look_not(self, part: Part, flags: int, at: int, _back: bool) -> int:
        """Stay where something does not follow, or come before."""
        return at & ~self._seen(part[1], flags)

    def _seen(self, argument: tuple[int, Parts], flags: int) -> int:
        direction, parts = argument
        return self.ends(parts, flags, self._all, back=direction > 0)

    def place(self, part: Part, flags: int, at: int, _back: bool) -> int:
        """Stay at certain places."""
        return at & _PLACES[str(part[1])](self, flags)

    def nowhere(self, _part: Part, _flags: int, _at: int, _back: bool) -> int:
        """Match nothing."""
        return 0

    # -- places -------------------------------------------------------------------------------

    def begin(self, flags: int) -> int:
        """Return where `^` holds."""
        return 1 | (self._breaks << 1 if flags & re.MULTILINE else 0)

    def end(self, flags: int) -> int:
        """Return where `$` holds: also before a line break at the very end."""
        size = len(self._text)
        last = 1 << (size - 1) if self._text.endswith("\n") else 0
        return 1 << size | last | (self._breaks if flags & re.MULTILINE else 0)

    def very_begin(self, _flags: int) -> int:
        r"""Return where `\A` holds."""
        return 1

    def very_end(self, _flags: int) -> int:
        r"""Return where `\Z` holds."""
        return 1 << len(self._text)

    def border(self, flags: int) -> int:
        r"""Return where `\b` holds."""
        word = self._mask((_parser.IN, [(_parser.CATEGORY, _parser.CATEGORY_WORD)]), flags)
        return word ^ (word << 1)

    def no_border(self, flags: int) -> int:
        r"""Return where `\B` holds; in an empty text that depends on the version of Python."""
        return self._all & ~self.border(flags) if self._text or re.match(r"\B", "") else 0

    @property
    def _breaks(self) -> int:
        return self._mask((_parser.LITERAL, ord("\n")), 0)

    def _mask(self, part: Part, flags: int) -> int:
        """Return the positions of the characters that a part takes."""
        key = (str(part[0]), repr(part[1]), int(flags))
        if key not in self._masks:
            self._spend(1 + len(self._text) // 8)
            takes = _taker(part, flags)
            taken = {character: "1" if takes(character) else "0" for character in set(self._text)}
            self._masks[key] = int("".join(map(taken.__getitem__, reversed(self._text))) or "0", 2)
        return self._masks[key]


def _taker(part: Part, flags: int) -> Callable[[str], object]:
    compiled: re.Pattern[str] = _compiler.compile(_parser.SubPattern(_parser.State(), [part]), int(flags))
    return compiled.fullmatch


def _inside(name: str, argument: Any) -> list[Parts]:
    """Return what stands in a part."""
    match name:
        case "BRANCH":
            return list(argument[1])
        case "SUBPATTERN" | "MAX_REPEAT" | "MIN_REPEAT" | "ASSERT" | "ASSERT_NOT":
            return [argument[-1]]
        case _:
            return []


_CHARACTERS = frozenset({"LITERAL", "NOT_LITERAL", "ANY", "IN"})
_STEPS: dict[str, Callable[[_Match, Part, int, int, bool], int]] = {
    **dict.fromkeys(_CHARACTERS, _Match.character),
    "BRANCH": _Match.branch,
    "SUBPATTERN": _Match.group,
    "MAX_REPEAT": _Match.repeat,
    "MIN_REPEAT": _Match.repeat,
    "ASSERT": _Match.look,
    "ASSERT_NOT": _Match.look_not,
    "AT": _Match.place,
    "FAILURE": _Match.nowhere,
}
_PLACES: dict[str, Callable[[_Match, int], int]] = {
    "AT_BEGINNING": _Match.begin,
    "AT_BEGINNING_STRING": _Match.very_begin,
    "AT_END": _Match.end,
    "AT_END_STRING": _Match.very_end,
    "AT_BOUNDARY": _Match.border,
    "AT_NON_BOUNDARY": _Match.no_border,
}
