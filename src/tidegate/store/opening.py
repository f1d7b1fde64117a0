"""From a URL to a store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tidegate.errors import StoreUnavailable

if TYPE_CHECKING:
    from tidegate.clock import Clock
    from tidegate.store.protocol import Store

__all__ = ["file_of", "open_store"]

_PLANNED = frozenset({"file", "postgresql", "postgres", "redis", "rediss"})
_HELP = "Use sqlite:///absolute/path/to/tidegate.db, the path alone, or memory://"


async def open_store(url: str, *, clock: Clock) -> Store:
    """Open the store at *url*, and create it if nothing is there yet.

    The store belongs to the event loop it is opened on.

    Args:
        url: ``sqlite:///absolute/path``, a bare path, or ``memory://`` for one that is gone
            when it is closed.
        clock: Dates what the store itself marks: its creation.

    Raises:
        StoreUnavailable: *url* names no store, or one that cannot be opened now.
        CorruptStore: the file is damaged, or is no Tidegate store.
        SchemaTooNew: a newer Tidegate wrote it.
    """
    # Here, not above: whoever imports only the protocol must not load SQLite.
    from tidegate.store.sqlite.store import open_file, open_memory

    if url == "memory://":
        return await open_memory(clock)
    return await open_file(_path_of(url), clock)


def file_of(url: str) -> Path | None:
    """Return the file that *url* names; None for a store without one.

    Raises:
        StoreUnavailable: *url* names no store.
    """
    return None if url == "memory://" else _path_of(url)


def _path_of(url: str) -> Path:
    scheme, separator, rest = url.partition("://")
    if not separator:
        return _bare_path(url)
    if scheme == "sqlite":
        return _sqlite_path(url, rest)
    if scheme in _PLANNED:
        raise StoreUnavailable(url, f"{scheme} stores are not supported by this version yet", _HELP)
    raise StoreUnavailable(url, f"'{scheme}' is no kind of store", _HELP)


def _bare_path(url: str) -> Path:
    if not url.strip():
        raise StoreUnavailable("''", "no store is named", _HELP)
    return _checked(url, Path(url).expanduser())


def _sqlite_path(url: str, rest: str) -> Path:
    # RFC style: nothing between the slashes is a host, and SQLite has none.
    if not rest.startswith("/") or rest == "/":
        raise StoreUnavailable(url, "a sqlite URL needs an absolute path, with three slashes", _HELP)
    return _checked(url, Path(rest))


def _checked(url: str, path: Path) -> Path:
    if "\0" in url:
        raise StoreUnavailable(repr(url), "a path cannot hold a NUL character", _HELP)
    return path.absolute()
