"""That nothing which is changed in a fork carries a secret into the journal: it would be kept there as it is."""

from collections.abc import Iterable

from tidegate.engine.edits import Edit, InvalidEdit
from tidegate.engine.secrecy import asked_in, read_secrets
from tidegate.model.secret import mask_of
from tidegate.model.state import RunState
from tidegate.store.typed_secrets import TypedSecrets

__all__ = ["refuse_secrets"]

_NONE: frozenset[str] = frozenset()


async def refuse_secrets(store: TypedSecrets, state: RunState, edits: Iterable[Edit]) -> None:
    """Refuse an edit that holds what a declared secret is, in one of the forms in which it is masked elsewhere.

    What is read from a command is not known here, nor what cannot be read by this process.

    Args:
        store: Has what people have typed.
        state: Of the fork, with the definition that it goes on with.
        edits: What is to be other than it was.

    Raises:
        InvalidEdit: one does. The message says which secret, and nothing of it.
    """
    definition = state.graph.definition
    if not definition.secrets:
        return
    masks = (await read_secrets(definition, _NONE, asked_in(store, state))).masks
    for edit in edits:
        masked = str(masks.json(edit.value))
        for name in (secret.name for secret in definition.secrets):
            if masked.count(mask_of(name)) > str(edit.value).count(mask_of(name)):
                raise InvalidEdit(edit.path, _problem(name))


def _problem(name: str) -> str:
    advice = f"where the block's type takes secrets, write ${{secrets.{name}}}"
    return f"it holds what secret '{name}' is, and would be kept with the run: {advice}"
