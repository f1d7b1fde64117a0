"""Values on their way into the journal: small ones inline, large ones by their hash.

What comes from outside, from a block's code or a person, is taken by the rule of the codec. What the
engine composes of values that a journal has held already is only packed.
"""

import contextlib
import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import msgspec

from tidegate.model.base import Json, JsonObject
from tidegate.model.codec import NotJson, encode, key_text
from tidegate.model.value import Inline, Stored, Value
from tidegate.settings import MAX_SIZE_VARIABLE

__all__ = [
    "INLINE_LIMIT",
    "MB",
    "Packed",
    "TooLarge",
    "check_size",
    "pack",
    "take",
    "take_changes",
    "take_one",
    "take_what_fits",
]

INLINE_LIMIT = 4 * 1024
"""Bytes of JSON. A larger value would make every scan of the journal carry it along."""

MB = 1024 * 1024
"""Bytes, as `max_checkpoint_size_mb` counts them."""


class TooLarge(ValueError):
    """Values that are more than a checkpoint may hold."""

    def __init__(self, what: str, sizes: Mapping[str, int], most: int) -> None:
        """Say how much it is, and what makes it so large.

        Args:
            what: What they are, as a path: `outputs`.
            sizes: Bytes of JSON, by name.
            most: Bytes that are taken.
        """
        largest = max(sizes, key=lambda name: sizes[name])
        alone = f", of which '{largest}' is {sizes[largest]:,}" if len(sizes) > 1 else f" in '{largest}'"
        super().__init__(
            f"{what}: {sum(sizes.values()):,} bytes of JSON{alone}; at most {most:,} ({most / MB:.3g} MB) are "
            f"taken: write it to a file and give its path, or raise {MAX_SIZE_VARIABLE}"
        )


@dataclass(frozen=True, slots=True)
class Packed:
    """Values as events carry them, and what they refer to."""

    values: dict[str, Value] = field(default_factory=dict)
    stored: dict[str, bytes] = field(default_factory=dict)
    """JSON of what is kept beside the journal, by SHA-256."""
    plain: JsonObject = field(default_factory=dict)
    """What they are, shared with nobody who could change it."""
    sizes: dict[str, int] = field(default_factory=dict)
    """Bytes of JSON, by name."""

    def add(self, name: str, value: Json, data: bytes) -> None:
        """Add one value with its JSON."""
        if len(data) <= INLINE_LIMIT:
            self.values[name] = Inline(value=value)
        else:
            digest = hashlib.sha256(data).hexdigest()
            self.values[name] = Stored(sha256=digest, size=len(data))
            self.stored[digest] = data
        self.plain[name] = value
        self.sizes[name] = len(data)


def pack(values: JsonObject) -> Packed:
    """Return *values* that are JSON already: the engine's own, or made of what a journal has held."""
    packed = Packed()
    for name, value in values.items():
        packed.add(name, value, msgspec.json.encode(value))
    return packed


def take(given: Mapping[str, object], path: str) -> Packed:
    """Return what somebody gave by name.

    Args:
        given: Outputs of a block, for instance.
        path: What to call them together in a message: `outputs`.

    Raises:
        NotJson: something of it is nothing that a journal can hold.
    """
    if not isinstance(given, Mapping):
        raise NotJson(path, f"{type(given).__name__} is no mapping of names to values")
    packed = Packed()
    for key, value in given.items():
        name = key_text(key, path)
        packed.add(name, *encode(value, f"{path}.{name}"))
    return packed


def take_one(name: str, value: object, path: str) -> Packed:
    """Return one value under *name*, which a message calls *path*.

    Raises:
        NotJson: it is nothing that a journal can hold.
    """
    packed = Packed()
    packed.add(name, *encode(value, path))
    return packed


def take_changes(before: Mapping[str, Json], given: Mapping[str, object], path: str) -> Packed:
    """Return what is not as it was *before*; by its JSON, as to Python 1 is true.

    Raises:
        NotJson: as `take` raises it.
    """
    packed = Packed()
    for key, value in given.items():
        name = key_text(key, path)
        found, data = encode(value, f"{path}.{name}")
        if name not in before or msgspec.json.encode(before[name]) != data:
            packed.add(name, found, data)
    return packed


def check_size(what: str, packed: Packed, most: int, uncounted: Collection[str] = ()) -> None:
    """Do nothing if *packed* is no more than a checkpoint may hold.

    Args:
        what: As a path: `outputs`.
        packed: All of it.
        most: Bytes of JSON together.
        uncounted: Names of texts that are cut to a bounded length anyway, and never make anything fail.

    Raises:
        TooLarge: it is more.
    """
    sizes = packed.sizes
    if sum(sizes.values()) <= most:
        return
    # What stands there twice is kept once, and counts once.
    names = {
        value.sha256 if isinstance(value, Stored) else name: name
        for name, value in reversed(packed.values.items())
        if name not in uncounted
    }
    counted = {name: sizes[name] for name in names.values()}
    if sum(counted.values()) > most:
        raise TooLarge(what, counted, most)


def take_what_fits(
    given: Mapping[str, object], path: str, most: int, uncounted: Collection[str] = ()
) -> tuple[Packed, str]:
    """Return as much of *given* as a journal can hold, and why the rest is left out; empty if nothing is.

    Args: as for `take` and `check_size`.
    """
    try:
        packed = take(given, path)
        check_size(path, packed, most, uncounted)
    except (NotJson, TooLarge) as error:
        return _what_fits(given, path, most, uncounted), str(error)
    return packed, ""


def _what_fits(given: object, path: str, most: int, uncounted: Collection[str]) -> Packed:
    found: dict[str, tuple[Json, bytes]] = {}
    for key, value in given.items() if isinstance(given, Mapping) else ():
        with contextlib.suppress(NotJson):
            name = key_text(key, path)
            found[name] = encode(value, f"{path}.{name}")
    # The largest goes first: an exit code is not to be lost because of a document.
    counted = sorted(found.keys() - uncounted, key=lambda name: len(found[name][1]))
    while sum(len(found[name][1]) for name in counted) > most:
        del found[counted.pop()]
    packed = Packed()
    for name, (value, data) in found.items():
        packed.add(name, value, data)
    return packed
