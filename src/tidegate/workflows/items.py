"""What a block with `for_each` goes through: its items, and the key by which each is known."""

from collections.abc import Sequence
from dataclasses import replace

from tidegate.errors import ExpressionError
from tidegate.model.base import Json
from tidegate.model.policy import ForEach
from tidegate.workflows.scope import Names, Scope
from tidegate.workflows.templates import as_shown, compile_text, described

__all__ = ["MAX_ITEMS", "MAX_KEY", "keyed_items"]

MAX_ITEMS = 10_000
MAX_KEY = 60
"""Characters."""


def keyed_items(
    each: ForEach, value: Json, names: Names, scope: Scope
) -> tuple[tuple[str, ...], tuple[Json, ...]]:
    """Return the keys and the items of *value*, in its order.

    Args:
        each: What the block says of them.
        value: What it goes through, references resolved.
        names: Of the block.
        scope: Of the run, without an item.

    Raises:
        ExpressionError: *value* is neither a list nor a mapping or is too long, or a key is none.
    """
    source = each.items if isinstance(each.items, str) else "for_each"
    match value:
        case list():
            items, words = value, [_word(item) for item in value]
        case dict():
            items = [{"key": key, "value": item} for key, item in value.items()]
            words = list(value)
        case _:
            raise ExpressionError(source, _no_items(value))
    if len(items) > MAX_ITEMS:
        raise ExpressionError(source, f"it gave {len(items):,} items; at most {MAX_ITEMS:,} are taken")
    if each.key is not None:
        return _rendered_keys(each.key, items, names, scope), tuple(items)
    return _keys(words), tuple(items)


def _no_items(value: Json) -> str:
    problem = f"it gave {described(value)}, expected a list or a mapping"
    if isinstance(value, str):
        return f"{problem}: read a command's output as one with parse: lines or parse: json"
    return f"{problem}: write a default, like ?? []" if value is None else problem


def _word(item: Json) -> str:
    """Return what a scalar is called; nothing for what has no name of its own."""
    return "" if item is None or isinstance(item, list | dict) else as_shown(item)


def _keys(words: Sequence[str]) -> tuple[str, ...]:
    """Return *words* if each can be a key and they are all different, otherwise positions."""
    if len(set(words)) == len(words) and not any(_key_problem(word) for word in words):
        return tuple(words)
    return tuple(str(index) for index in range(len(words)))


def _key_problem(key: str) -> str:
    if not key or key != key.strip():
        return "is empty, or has blanks around it"
    if len(key) > MAX_KEY:
        return f"has {len(key)} characters; at most {MAX_KEY} are taken"
    if "[" in key or "]" in key:
        return "has brackets, which stand around a key wherever it is shown"
    return "" if key.isprintable() else "has characters that cannot be seen"


def _rendered_keys(text: str, items: Sequence[Json], names: Names, scope: Scope) -> tuple[str, ...]:
    template = compile_text(text, names)
    known: dict[str, int] = {}
    for index, item in enumerate(items):
        value = template.evaluate(replace(scope, item=item, index=index))
        key = _word(value)
        problem = _key_problem(key) if key or value == "" else f"is {described(value)}, expected text"
        if problem:
            shown = f" '{key[:MAX_KEY]}'" if key else ""
            raise ExpressionError(text, f"the key{shown} of item {index} {problem}")
        if key in known:
            problem = f"items {known[key]} and {index} (counted from 0) have the same key '{key}'"
            raise ExpressionError(text, f"{problem}: make it unique, like ${{item.name}}-${{index}}")
        known[key] = index
    return tuple(known)
