"""Workflows that the tests of this room share."""

from pathlib import Path

GATE = """
name: gate
inputs: {word: {type: string, default: gone}}
blocks:
  - {id: gate, type: ConfirmOperation, inputs: {message: "Go?"}}
  - {id: go, type: Shell, depends_on: [gate], inputs: {command: "echo ${word} | tee -a log"}}
outputs: {said: "${go.stdout}"}
"""
TWO = """
name: two
blocks:
  - {id: one, type: ConfirmOperation, inputs: {message: "One?"}}
  - {id: other, type: AskChoice, inputs: {question: "Which?", choices: [red, blue]}}
outputs: {one: "${one.confirmed}", other: "${other.choice}"}
"""
BREAKS = """
name: breaks
blocks:
  - {id: fragile, type: Shell, inputs: {command: "test -e fixed"}}
  - {id: after, type: Shell, depends_on: [fragile], inputs: {command: "echo done"}}
outputs: {said: "${after.stdout}"}
"""
BUSY = """
name: busy
blocks:
  - id: work
    type: Shell
    effect: idempotent
    inputs: {command: "touch begun; while [ ! -e go ]; do sleep 0.02; done; echo worked >> log"}
"""


def store_in(folder: Path) -> str:
    """Return the URL of a store in *folder*."""
    return f"sqlite:///{folder}/store.db"
