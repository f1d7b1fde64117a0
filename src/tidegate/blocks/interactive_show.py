"""How `show` is read: what a workflow lays before a person, as exhibits that are still to be frozen.

    show:
      - "${plan.stdout}"                                  # a text; what is no text is shown as JSON
      - {title: The plan, text: "${plan.stdout}"}
      - {title: The manifest, file: out/manifest.yaml}    # as it is when the pause opens
      - {title: What changes, diff: {from: {file: live.yaml}, to: {text: "${render.result}"}}}

Nothing is guessed: a path is always behind `file`, a text behind `text`.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, TypeAlias

import msgspec
from pydantic import PlainValidator

from tidegate.blocks.checks import describe, written, wrong
from tidegate.blocks.input_docs import Kind
from tidegate.model.exhibit import MAX_EXHIBITS, Exhibit, ExhibitKind, Source, text_exhibit

__all__ = ["Shown", "read_exhibits"]

_TITLE = 200
"""Characters of a title."""
_WAYS = "a text, {text: ...}, {file: path} or {diff: {from: ..., to: ...}}"


def read_exhibits(value: object) -> tuple[Exhibit, ...]:
    """Return what `show` asks for.

    Raises:
        PydanticCustomError: it is no list of exhibits; the text follows the input's name.
    """
    if not isinstance(value, list):
        raise wrong(f"must be a list of exhibits ({_WAYS}), not {describe(value)}")
    if len(value) > MAX_EXHIBITS:
        raise wrong(f"holds {len(value)} exhibits; at most {MAX_EXHIBITS} are shown with one question")
    return tuple(_exhibit(number, item) for number, item in enumerate(value, 1))


def _exhibit(number: int, item: object) -> Exhibit:
    if not isinstance(item, Mapping):
        if item is None or item == "":
            raise wrong(f"holds nothing as its exhibit {number}: it takes {_WAYS}")
        return text_exhibit(f"Exhibit {number}", _text(item))
    where = f"exhibit {number}"
    found = _only_one(where, item, _READERS, extra="title")
    exhibit = _READERS[found](where, item[found])
    title = item.get("title")
    if title is None:
        return exhibit if exhibit.title else exhibit.evolve(title=f"Exhibit {number}")
    if not isinstance(title, str | int | float) or not written(title).strip():
        raise wrong(f"has, as the title of {where}, {describe(title)}; it must be text")
    return exhibit.evolve(title=written(title)[:_TITLE])


def _only_one(where: str, item: Mapping[object, object], keys: Mapping[str, object], extra: str = "") -> str:
    """Return the one key of *keys* that *item* has; *extra* may stand beside it."""
    found = [key for key in keys if key in item]
    strangers = [key for key in item if key not in keys and key != extra]
    if strangers:
        raise wrong(
            f"has an unknown key {describe(strangers[0])} in {where}: it takes {_listed(keys, extra)}"
        )
    if len(found) != 1:
        problem = "more than one" if found else "none"
        raise wrong(f"has, in {where}, {problem} of {_listed(keys)}: exactly one is needed")
    return found[0]


def _listed(keys: Mapping[str, object], extra: str = "") -> str:
    return ", ".join(filter(None, (extra, *keys)))


def _shown_text(_where: str, value: object) -> Exhibit:
    return text_exhibit("", _text(value))


def _shown_file(where: str, value: object) -> Exhibit:
    source = _file(where, value)
    return Exhibit(title=source.path[:_TITLE], kind=ExhibitKind.FILE, sources=(source,))


def _shown_diff(where: str, value: object) -> Exhibit:
    if not isinstance(value, Mapping) or set(value) != {"from", "to"}:
        raise wrong(
            f"has a diff in {where} that needs exactly 'from' and 'to', like {{file: path}} or {{text: ...}}"
        )
    old, new = (_side(f"'{side}' of {where}", value[side]) for side in ("from", "to"))
    names = [source.path or "text" for source in (old, new)]
    return Exhibit(title=" → ".join(names)[:_TITLE], kind=ExhibitKind.DIFF, sources=(old, new))


def _side(where: str, value: object) -> Source:
    if not isinstance(value, Mapping):
        raise wrong(f"has, as {where}, {describe(value)}: write {{file: path}} or {{text: ...}}")
    return _SIDES[_only_one(where, value, _SIDES)](where, value)


def _file(where: str, value: object) -> Source:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise wrong(f"has, as the file of {where}, {describe(value)}; it must be a path")
    return Source(path=value)


def _text(value: object) -> str:
    """Return a text as it is, and what is none as indented JSON."""
    if isinstance(value, str):
        return value
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


_READERS: Mapping[str, Callable[[str, object], Exhibit]] = {
    "text": _shown_text,
    "file": _shown_file,
    "diff": _shown_diff,
}
_SIDES: Mapping[str, Callable[[str, Mapping[object, object]], Source]] = {
    "file": lambda where, value: _file(where, value["file"]),
    "text": lambda _, value: Source(text=_text(value["text"])),
}

Shown: TypeAlias = Annotated[tuple[Exhibit, ...], PlainValidator(read_exhibits), Kind("list of exhibits")]
