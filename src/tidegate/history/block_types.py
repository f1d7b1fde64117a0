"""What a type of block takes and gives, for those who must not know the types themselves."""

from tidegate.model.catalog import BlockSpec

__all__ = ["input_of_call", "spec_of"]


def spec_of(name: str) -> BlockSpec | None:
    """Return what there is to a type; None: it is not known here."""
    # Here: with it comes every type of block.
    from tidegate.blocks.registry import catalog

    return catalog().get(name)


def input_of_call(name: str) -> str:
    """Return the input of a type that names the workflow which its blocks call; empty: they call none."""
    spec = spec_of(name)
    return (spec.calls or "") if spec is not None else ""
