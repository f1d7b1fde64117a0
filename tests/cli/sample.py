"""A store with a run of every kind, full of hostile text, for commands that only read."""

from dataclasses import dataclass

from cli.calling import Tidegate
from running import World, world
from tidegate.model.ids import RunId

OSC_52 = "\x1b]52;c;ZXZpbA==\x07"
"""Fills the clipboard of a terminal that obeys it."""
MARKUP = "Deploy to [prod]? [b]x[/b] [/] [link=http://x]y[/link]"
BIDI = "\u202egnp.exe"

ASKS = r"""
    name: asks
    inputs: {note: {type: string}}
    blocks:
      - id: before
        type: Shell
        inputs:
          command: |
            printf '\033]52;c;ZXZpbA==\007\033[31mred\033[0m [b]x[/b] FAILED\rOK\n'
            printf '\303\251 and half a line'
      - id: gate
        type: ConfirmOperation
        depends_on: [before]
        inputs: {message: "${note}\nsecond line", operation: deploy, details: {where: "${note}"}}
      - id: other_gate
        type: AskChoice
        depends_on: [before]
        inputs: {question: "Which?", choices: [nonprod, prod, "not [b]now[/b]"]}
      - {id: after, type: Shell, depends_on: [gate, other_gate], inputs: {command: "echo after"}}
    outputs: {confirmed: "${gate.confirmed}"}
"""

FAILS = """
    name: fails
    blocks:
      - {id: lint, type: Shell, inputs: {command: "echo fine"}}
      - {id: check, type: Shell, inputs: {command: "echo '[/b] too low' >&2; exit 3"}}
      - {id: publish, type: Shell, depends_on: [check], inputs: {command: "echo published"}}
    outputs: {lint: "${lint.stdout}", published: "${publish.stdout}"}
"""


@dataclass(frozen=True)
class Sample:
    """What is in the store."""

    tidegate: Tidegate
    paused: RunId
    failed: RunId
    cancelled: RunId
    gate: str
    """The open pause of `gate` in the paused run."""


async def fill(tidegate: Tidegate) -> Sample:
    """Run everything that the store shall hold."""
    async with world(tidegate.folder, tidegate.store) as made:
        cancelled = await _paused(made, "cancel me")
        await made.executor.cancel(cancelled, by="bo", reason=f"{OSC_52} no")
        await made.rest(cancelled)
        failed = await made.start(FAILS)
        await made.rest(failed)
        paused = await _paused(made, f"{MARKUP} {OSC_52} {BIDI}")
        gate = await made.pause_of(paused, "gate")
        return Sample(tidegate, paused, failed, cancelled, gate.pause_id)


async def _paused(made: World, note: str) -> RunId:
    run_id = await made.start(ASKS, note=note)
    await made.rest(run_id)
    return run_id


def is_harmless(text: str) -> bool:
    """Whether a terminal shows *text* and does nothing else."""
    return all(character.isprintable() or character == "\n" for character in text)
