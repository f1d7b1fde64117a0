"""A queue that is a value: pushing and taking return a new one, at the same cost for any length."""

from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

from immutables import Map

from tidegate.model.base import Noun

__all__ = ["Fifo"]

T = TypeVar("T")


class Fifo(Noun, Generic[T]):
    """First in, first out, each item once; iterates in that order without taking anything."""

    _slots: Map[int, T] = Map()
    _where: Map[T, int] = Map()
    _head: int = 0
    _tail: int = 0

    def __bool__(self) -> bool:
        return self._head < self._tail

    def __len__(self) -> int:
        return len(self._slots)

    def __contains__(self, item: T) -> bool:
        return item in self._where

    def __iter__(self) -> Iterator[T]:
        for slot in range(self._head, self._tail):
            if slot in self._slots:
                yield self._slots[slot]

    @property
    def first(self) -> T:
        """The item at its head; there must be one."""
        return self._slots[self._head]

    def push(self, items: Iterable[T]) -> "Fifo[T]":
        """Return the queue with *items* behind it, in their order; what it holds already stays where it is."""
        new = [item for item in dict.fromkeys(items) if item not in self._where]
        if not new:
            return self
        if len(new) == 1:  # Most of the time; a map takes one item faster than several.
            slot, item = self._tail, new[0]
            return self.evolve(
                _slots=self._slots.set(slot, item), _where=self._where.set(item, slot), _tail=slot + 1
            )
        slots = dict(enumerate(new, self._tail))
        where = {item: slot for slot, item in slots.items()}
        return self.evolve(
            _slots=self._slots.update(slots), _where=self._where.update(where), _tail=self._tail + len(new)
        )

    def remove(self, item: T) -> "Fifo[T]":
        """Return the queue without *item*; the same if it is not there."""
        slot = self._where.get(item)
        if slot is None:
            return self
        slots, head = self._slots.delete(slot), self._head
        while head < self._tail and head not in slots:
            head += 1
        return self.evolve(_slots=slots, _where=self._where.delete(item), _head=head)
