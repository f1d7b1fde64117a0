"""What is kept beside the records, in files of their own: values, definitions, and what commands printed.

Records and the index have only the names of these files, so both stay small, and whoever opens
the store reads none of them. What is missing or damaged is found when somebody asks for it. Only a
definition is read on opening: the index has rows that follow from it.
"""

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from tidegate.model.listing import OutputChunk, Stream
from tidegate.model.workflow import WorkflowDefinition, definition_hash
from tidegate.store.damage import of_value
from tidegate.store.directory.place import Place, path_in
from tidegate.store.orders import Append, NewRun, Order, WriteOutput
from tidegate.store.sqlite import statements as sql
from tidegate.store.sqlite.faults import Damaged
from tidegate.store.sqlite.output import output_chunk
from tidegate.store.sqlite.queries import output_after

__all__ = ["Kept", "Reduced"]

T = TypeVar("T")

_STREAMS = {Stream.STDOUT: "stdout", Stream.STDERR: "stderr"}


class Reduced(NamedTuple):
    """An order without what is kept in files of its own, and what those are to hold."""

    order: Order[Any]
    files: Mapping[Path, bytes]


class Kept:
    """The files beside the records of one store."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._definitions: dict[str, tuple[WorkflowDefinition, str]] = {}

    # -- writing ------------------------------------------------------------------------------

    def reduced(self, connection: sqlite3.Connection, order: Order[Any]) -> Reduced:
        """Return *order* with the names of files instead of what is in them, and those files.

        Args:
            connection: Of the index, in a transaction; it learns the names of new values.
            order: As it was asked for.

        Raises:
            ValueError: a value or a definition is not what its hash says.
        """
        match order:
            case Append(values=values) if values:
                new = {self._place.value(name): data for name, data in self._new_values(connection, values)}
                return Reduced(_with_known_values(connection, order), new)
            case WriteOutput(chunks=chunks) if chunks:
                folder = self._place.output_of(order.run_id, order.block, order.attempt)
                named = tuple(map(_named, chunks))
                files = {folder / to.data.decode(): it.data for it, to in zip(chunks, named, strict=True)}
                return Reduced(order.evolve(chunks=named), files)
            case NewRun():
                return Reduced(order, self._definition_files(order))
            case _:
                return Reduced(order, {})

    def _new_values(
        self, connection: sqlite3.Connection, values: Mapping[str, bytes]
    ) -> Iterator[tuple[str, bytes]]:
        for name, data in values.items():
            is_known = connection.execute(sql.HAS_VALUE, (bytes.fromhex(name),)).fetchone() is not None
            # Known of a removed run, it may be gone: another process empties graves by its own index.
            if is_known and self._place.value(name).exists():
                continue
            if hashlib.sha256(data).hexdigest() != name:
                raise ValueError(f"a value is not what its hash {name} says")
            yield name, data

    def _definition_files(self, run: NewRun) -> dict[Path, bytes]:
        name = run.definition_hash
        known = self._definitions.get(name)
        is_kept = known is not None and (known[1] or not run.source)
        if is_kept and self._place.definition(name).exists():
            return {}
        if definition_hash(run.definition) != name:
            raise ValueError(f"a definition is not what its hash {name} says")
        text = msgspec.json.format(msgspec.json.encode(run.definition), indent=2) + b"\n"
        source = self._place.definition(name, ".yaml")
        # Texts that mean the same may differ: the first one is kept. A run that a block starts has none.
        if _read(source):
            return {self._place.definition(name): text}
        self._definitions.pop(name, None)
        return {self._place.definition(name): text, source: run.source.encode()}

    def write(self, files: Mapping[Path, bytes]) -> set[Path]:
        """Write *files*, durable but for the entries of the folders that are returned."""
        changed = set()
        for path, data in files.items():
            changed |= self._place.make_folder(path.parent)
            # Not added: a damaged file of that name is mended.
            if _read(path) != data:
                self._place.replace(path, data)
            # Also where it was there: whoever wrote it may not have come to that.
            changed.add(path.parent)
        return changed

    def forgotten(self, connection: sqlite3.Connection, order: Order[Any]) -> list[Path]:
        """Return the files of output that *order* forgets, as long as the index still knows them."""
        if not isinstance(order, WriteOutput) or not order.drop:
            return []
        folder = self._place.output_of(order.run_id, order.block, order.attempt)
        query = output_after(order.run_id, order.block, order.attempt, order.drop[0] - 1, order.drop[1])
        chunks = map(output_chunk, connection.execute(*query).fetchall())
        return [folder / chunk.data.decode() for chunk in chunks if chunk.n < order.drop[1]]

    # -- reading ------------------------------------------------------------------------------

    def restored(self, connection: sqlite3.Connection, order: Order[T]) -> Order[T]:
        """Return the order of a record as it can be carried out on the index.

        Raises:
            Damaged: its definition is missing or damaged.
        """
        restored: Order[Any] = order
        if isinstance(order, Append):
            restored = _with_known_values(connection, order)
        elif isinstance(order, NewRun):
            definition, source = self._definition(order.definition_hash)
            restored = order.evolve(definition=definition, source=source)
        return restored

    def _definition(self, name: str) -> tuple[WorkflowDefinition, str]:
        if name not in self._definitions:
            path = self._place.definition(name)
            text = _read(path)
            if text is None:
                raise Damaged(f"{path_in(self._place, path)} is missing")
            source = _read(self._place.definition(name, ".yaml")) or b""
            self._definitions[name] = self._decoded(path, name, text), source.decode(errors="replace")
        return self._definitions[name]

    def _decoded(self, path: Path, name: str, text: bytes) -> WorkflowDefinition:
        try:
            definition = msgspec.json.decode(text, type=WorkflowDefinition)
        except msgspec.MsgspecError as error:
            raise Damaged(f"{path_in(self._place, path)} is damaged ({error})") from error
        if definition_hash(definition) != name:
            raise Damaged(f"{path_in(self._place, path)} is damaged: it is not what its hash says")
        return definition

    def values(self, names: Iterable[str]) -> dict[str, bytes]:
        """Return the JSON of values by SHA-256.

        Raises:
            Damaged: one is missing, or is not what its hash says.
        """
        found = {}
        for name in names:
            data = _read(self._place.value(name))
            if data is None:
                raise Damaged(of_value(name, "missing"))
            if hashlib.sha256(data).hexdigest() != name:
                where = path_in(self._place, self._place.value(name))
                raise Damaged(of_value(name, f"damaged: {where}"))
            found[name] = data
        return found

    def missing_values(self, names: Iterable[str]) -> frozenset[str]:
        """Return those of which there is no file."""
        return frozenset(name for name in names if not self._place.value(name).is_file())

    def output(self, folder: Path, chunks: Sequence[OutputChunk]) -> tuple[OutputChunk, ...]:
        """Return *chunks* with what their files hold; one whose file is missing or damaged says so."""
        return tuple(self._filled(folder / chunk.data.decode(), chunk) for chunk in chunks)

    def _filled(self, path: Path, chunk: OutputChunk) -> OutputChunk:
        data, problem = _read(path), ""
        if data is None:
            problem = "is missing"
        elif not _has_digest(path, data):
            problem = "is damaged: it is not what its name says"
        if not problem:
            return chunk.evolve(data=data, is_unverified=not _digest_in(path))
        return chunk.evolve(data=b"", damage=f"{path_in(self._place, path)} {problem}")


def _with_known_values(connection: sqlite3.Connection, order: Append) -> Append:
    # The index has their names only, and finds them known: so it asks for no content.
    if not order.values:
        return order
    connection.executemany(sql.ADD_VALUE, [(bytes.fromhex(name), 0, b"") for name in order.values])
    return order.evolve(values=dict.fromkeys(order.values, b""))


def _named(chunk: OutputChunk) -> OutputChunk:
    # With a digest: what was changed is found. And somebody who drove the run before may have written another n.
    name = f"{chunk.n:06}-{_STREAMS[chunk.stream]}-{_digest(chunk.data)}.txt"
    return chunk.evolve(data=name.encode(), is_unverified=False)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:12]


def _has_digest(path: Path, data: bytes) -> bool:
    """Whether the file of a chunk holds what its name says."""
    digest = _digest_in(path)
    return not digest or digest == _digest(data)


def _digest_in(path: Path) -> str:
    """Return what the name of a chunk's file says of its content; empty: it is from before names said that."""
    return path.stem.partition("-")[2].partition("-")[2]


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
