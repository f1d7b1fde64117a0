"""YAML that somebody else's program wrote, as JSON values.

As in a workflow file, keys are unique, and only true, false, null and numbers are anything but text: `NO`, `12:30`,
`1.10.0` and dates stay what is written. Keys are text. A document of a few lines that its anchors
blow up to more than memory holds is refused.
"""

import re
from functools import cache
from typing import Any

from tidegate.model.base import Json

__all__ = ["YamlFault", "parse_yaml"]

_MOST = 1_000_000
"""Values in one document, each counted as often as it is used."""
_DEEP = 200
_PLAIN = (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", ("~", "n", "N", "")),
    ("int", r"[-+]?[0-9]{1,400}", "-+0123456789"),
    (
        "float",
        r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*)(?:[eE][-+]?[0-9]+)?|[-+]?[0-9]+[eE][-+]?[0-9]+",
        "-+.0123456789",
    ),
)


class YamlFault(Exception):
    """It is no YAML document, or none that JSON can hold."""


def parse_yaml(text: str) -> Json:
    """Return the one document in *text*.

    Raises:
        YamlFault: it cannot be read; says where and why.
    """
    import yaml

    try:
        value = yaml.load(text, Loader=_loader())  # noqa: S506  # a safe loader
    except yaml.YAMLError as error:
        raise YamlFault(" ".join(str(error).split())) from None
    except (RecursionError, ValueError) as error:
        raise YamlFault(str(error) or "nested too deeply") from None
    return _Budget().plain(value)


@cache
def _loader() -> Any:
    import yaml

    class Loader(yaml.SafeLoader):
        """Reads scalars as a workflow file's are read."""

        yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            found: dict[Any, Any] = {}
            for key, value in node.value:
                if problem := _key_problem(key, found):
                    raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
                found[key.value] = self.construct_object(value, deep=deep)
            return found

    for tag, pattern, first in _PLAIN:
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"(?:{pattern})$"), list(first))
    Loader.add_constructor("tag:yaml.org,2002:int", lambda loader, node: int(node.value))
    Loader.add_constructor("tag:yaml.org,2002:float", lambda loader, node: float(node.value))
    return Loader


def _key_problem(key: Any, found: dict[Any, Any]) -> str:
    if not isinstance(key.value, str):
        return "a key must be text"
    if key.value == "<<" and key.style is None:
        return "merge keys (<<) are not read: write the values out"
    return f"the key {key.value!r:.60} is there twice" if key.value in found else ""


class _Budget:
    """Copies a value into plain JSON, as long as it is of a reasonable size."""

    def __init__(self) -> None:
        self._left = _MOST

    def plain(self, value: object, depth: int = 0) -> Json:
        self._left -= 1
        if self._left < 0 or depth > _DEEP:
            raise YamlFault(f"more than {_MOST} values, or nested more than {_DEEP} deep")
        if isinstance(value, dict):
            return {str(key): self.plain(item, depth + 1) for key, item in value.items()}
        if isinstance(value, list):
            return [self.plain(item, depth + 1) for item in value]
        if isinstance(value, float) and value - value != 0:
            raise YamlFault("a number is too large")
        if value is None or isinstance(value, str | bool | int | float):
            return value
        raise YamlFault(f"a value is {type(value).__name__}, which JSON does not have")
