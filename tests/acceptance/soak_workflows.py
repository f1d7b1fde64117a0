"""Random workflows for the soak: real commands that write down each of their effects, questions, waits, runs below."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TypeAlias

from tidegate.model.base import JsonObject

__all__ = ["EFFECTS", "lay_out", "write_workflow"]

EFFECTS = "effects"
"""The file to which every command adds a line: run, place, attempt, key."""

_NOTE = f'echo "$TIDEGATE_RUN_ID $TIDEGATE_BLOCK $TIDEGATE_ATTEMPT $TIDEGATE_IDEMPOTENCY_KEY" >> {EFFECTS}'
_CHILDREN = ("plain", "asking")
_MODULE = """
def work(context):
    for number in range(3):
        context.step(f"step {number}", int, number)
    context.state["worked"] = context.block_id
    context.checkpoint("worked")
    return context.block_id
"""

Maker: TypeAlias = Callable[[Random, str], JsonObject]


def lay_out(folder: Path) -> None:
    """Write what the random workflows call: a module, and two workflows."""
    (folder / "soaked.py").write_text(_MODULE)
    _write(folder / "plain.yaml", "plain", [{"id": "below", **_shell(_NOTE)}])
    ask: JsonObject = {"id": "ask", "type": "GetInput", "inputs": {"prompt": "Below?"}}
    after: JsonObject = {"id": "after", "depends_on": ["ask"], **_shell(f"{_NOTE}; sleep 0.05")}
    _write(folder / "asking.yaml", "asking", [ask, after])


def write_workflow(folder: Path, name: str, chance: Random) -> str:
    """Write a random workflow; return the name of its file."""
    blocks: list[JsonObject] = []
    for number in range(chance.randint(1, 6)):
        made = _pick(chance)(chance, f"b{number}")
        before = [str(block["id"]) for block in blocks]
        wanted = chance.sample(before, k=min(len(before), chance.randint(0, 2)))
        blocks.append({"id": f"b{number}", "depends_on": list(wanted), **made})
    if chance.random() < 0.3:
        blocks.append({"id": "tidy", "always": True, **_shell(_NOTE)})
    _write(folder / f"{name}.yaml", name, blocks, schedule=chance.choice(["waves", "eager"]))
    return f"{name}.yaml"


def _write(file: Path, name: str, blocks: list[JsonObject], **more: str) -> None:
    # JSON is YAML. Whole or not at all: somebody may be reading it.
    new = file.with_suffix(".new")
    new.write_text(json.dumps({"name": name, **more, "blocks": blocks}))
    new.replace(file)


def _pick(chance: Random) -> Maker:
    makers = [maker for maker, weight in _MAKERS.items() for _ in range(weight)]
    return chance.choice(makers)


def _shell(command: str, **more: object) -> JsonObject:
    return {"type": "Shell", "inputs": {"command": command}, **more}  # type: ignore[dict-item]


def _work(chance: Random, _name: str) -> JsonObject:
    """A command that takes a moment, and may fail at first or for good."""
    command = f"{_NOTE}; sleep {chance.choice(['0', '0.02', '0.1', '0.4'])}"
    more: dict[str, object] = {"effect": chance.choice(["once", "once", "idempotent"])}
    kind = chance.choice(["works", "works", "flaky", "fails"])
    if kind == "flaky":
        command += '; test "$TIDEGATE_ATTEMPT" -gt 1'
        more["retry"] = {"max_attempts": 3, "delay": chance.choice(["0s", "100ms"])}
    if kind == "fails":
        command += "; exit 3"
        more["on_failure"] = chance.choice(["fail", "continue", "pause"])
    return _shell(command, **more)


def _loud(chance: Random, _name: str) -> JsonObject:
    """A command that says more than is kept inline."""
    size = chance.choice([20_000, 400_000])
    return _shell(f"{_NOTE}; head -c {size} /dev/urandom | od -An -tx1")


def _each(chance: Random, _name: str) -> JsonObject:
    items = [f"i{number}" for number in range(chance.randint(0, 5))]
    return _shell(f"{_NOTE}; echo ${{item}}", for_each={"items": items, "max_parallel": chance.randint(1, 3)})


def _loop(chance: Random, name: str) -> JsonObject:
    rule = {"until": f"${{{name}.result}} >= {chance.randint(0, 2)}", "max_iterations": 3, "delay": "50ms"}
    return {**_shell(f"{_NOTE}; echo ${{index}}", loop=rule), "inputs": _parsed(f"{_NOTE}; echo ${{index}}")}


def _parsed(command: str) -> JsonObject:
    return {"command": command, "parse": "json"}


def _confirm(chance: Random, name: str) -> JsonObject:
    inputs: JsonObject = {"message": f"Go on at {name}?", "on_reject": chance.choice(["stop", "continue"])}
    return {"type": "ConfirmOperation", "inputs": inputs}


def _choose(chance: Random, _name: str) -> JsonObject:
    deadline: JsonObject = {"timeout": chance.choice(["500ms", "3s"])} if chance.random() < 0.4 else {}
    return {"type": "AskChoice", "inputs": {"question": "Which?", "choices": ["yes", "no"]}, **deadline}


def _form(_chance: Random, _name: str) -> JsonObject:
    fields: list[object] = [{"id": "size", "label": "Size", "choices": ["small", "large"]}]
    return {"type": "AskForm", "inputs": {"fields": fields}}  # type: ignore[dict-item]


def _ask_each(_chance: Random, _name: str) -> JsonObject:
    inputs: JsonObject = {"message": "Ship ${item}?", "on_reject": "continue"}
    return {"type": "ConfirmOperation", "for_each": ["x", "y"], "inputs": inputs}


def _wait(chance: Random, _name: str) -> JsonObject:
    return {"type": "Wait", "inputs": {"duration": chance.choice(["50ms", "300ms", "1s"])}}


def _template(chance: Random, name: str) -> JsonObject:
    return {"type": "Template", "inputs": {"template": f"{name} " * chance.choice([1, 20, 3_000])}}


def _python(_chance: Random, _name: str) -> JsonObject:
    return {"type": "Python", "effect": "idempotent", "inputs": {"callable": "soaked:work"}}


def _file(_chance: Random, name: str) -> JsonObject:
    return {"type": "WriteFile", "inputs": {"path": f"out/{name}.txt", "content": name, "make_parents": True}}


def _call(chance: Random, _name: str) -> JsonObject:
    return {"type": "ExecuteWorkflow", "inputs": {"workflow": chance.choice(_CHILDREN)}}


_MAKERS: dict[Maker, int] = {
    _work: 8,
    _loud: 1,
    _each: 3,
    _loop: 2,
    _confirm: 3,
    _choose: 2,
    _form: 1,
    _ask_each: 1,
    _wait: 2,
    _template: 2,
    _python: 1,
    _file: 1,
    _call: 3,
}
"""What a block may be, and how often."""
