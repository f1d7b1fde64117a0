"""What a type of block takes and gives, by name, for those who must not know the types themselves."""

from dataclasses import dataclass

__all__ = ["TypeNames", "names_of_type"]


@dataclass(frozen=True, slots=True)
class TypeNames:
    """What there is to a type of block."""

    inputs: frozenset[str]
    """Empty: its check does not tell."""
    outputs: frozenset[str]
    is_open: bool
    """Whether a block of it may give further outputs."""


def names_of_type(name: str) -> TypeNames | None:
    """Return what a type takes and gives; None: it is not known here."""
    # Here: with it comes every type of block.
    from tidegate.blocks.registry import catalog

    spec = catalog().get(name)
    if spec is None:
        return None
    inputs = frozenset(declared.name for declared in spec.inputs())
    return TypeNames(inputs, frozenset(spec.outputs), spec.open_outputs)
