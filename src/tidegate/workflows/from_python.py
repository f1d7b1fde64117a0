"""A workflow that a program builds: the same data as in a file, and the same checks."""

import json
import re
from collections.abc import Mapping
from typing import Any

from tidegate.errors import DefinitionError, Fault
from tidegate.model.catalog import Catalog
from tidegate.model.codec import NotJson, plain
from tidegate.model.workflow import WorkflowDefinition
from tidegate.workflows.calls import NotCallable
from tidegate.workflows.loader import Loaded, parse_workflow
from tidegate.workflows.nearest import did_you_mean

__all__ = ["workflow_from"]

_BREAKS = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")
"""What JSON leaves in a text and YAML reads as something else, or not at all."""


def workflow_from(
    data: Mapping[str, Any],
    catalog: Catalog,
    *,
    working_dir: str,
    children: Mapping[str, WorkflowDefinition] | None = None,
) -> Loaded:
    """Return the workflow that *data* describes, as a file with the same keys would.

    Args:
        data: Mappings, lists, texts, numbers, truth values and None. Text stays text: "NO", "1.10".
        catalog: The block types there are.
        working_dir: Absolute; where its commands run.
        children: The workflows that its blocks call, by the name they call them by.

    Raises:
        DefinitionError: with all faults that can be seen. Lines and columns are those of `Loaded.source`.
    """
    called = children or {}

    def find(name: str) -> WorkflowDefinition:
        if name not in called:
            raise NotCallable(f"no workflow '{name}' was given with this one{did_you_mean(name, called)}")
        return called[name]

    file = f"<{data.get('name', 'workflow')}>"
    loaded = parse_workflow(_as_yaml(data, file), catalog, file=file, working_dir=working_dir, children=find)
    return Loaded(loaded.definition.evolve(source_path=""), loaded.source)


def _as_yaml(data: Mapping[str, Any], file: str) -> str:
    try:
        value = plain(dict(data), "workflow")
    except NotJson as error:
        problem = f"this is no data that a file could hold: {error}"
        raise DefinitionError(file, (Fault(problem),)) from None
    # JSON is YAML in which every text is quoted, so that none is read as anything else.
    text = json.dumps(value, ensure_ascii=False, indent=1)
    return _BREAKS.sub(lambda found: f"\\u{ord(found.group()):04x}", text)
