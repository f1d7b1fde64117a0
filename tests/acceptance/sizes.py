"""How much of a proof is run: a part of it with every change, all of it with `TIDEGATE_FULL_SIZE=1`.

`python benchmarks/proofs.py` runs all of them at full size.
"""

import os
from collections.abc import Sequence
from typing import TypeVar

__all__ = ["FULL", "some_of"]

FULL = os.environ.get("TIDEGATE_FULL_SIZE") == "1"

T = TypeVar("T")


def some_of(everything: Sequence[T], count: int, *, of: int = 0) -> list[T]:
    """Return so many, evenly spread; all of them at full size.

    Args:
        everything: What there is to try.
        count: How many are tried otherwise.
        of: Which of several such parts, from 0: they share nothing as long as there is enough.
    """
    if FULL or len(everything) <= count:
        return list(everything)
    stride = len(everything) / count
    return [
        everything[min(int(stride * number + stride / 2) + of, len(everything) - 1)]
        for number in range(count)
    ]
