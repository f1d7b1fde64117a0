"""What one attempt knows of its workflow's secrets, while it lasts: read when it starts, and kept nowhere."""

import contextlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from tidegate.blocks.base import Completed, Failed, Mark, Result
from tidegate.blocks.masking import NO_MASKS, Masks
from tidegate.blocks.secret_sources import Unreadable, read_secret
from tidegate.model.base import JsonObject
from tidegate.model.events import Failure
from tidegate.model.ids import BlockId
from tidegate.model.prompt import Prompt, RecoveryPrompt
from tidegate.model.secret import FromAnswer, FromCommand, FromEnvironment, SecretDefinition
from tidegate.model.state import PauseState, RunState
from tidegate.model.workflow import WorkflowDefinition
from tidegate.store.typed_secrets import TypedSecrets

__all__ = [
    "NO_SECRETS",
    "READABLE",
    "Secrets",
    "asked_in",
    "masked",
    "masked_exhibits",
    "masked_failure",
    "masked_mark",
    "masked_values",
    "read_secrets",
]


@dataclass(frozen=True, slots=True)
class Secrets:
    """What they are, what is masked, and which variables are withheld. Its text shows none of it."""

    values: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Those that the attempt is given, by name."""
    masks: Masks = field(default=NO_MASKS, repr=False)
    withheld: frozenset[str] = frozenset()


NO_SECRETS = Secrets()


READABLE = "it asks for a secret, and this store is not encrypted: the answer could be read in its file (docs/encryption.md)"
"""Why nobody is asked for one, or answers with one, here."""

Asked: TypeAlias = Callable[[BlockId], Awaitable[str | None]]
"""Returns what was typed at the question of a block; None: nothing that is kept."""


async def read_secrets(definition: WorkflowDefinition, needed: frozenset[str], asked: Asked) -> Secrets:
    """Read the *needed* ones, and what else can be had at once: another block may have written that somewhere.

    Args:
        definition: Of the run.
        needed: Names.
        asked: Reads what a person has typed.

    Raises:
        Unreadable: one that is needed is not there.
    """
    if not definition.secrets:
        return NO_SECRETS
    values: dict[str, str] = {}
    others: dict[str, str] = {}
    for secret in definition.secrets:
        if secret.name in needed:
            values[secret.name] = await _read(secret, definition, asked)
        elif not isinstance(secret.source, FromCommand):
            with contextlib.suppress(Unreadable):
                others[secret.name] = await _read(secret, definition, asked)
    sources = (secret.source for secret in definition.secrets)
    withheld = frozenset(source.variable for source in sources if isinstance(source, FromEnvironment))
    return Secrets(values, Masks({**others, **values}), withheld)


async def _read(secret: SecretDefinition, definition: WorkflowDefinition, asked: Asked) -> str:
    if not isinstance(secret.source, FromAnswer):
        return await read_secret(secret, definition.working_dir)
    block = secret.source.block
    typed = await asked(block)
    if typed is None:
        problem = f"is missing: block '{block}' has asked for it, and what was typed is kept no longer"
        raise Unreadable(secret.name, f"{problem}; run '{block}' again to be asked")
    return typed


def asked_in(store: TypedSecrets, state: RunState) -> Asked:
    """Return what reads the secrets that were typed in a run."""

    async def asked(block: BlockId) -> str | None:
        given = [it for it in state.pauses.values() if it.block == block and it.state is PauseState.ANSWERED]
        if not given:
            return None
        return await store.secret(max(given, key=lambda pause: pause.opened_seq).pause_id)

    return asked


# -- what a block hands over ------------------------------------------------------------------
# Whatever its code puts there: what is none of what it should be is passed on, and refused where it is taken.


def masked(result: Result, masks: Masks) -> Result:
    """Return what a block gave, masked."""
    if masks is NO_MASKS:
        return result
    outputs = masked_values(result.outputs, masks)
    if isinstance(result, Completed):
        return Completed(outputs)
    return Failed(masked_failure(result.failure, masks), outputs)


def masked_values(values: JsonObject, masks: Masks) -> JsonObject:
    """Return a mapping whose keys and values are masked."""
    if masks is NO_MASKS or not isinstance(cast("object", values), Mapping):
        return values
    return {
        masks.text(name) if isinstance(cast("object", name), str) else name: masks.json(value)
        for name, value in values.items()
    }


def masked_failure(failure: Failure, masks: Masks) -> Failure:
    """Return a failure whose message is masked."""
    message = getattr(failure, "message", None)
    return failure.evolve(message=masks.message(message)) if isinstance(message, str) else failure


def masked_mark(mark: Mark, masks: Masks) -> Mark:
    """Return a checkpoint whose label and metadata are masked."""
    label = masks.text(mark.label) if isinstance(cast("object", mark.label), str) else mark.label
    return Mark(label, masked_values(mark.metadata, masks))


async def masked_exhibits(prompt: Prompt, definition: WorkflowDefinition, asked: Asked) -> Prompt:
    """Return *prompt* with the files that it shows masked."""
    if isinstance(prompt, RecoveryPrompt) or not prompt.show or not definition.secrets:
        return prompt
    masks = (await read_secrets(definition, frozenset(), asked)).masks
    return prompt.evolve(show=tuple(shown.evolve(text=masks.text(shown.text)) for shown in prompt.show))
