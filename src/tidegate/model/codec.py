"""What a journal can hold, and how a Python value becomes it: the one rule, at every border.

Whatever a block, a program or a person's code hands over (outputs, state, steps, marks, inputs,
answers) passes here before it is journalled. A value is taken if JSON holds exactly it, and refused
otherwise, with its path and what to write instead: nothing is turned into something else without a
word. What is taken is a copy that shares nothing with what was given.

    taken      None, true/false, text, numbers, lists, mappings whose keys are text. Whole numbers of up
               to 1024 bits come back exactly; 1.0 stays a fraction and -0.0 keeps its sign; a NUL stays
               in its text; a text of any length. Of a subclass (IntEnum, StrEnum, OrderedDict, a text of
               a framework) its plain value, which equals it
    refused    tuples (named ones too), sets, bytes, Decimal, Fraction, complex, datetime and its kin,
               UUID, Path, other enumerations, dataclasses, structs, models, arrays, everything else;
               NaN and the infinities; half a surrogate pair; whole numbers of more than 1024 bits; keys
               that are no text (a truth value and a number are none); what is nested more than 200 deep,
               or contains itself

A Python block's process follows the same rule without importing this (`blocks/child/python_child.py`);
a test holds the two together.
"""

import math
from collections.abc import Iterable
from dataclasses import is_dataclass

import msgspec

from tidegate.model.base import Json

__all__ = ["MOST_BITS", "MOST_DEEP", "NotJson", "copy", "encode", "key_text", "plain", "printable"]

MOST_DEEP = 200
"""Lists and mappings inside each other. Every reader of a journal takes that many, whatever calls it."""
MOST_BITS = 1024
"""Of a whole number. Readers that make text of it stop somewhere beyond."""

_MOST_PATH = 200
_MOST_MESSAGE = 1000
_MOST_KEY = 50
"""Characters."""


class NotJson(ValueError):
    """A value that no journal can hold."""

    def __init__(self, path: str, problem: str) -> None:
        """Name it.

        Args:
            path: Where it stands: `outputs.result.items[3].price`.
            problem: What it is, and what to write instead.
        """
        self.path = path if len(path) <= _MOST_PATH else f"{path[:100]}...{path[-97:]}"
        self.problem = problem
        super().__init__(printable(f"{self.path}: {problem}")[:_MOST_MESSAGE])


def encode(value: object, path: str) -> tuple[Json, bytes]:
    """Return *value* as a journal holds it, and its JSON.

    Args:
        value: Anything. It is not kept: what is returned shares nothing with it that can change.
        path: What to call it in a message.

    Raises:
        NotJson: JSON does not hold exactly it.
    """
    read_back = _read_back(value)
    if read_back is not None:
        return read_back
    found = _walked(value, path)
    return found, msgspec.json.encode(found)


def _read_back(value: object) -> tuple[Json, bytes] | None:
    """Return what comes back of *value*, and its JSON, if that is the same; None: only a walk can tell."""
    try:
        data = msgspec.json.encode(value)
        if type(value) is str:  # It cannot change, and what could be made UTF-8 comes back from it.
            return value, data
        found: Json = msgspec.json.decode(data)
        # Equal alone is not enough: what is too much for other readers may have been read here.
        is_same = bool(found == value) and not _may_be_too_much(found, data)
    except Exception:  # noqa: BLE001  # the encoder, or `==` of a stranger
        return None
    return (found, data) if is_same else None


def plain(value: object, path: str) -> Json:
    """Return *value* as a journal holds it; see `encode`.

    Raises:
        NotJson: JSON does not hold exactly it.
    """
    return encode(value, path)[0]


def key_text(key: object, path: str) -> str:
    """Return *key* as a key of a mapping at *path*.

    Raises:
        NotJson: it is no text.
    """
    if type(key) is str and key.isascii():
        return key
    if not isinstance(key, str):
        raise NotJson(path, f"the key {_shown(key)} is {type(key).__name__}, and keys of JSON are text")
    name = str.__str__(key)
    if printable(name) != name:
        raise NotJson(f"{path}: the key {_shown(name)}", _HALF)
    return name


def copy(value: Json) -> Json:
    """Return a copy of *value*, which is JSON already, that shares nothing with it that can change."""
    copied: Json = msgspec.json.decode(msgspec.json.encode(value))
    return copied


def printable(text: str) -> str:
    """Return *text* with halves of surrogate pairs written out: nothing can store those."""
    return text.encode("utf-8", "backslashreplace").decode()


# -- what was read back and may still be too much -----------------------------------------------

_ZEROS = bytes.maketrans(b"123456789", b"000000000")
_LONG = b"0" * len(str(2**MOST_BITS))
_CONTAINERS = frozenset({list, dict})


def _may_be_too_much(found: Json, data: bytes) -> bool:
    """Whether only a walk can tell: done on the bytes, which costs a fraction of one."""
    if len(data) < MOST_DEEP:
        return False
    if _LONG in data.translate(_ZEROS):
        return True
    return data.count(b"[") + data.count(b"{") > MOST_DEEP and _is_too_deep(found)


def _is_too_deep(found: Json) -> bool:
    level = [found] if type(found) in _CONTAINERS else []
    for _ in range(MOST_DEEP):
        level = [item for outer in level for item in _items(outer) if type(item) in _CONTAINERS]
        if not level:
            return False
    return any(level)


def _items(container: Json) -> Iterable[Json]:
    if isinstance(container, dict):
        return container.values()
    return container if isinstance(container, list) else ()


# -- the walk -------------------------------------------------------------------------------------


def _walked(value: object, path: str, depth: int = 0) -> Json:
    if depth > MOST_DEEP:
        raise NotJson(path, f"nested more than {MOST_DEEP} deep, or it contains itself")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, dict):
        return _mapping(value, path, depth)
    if isinstance(value, list):
        return [_walked(item, f"{path}[{index}]", depth + 1) for index, item in enumerate(value)]
    return _scalar(value, path)


def _mapping(value: dict[object, object], path: str, depth: int) -> Json:
    found: dict[str, Json] = {}
    for key, item in value.items():
        name = key_text(key, path)
        if name in found:
            raise NotJson(path, f"two of its keys are the text {_shown(name)}")
        found[name] = _walked(item, f"{path}.{name}", depth + 1)
    return found


def _scalar(value: object, path: str) -> Json:
    if isinstance(value, str):
        if printable(value) != value:
            raise NotJson(path, _HALF)
        return str.__str__(value)
    if isinstance(value, int):
        if value.bit_length() > MOST_BITS:
            raise NotJson(path, f"a number of {value.bit_length()} bits: use str(...)")
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise NotJson(path, f"{float(value)} is no JSON: use None")
        return float(value)
    raise NotJson(path, f"{type(value).__name__} is no JSON: {_advice(value)}")


def _shown(key: object) -> str:
    try:
        return f"{key!a:.{_MOST_KEY}}" if isinstance(key, str) else f"{key!r:.{_MOST_KEY}}"
    except Exception:  # noqa: BLE001  # the `repr` of a stranger may do anything, and that of a long number fails
        return "that it has"


_HALF = "the text holds half of a surrogate pair, which is no character"


# -- advice ---------------------------------------------------------------------------------------

_LIST = "use list(...)"
_TEXT = "use str(...)"
_ADVICE = {
    **dict.fromkeys(("set", "frozenset"), "use sorted(...)"),
    **dict.fromkeys(("datetime", "date", "time"), "use .isoformat()"),
    **dict.fromkeys(("bytes", "bytearray", "memoryview"), "use .decode(), or base64"),
    **dict.fromkeys(("UUID", "PurePath", "Fraction", "complex", "BaseException"), _TEXT),
    **dict.fromkeys(("tuple", "range", "deque", "generator"), _LIST),
    **dict.fromkeys(("dict_keys", "dict_values", "dict_items", "array"), _LIST),
    **dict.fromkeys(("mappingproxy", "Mapping"), "use dict(...)"),
    **dict.fromkeys(("ndarray", "Series"), "use .tolist()"),
    **dict.fromkeys(("coroutine", "Future"), "await it first"),
    "timedelta": "use .total_seconds()",
    "Decimal": "use str or float",
    "Enum": "use .value",
    "generic": "use .item()",
    "Struct": "use msgspec.to_builtins(...)",
    "BaseModel": 'use .model_dump(mode="json")',
}
"""By the name of a type or of one that it is of: most of them are none that may be imported here."""
_GENERAL = "use None, true/false, numbers, text, lists and mappings"


def _advice(value: object) -> str:
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return "use ._asdict() or list(...)"
    if is_dataclass(value):
        return "use dataclasses.asdict(...)"
    names = (base.__name__ for base in type(value).__mro__)
    return next((_ADVICE[name] for name in names if name in _ADVICE), _GENERAL)
