"""A queue that is a value: pushing and taking return a new one, at the same cost for any length."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from immutables import Map

__all__ = ["Fifo"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Fifo(Generic[T]):
    """First in, first out; iterates in that order without taking anything."""

    _slots: Map[int, T] = Map()  # noqa: RUF009 - a Map is immutable
    _head: int = 0
    _tail: int = 0

    def __len__(self) -> int:
        return len(self._slots)

    def __iter__(self) -> Iterator[T]:
        for slot in range(self._head, self._tail):
            if slot in self._slots:
                yield self._slots[slot]

    @property
    def first(self) -> T:
        """The item at its head; there must be one."""
        return self._slots[self._head]

    def push(self, items: Iterable[T]) -> "Fifo[T]":
        """Return the queue with *items* behind it, in their order."""
        added = dict(enumerate(items, self._tail))
        return Fifo(self._slots.update(added), self._head, self._tail + len(added))

    def remove(self, item: T) -> "Fifo[T]":
        """Return the queue without *item*, which usually stands at its head; the same if it is not there."""
        for slot in range(self._head, self._tail):
            if self._slots.get(slot) == item:
                slots = self._slots.delete(slot)
                head = self._head
                while head < self._tail and head not in slots:
                    head += 1
                return Fifo(slots, head, self._tail)
        return self
