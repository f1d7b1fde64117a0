"""What a store in a directory takes on the disk: the index knows only how much there is, not how large."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from tidegate.model.ids import RunId
from tidegate.model.listing import Statistics
from tidegate.store.directory.identity import FORMAT
from tidegate.store.directory.place import Place, quoted
from tidegate.store.sqlite.readers import Query
from tidegate.store.sqlite.rows import Row, encode

__all__ = ["file_bytes", "of_directory", "trees", "values_of_trees"]

_TREES = (
    "SELECT r.run_id AS top, r.run_no, r.run_id FROM json_each(?) j JOIN runs r ON r.run_id = j.value"
    " UNION ALL SELECT r.root, r.run_no, r.run_id FROM json_each(?) j JOIN runs r ON r.root = j.value"
)


def trees(run_ids: Sequence[RunId]) -> Query:
    """Return the query for runs and all below them: whose tree it is, its number, its id."""
    return Query(_TREES, [encode(list(run_ids)).decode()] * 2)


def values_of_trees(run_ids: Sequence[RunId]) -> Query:
    """Return the query for the values of runs and all below them: whose tree, which value, how many use it."""
    statement = (
        f"SELECT t.top, u.sha256, (SELECT count(*) FROM value_uses x WHERE x.sha256 = u.sha256)"  # noqa: S608  # no value in it
        f" FROM ({_TREES}) t JOIN value_uses u USING (run_no)"
    )
    return Query(statement, [encode(list(run_ids)).decode()] * 2)


def file_bytes(place: Place, runs: Sequence[Row], values: Sequence[Row]) -> Mapping[RunId, int]:
    """Return the bytes of files that each tree of runs takes: output, and its share of values.

    Args:
        place: Where they are.
        runs: As `trees` finds them.
        values: As `values_of_trees` finds them.
    """
    found: dict[RunId, int] = {}
    for top, _, run_id in runs:
        found[top] = found.get(top, 0) + _bytes_below(place.output / quoted(run_id))
    for top, sha256, users in values:
        found[top] = found.get(top, 0) + _bytes_of(place.value(sha256.hex())) // users
    return found


def of_directory(place: Place, counted: Statistics) -> Statistics:
    """Return what the index has *counted*, with the bytes of the directory."""
    folders = (place.records, place.values, place.definitions, place.output)
    records, values, definitions, output = map(_bytes_below, folders)
    return counted.evolve(
        schema=FORMAT,
        bytes=records + values + definitions + output,
        free_bytes=0,
        value_bytes=values,
        output_bytes=output,
    )


def _bytes_below(folder: Path) -> int:
    return sum(_bytes_of(path) for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else 0


def _bytes_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
