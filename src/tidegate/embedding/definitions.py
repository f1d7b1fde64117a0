"""Workflows for a program: from a file, from YAML text, or from Python data."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tidegate.errors import InputsError
from tidegate.model.base import Json, JsonObject
from tidegate.model.catalog import Catalog
from tidegate.model.codec import NotJson, key_text, plain
from tidegate.model.workflow import WorkflowDefinition

if TYPE_CHECKING:
    from tidegate.workflows.loader import Loaded

__all__ = ["complete_inputs", "load_file", "load_source"]

# What reads workflows is imported where it is used: a program that only answers needs none of it.


def load_file(path: str | os.PathLike[str], catalog: Catalog) -> "Loaded":
    """Return the workflow in a file, with those that it calls.

    Raises:
        DefinitionError: it cannot be read, or has faults.
    """
    from tidegate.workflows.loader import load_workflow

    return load_workflow(Path(path), catalog)


def load_source(
    source: Mapping[str, Any] | str,
    catalog: Catalog,
    *,
    children: Mapping[str, "Loaded"],
    working_dir: str | os.PathLike[str],
) -> "Loaded":
    """Return the workflow that Python data or a YAML text describes.

    Args:
        source: What a workflow file holds: as data, or as text.
        catalog: The block types there are.
        children: The workflows that its blocks call, by the name they call them by.
        working_dir: Where its commands run.

    Raises:
        DefinitionError: it has faults.
    """
    folder = str(Path(working_dir).absolute())
    called = {name: child.definition for name, child in children.items()}
    if isinstance(source, str):
        return _from_text(source, catalog, called, folder)
    from tidegate.workflows.from_python import workflow_from

    return workflow_from(source, catalog, working_dir=folder, children=called)


def _from_text(
    text: str, catalog: Catalog, called: Mapping[str, WorkflowDefinition], folder: str
) -> "Loaded":
    from tidegate.workflows.calls import NotCallable
    from tidegate.workflows.loader import Loaded, parse_workflow
    from tidegate.workflows.nearest import did_you_mean

    def find(name: str) -> WorkflowDefinition:
        if name not in called:
            raise NotCallable(f"no workflow '{name}' was given with this one{did_you_mean(name, called)}")
        return called[name]

    loaded = parse_workflow(text, catalog, file="<workflow>", working_dir=folder, children=find)
    # It came from no file: none can differ from it later.
    return Loaded(loaded.definition.evolve(source_path=""), loaded.source)


def complete_inputs(definition: WorkflowDefinition, given: Mapping[str, Json]) -> JsonObject:
    """Return the inputs of a run, defaults filled in. A text stays a text: "3" is no number.

    Raises:
        InputsError: names everything that is unknown, missing, of another type, or no JSON.
    """
    from tidegate.workflows.run_inputs import validate_inputs

    values: JsonObject = {}
    problems: list[str] = []
    for name, value in given.items():
        try:
            values[key_text(name, "inputs")] = plain(value, f"inputs.{name}")
        except NotJson as problem:
            problems.append(str(problem))
    if problems:
        raise InputsError(definition.name, tuple(problems))
    return validate_inputs(definition, values, from_text=False)
