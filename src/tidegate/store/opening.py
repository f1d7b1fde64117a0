"""From a URL to a store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tidegate.errors import StoreUnavailable
from tidegate.store.keys import Keys, refuse_to_encrypt

if TYPE_CHECKING:
    from collections.abc import Callable

    from tidegate.clock import Clock
    from tidegate.store.protocol import Store

__all__ = ["WrongStore", "file_of", "open_store", "url_of"]

_PLANNED = frozenset({"postgresql", "postgres", "redis", "rediss"})
_DIRECTORY = "file://"
_HELP = "Use sqlite:///absolute/path/to/tidegate.db, the path alone, file:///absolute/directory, or memory://"


class WrongStore(StoreUnavailable):
    """What was named is no store, or none of a kind that this can be done with: only another name helps."""


async def open_store(url: str, *, clock: Clock, reads_only: bool = False, keys: Keys | None = None) -> Store:
    """Open the store at *url*, and create it if nothing is there yet.

    The store belongs to the event loop it is opened on.

    Args:
        url: ``sqlite:///absolute/path`` or a bare path for a database, ``file:///absolute/path`` for
            a directory of files, or ``memory://`` for a store that is gone when it is closed.
        clock: Dates what the store itself marks: its creation.
        reads_only: Whether a database is only looked at: nothing is made, brought up to date, or written.
        keys: What opens a database that is encrypted, and encrypts one that is made here; None: those that the
            environment names. A store in memory is never encrypted, and one in a directory cannot be.

    Raises:
        WrongStore: *url* names no store.
        StoreUnavailable: it cannot be opened now.
        StoreNotFound: nothing is there, and it is only to be looked at.
        CorruptStore: the file is damaged, or is no Tidegate store.
        SchemaTooNew: a newer Tidegate wrote it.
        StoreLocked: it is encrypted and no key of it was given, or the other way round.
        KeyFault: what was given is no key.
    """
    # Here, not above: whoever imports only the protocol must not load SQLite.
    if url == "memory://":
        from tidegate.store.sqlite.store import open_memory

        return await open_memory(clock)
    known = Keys.from_environment() if keys is None else keys
    if url.startswith(_DIRECTORY):
        refuse_to_encrypt(url, known)
        from tidegate.store.directory.store import open_directory

        return await open_directory(_path_of(url), clock)
    from tidegate.store.sqlite.store import open_file

    return await open_file(_path_of(url), clock, reads_only=reads_only, keys=known)


def file_of(url: str) -> Path | None:
    """Return what is there if the store at *url* is; None for a store that is nowhere.

    Raises:
        WrongStore: *url* names no store.
    """
    if url == "memory://":
        return None
    # An empty directory is no store yet; one that has records is, whatever else it has lost.
    return _path_of(url) / "records" if url.startswith(_DIRECTORY) else _path_of(url)


def sameness_of(url: str) -> Callable[[], bool]:
    """Return what tells whether there is still the same at *url* as when this was called, under the same name.

    Raises:
        WrongStore: *url* names no store.
    """
    from tidegate.store.sqlite.file import identity_of

    path = file_of(url)
    found = identity_of(path) if path is not None else None
    return lambda: path is None or found is None or identity_of(path) == found


def url_of(url: str) -> str:
    """Return the one form in which a store is named wherever it is told, as it names itself when it is open.

    Raises:
        WrongStore: *url* names no store.
    """
    if url == "memory://":
        return url
    return f"{'file' if url.startswith(_DIRECTORY) else 'sqlite'}://{_path_of(url).resolve()}"


def _path_of(url: str) -> Path:
    scheme, separator, rest = url.partition("://")
    if not separator:
        return _bare_path(url)
    if scheme in {"sqlite", "file"}:
        return _absolute_path(url, scheme, rest)
    if scheme in _PLANNED:
        raise WrongStore(url, f"{scheme} stores are not supported by this version yet", _HELP)
    raise WrongStore(url, f"'{scheme}' is no kind of store", _HELP)


def _bare_path(url: str) -> Path:
    if not url.strip():
        raise WrongStore("''", "no store is named", _HELP)
    return _checked(url, Path(url).expanduser())


def _absolute_path(url: str, scheme: str, rest: str) -> Path:
    # RFC style: what stands between the slashes is a host, and these stores have none.
    if not rest.startswith("/") or rest == "/":
        raise WrongStore(url, f"a {scheme} URL needs an absolute path, with three slashes", _HELP)
    return _checked(url, Path(rest))


def _checked(url: str, path: Path) -> Path:
    if "\0" in url:
        raise WrongStore(repr(url), "a path cannot hold a NUL character", _HELP)
    # Two slashes at the beginning, as other programs write such URLs, name the same place as one.
    return Path(f"/{str(path.absolute()).lstrip('/')}")
