"""Bytes on disk: the one room that knows where journals are kept, and the only writer of that place.

Everybody else sees `tidegate.store.protocol` and opens a store with `open_store`. This room
knows nothing of how a run is driven: it keeps events, and lists what follows from them.
"""

from tidegate.store.opening import open_store

__all__ = ["open_store"]
