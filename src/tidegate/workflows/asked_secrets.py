"""Secrets that a person types: whether each has its question, each question its secret, and each user its turn."""

from collections.abc import Iterable

from tidegate.model.catalog import Catalog
from tidegate.model.secret import FromAnswer, SecretDefinition
from tidegate.model.workflow import WorkflowDefinition
from tidegate.workflows.block_list import Block, BlockGraph
from tidegate.workflows.fault_list import FaultList
from tidegate.workflows.nearest import did_you_mean
from tidegate.workflows.render import secrets_of
from tidegate.workflows.scope import NameVariants

__all__ = ["check_questions", "check_users"]


def check_questions(
    secrets: Iterable[SecretDefinition], graph: BlockGraph, catalog: Catalog, faults: FaultList
) -> None:
    """Report secrets whose question is none, and questions whose answer nothing gets."""
    asked = set()
    for secret in secrets:
        if isinstance(secret.source, FromAnswer):
            asked.add(secret.source.block)
            if problem := _problem(graph, catalog, secret.source.block):
                faults.add(("secrets", secret.name, "answer"), f"secret '{secret.name}': {problem}")
    for block in graph.by_id.values():
        if _asks_for_secret(block, catalog) and block.id not in asked:
            message = (
                f"nothing gets this secret: add secrets: {{NAME: {{answer: {block.id}}}}} to the workflow"
            )
            faults.add((*block.path, "inputs", "input_type"), message)


def _problem(graph: BlockGraph, catalog: Catalog, name: str) -> str:
    block = graph.by_id.get(name)
    if block is None:
        return f"there is no block '{name}'" + did_you_mean(name, graph.by_id)
    if not _asks_for_secret(block, catalog):
        return f"block '{name}' asks for none: it needs type: GetInput and input_type: secret"
    if block.document.for_each or block.document.loop:
        return f"block '{name}' asks more than once (for_each, loop), and a secret has one answer"
    return ""


def _asks_for_secret(block: Block, catalog: Catalog) -> bool:
    spec = catalog.get(block.document.type)
    return spec is not None and spec.interactive and block.document.inputs.get("input_type") == "secret"


def check_users(
    definition: WorkflowDefinition,
    graph: BlockGraph,
    catalog: Catalog,
    names: NameVariants,
    faults: FaultList,
) -> None:
    """Report blocks that use a secret and may begin before it was asked for.

    Args:
        definition: Without any other fault.
        graph: Of its blocks.
        catalog: Their types.
        names: What its texts may use.
        faults: Gets what is wrong.
    """
    sources = {secret.name: secret.source for secret in definition.secrets}
    for block in definition.blocks:
        used = secrets_of(
            block,
            catalog[block.type],
            names.of(for_each=block.for_each is not None, loop=block.loop is not None, always=block.always),
        )
        for name in sorted(used):
            source = sources.get(name)
            if not isinstance(source, FromAnswer):
                continue
            user, asker = graph.by_id[block.id], graph.by_id[source.block]
            if not graph.is_before(asker, user):
                problem = f"it uses ${{secrets.{name}}}, and may begin before '{asker.id}' has asked for it"
                faults.add((*user.path, "id"), f"{problem}: add depends_on: [{asker.id}]")
