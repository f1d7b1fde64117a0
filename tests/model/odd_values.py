"""Values that JSON holds, values that it nearly holds, and values that it does not."""

import enum
import math
from collections import OrderedDict, UserDict, deque, namedtuple
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any
from uuid import UUID

import msgspec
import pydantic
from hypothesis import strategies as st

from tidegate.model.codec import MOST_BITS


class Colour(enum.StrEnum):
    """A text with a name."""

    RED = "red"


class Level(enum.IntEnum):
    """A number with a name."""

    HIGH = 3


class Plain(enum.Enum):
    """Neither a text nor a number."""

    TEXT = "text"
    NUMBER = 1


class Word(str):
    """A text of a framework."""

    __slots__ = ()


class Ratio(float):
    """A number of a framework."""


class Count(int):
    """A number of a framework."""


class Odd(str, enum.Enum):  # noqa: UP042  # a StrEnum would be its value
    """Its `.value` is not the text that it is."""

    ONE = ("one", 1)

    def __new__(cls, text: str, code: int) -> "Odd":
        """Make a member."""
        member = str.__new__(cls, text)
        member._value_ = code
        return member

    def __repr__(self) -> str:
        return "Odd.ONE"


@dataclass
class Point:
    """A dataclass."""

    x: int = 1


class Struct(msgspec.Struct):
    """A struct."""

    x: int = 1


class Model(pydantic.BaseModel):
    """A model."""

    x: int = 1


class Twin(str):
    """Two of them may stand in one mapping, and say the same."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


Pair = namedtuple("Pair", "a b")


class Stranger:
    """Asks for trouble."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("== of a stranger")

    def __hash__(self) -> int:
        return 1

    def __repr__(self) -> str:
        raise RuntimeError("repr of a stranger")


class Yes:
    """Says that it equals everything."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]  # nothing that equals everything has one


def nested(depth: int, *, inside: object = None) -> Any:
    """Return a value with *inside* so many lists and mappings deep."""
    value = inside
    for level in range(depth):
        value = [value] if level % 2 else {"k": value}
    return value


def itself() -> list[Any]:
    """Return a list that contains itself."""
    items: list[Any] = [1]
    items.append({"again": items})
    return items


TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)
NUMBERS = st.integers(-(2**MOST_BITS) + 1, 2**MOST_BITS - 1) | st.integers(-(2**65), 2**65)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


ALMOST = (
    st.sampled_from(
        [math.nan, math.inf, -math.inf, Colour.RED, Level.HIGH, Plain.TEXT, Plain.NUMBER, Odd.ONE]
    )
    | st.sampled_from([Word("w"), Ratio(0.5), Count(7), Decimal(1), Fraction(1, 2), 1j, Point(), Struct()])
    | st.sampled_from([b"x", bytearray(b"x"), memoryview(b"x"), UUID(int=1), Path("/"), range(2), Yes()])
    | st.datetimes()
    | st.dates()
    | st.timedeltas()
    | st.text(st.characters(categories=["Cs", "Lu"]), max_size=3)
    | st.integers(2**1020, 2**1028)
)
KEYS = TEXTS | st.sampled_from([1, True, None, 1.5, (1,), b"k", Colour.RED, Plain.TEXT, date.min, "\ud800"])
ALMOST_JSON = st.recursive(
    JSON | ALMOST,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.lists(inner, max_size=3).map(deque)
        | st.dictionaries(KEYS, inner, max_size=3)
        | st.dictionaries(TEXTS, inner, max_size=3).map(OrderedDict)
        | st.sets(st.integers() | TEXTS, max_size=2)
    ),
    max_leaves=8,
)


REFUSED: tuple[tuple[str, Any, str], ...] = (
    ("x", (1, 2), "tuple is no JSON: use list(...)"),
    ("x", Pair(1, 2), "Pair is no JSON: use ._asdict() or list(...)"),
    ("x", {1}, "set is no JSON: use sorted(...)"),
    ("x", frozenset(), "frozenset is no JSON: use sorted(...)"),
    ("x", deque(), "deque is no JSON: use list(...)"),
    ("x", range(3), "range is no JSON: use list(...)"),
    ("x", {}.keys(), "dict_keys is no JSON: use list(...)"),
    ("x", (letter for letter in "ab"), "generator is no JSON: use list(...)"),
    ("x", b"x", "bytes is no JSON: use .decode(), or base64"),
    ("x", memoryview(b"x"), "memoryview is no JSON: use .decode(), or base64"),
    ("x", Decimal("1.10"), "Decimal is no JSON: use str or float"),
    ("x", Fraction(1, 3), "Fraction is no JSON: use str(...)"),
    ("x", 1j, "complex is no JSON: use str(...)"),
    ("x", datetime(2027, 3, 1, tzinfo=UTC), "datetime is no JSON: use .isoformat()"),
    ("x", date(2027, 3, 1), "date is no JSON: use .isoformat()"),
    ("x", time(1), "time is no JSON: use .isoformat()"),
    ("x", timedelta(1), "timedelta is no JSON: use .total_seconds()"),
    ("x", UUID(int=1), "UUID is no JSON: use str(...)"),
    ("x", Path("/a"), f"{type(Path()).__name__} is no JSON: use str(...)"),
    ("x", PurePosixPath("a"), "PurePosixPath is no JSON: use str(...)"),
    ("x", Plain.TEXT, "Plain is no JSON: use .value"),
    ("x", Plain.NUMBER, "Plain is no JSON: use .value"),
    ("x", Point(), "Point is no JSON: use dataclasses.asdict(...)"),
    ("x", Struct(), "Struct is no JSON: use msgspec.to_builtins(...)"),
    ("x", Model(), 'Model is no JSON: use .model_dump(mode="json")'),
    ("x", MappingProxyType({}), "mappingproxy is no JSON: use dict(...)"),
    ("x", UserDict(), "UserDict is no JSON: use dict(...)"),
    ("x", ValueError("v"), "ValueError is no JSON: use str(...)"),
    ("x", object(), "object is no JSON: use None, true/false, numbers, text, lists and mappings"),
    ("x", len, "builtin_function_or_method is no JSON: use None, true/false"),
    ("x", Yes(), "Yes is no JSON: use None, true/false"),
    ("x", math.nan, "nan is no JSON: use None"),
    ("x", -math.inf, "-inf is no JSON: use None"),
    ("x", "a\ud800", "the text holds half of a surrogate pair, which is no character"),
    ("x", 2**MOST_BITS, "a number of 1025 bits: use str(...)"),
    ("x", -(10**6000), "a number of 19932 bits: use str(...)"),
    ("x", {1: 2}, "the key 1 is int, and keys of JSON are text"),
    ("x", {True: 2}, "the key True is bool, and keys of JSON are text"),
    ("x", {None: 2}, "the key None is NoneType, and keys of JSON are text"),
    ("x", {1.5: 2}, "the key 1.5 is float, and keys of JSON are text"),
    ("x", {b"k": 2}, "the key b'k' is bytes, and keys of JSON are text"),
    ("x", {(1, "ö"): 2}, "the key (1, 'ö') is tuple, and keys of JSON are text"),
    ("x", {10**6000: 2}, "the key that it has is int, and keys of JSON are text"),
    ("x", {Stranger(): 2}, "the key that it has is Stranger, and keys of JSON are text"),
    ("x.a[1].b", {"a": [0, {"b": Decimal(1)}]}, "Decimal is no JSON: use str or float"),
    ("x[2][0]", [0, 1, [(1,)]], "tuple is no JSON: use list(...)"),
    ("x.a", {"a": {"1": 1, 1: 2}}, "the key 1 is int, and keys of JSON are text"),
    ("x.rows[199].d", {"rows": [{"d": 1}] * 199 + [{"d": {1}}]}, "set is no JSON: use sorted(...)"),
    ("x.a: the key '\\ud800'", {"a": {"\ud800": 1}}, "the text holds half of a surrogate pair"),
    ("x.s", {"s": Stranger()}, "Stranger is no JSON: use None, true/false"),
)
