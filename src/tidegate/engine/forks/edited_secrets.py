"""That nothing which is changed in a fork carries a secret into the journal: it would be kept there as it is."""

from collections.abc import Iterable

from tidegate.engine.forks.edits import EditedValue, InvalidEdit
from tidegate.engine.secrecy import asked_in, read_secrets
from tidegate.model.secret import mask_of
from tidegate.model.state import RunState
from tidegate.store.typed_secrets import TypedSecrets

__all__ = ["refuse_secrets"]

_NONE: frozenset[str] = frozenset()


async def refuse_secrets(store: TypedSecrets, state: RunState, values: Iterable[EditedValue]) -> None:
    """Refuse an edit that holds what a declared secret is, in one of the forms in which it is masked elsewhere.

    What is read from a command is not known here, nor what cannot be read by this process.

    Args:
        store: Has what people have typed.
        state: Of the fork, with the definition that it goes on with.
        values: What is other than it was, as it would be journalled.

    Raises:
        InvalidEdit: one does. The message says which secret, and nothing of it.
    """
    definition = state.graph.definition
    if not definition.secrets:
        return
    masks = (await read_secrets(definition, _NONE, asked_in(store, state))).masks
    for value in values:
        masked = str(masks.json(value.after))
        for name in (secret.name for secret in definition.secrets):
            if masked.count(mask_of(name)) > str(value.after).count(mask_of(name)):
                raise InvalidEdit(value.path, _problem(name))


def _problem(name: str) -> str:
    advice = f"where the block's type takes secrets, write ${{secrets.{name}}}"
    return f"it holds what secret '{name}' is, and would be kept with the run: {advice}"
