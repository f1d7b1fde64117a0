"""A workflow that waits for nothing: what a replay goes through."""

from tidegate.model.workflow import BlockDefinition, WorkflowDefinition

__all__ = ["hasty"]


def hasty(definition: WorkflowDefinition) -> WorkflowDefinition:
    """Return a workflow that waits for nothing, and is not out of time."""
    children = {name: hasty(child) for name, child in definition.children.items()}
    blocks = tuple(_block(block) for block in definition.blocks)
    return definition.evolve(blocks=blocks, children=children, timeout=None)


def _block(block: BlockDefinition) -> BlockDefinition:
    retry = None if block.retry is None else block.retry.evolve(delay=0.0, max_delay=0.0)
    loop = None if block.loop is None else block.loop.evolve(delay=0.0)
    # A question keeps its deadline: what happens then is the workflow's business.
    return block.evolve(retry=retry, loop=loop, timeout=block.timeout if block.interactive else None)
