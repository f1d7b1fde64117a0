"""References in the braces of other tools: `{{ name }}`.

To Tidegate that is plain text. If what stands inside is a name of the workflow, a reference was
meant, and a person would be asked about "{{ environment }}".
"""

import re
from collections.abc import Iterator

from tidegate.errors import ExpressionError
from tidegate.workflows.references import RawReference, parse_reference
from tidegate.workflows.scope import Names

__all__ = ["foreign_references"]

# `${{ x }}` is an expression, and `{{{ x }}}` no less a template of another tool.
_BRACES = re.compile(r"(?<![$\{])\{\{([^{}]{1,200})\}\}(?!\})")


def foreign_references(text: str, names: Names) -> Iterator[ExpressionError]:
    """Yield a fault for each `{{ path }}` in *text* whose path means something among *names*."""
    for found in _BRACES.finditer(text):
        raw = _path(found.group(1))
        if raw is not None and _is_known(raw, names):
            path = found.group(1).strip()
            problem = f"to Tidegate this is plain text: write ${{{path}}}, or ${{{{ '{{{{' }}}}{path}}}}} for the braces"
            yield ExpressionError(found.group(), problem)


def _path(inside: str) -> RawReference | None:
    try:
        return parse_reference(inside, inside)
    except ExpressionError:
        return None  # such as {{.State}} and {{ range . }}


def _is_known(raw: RawReference, names: Names) -> bool:
    if raw.is_bare:
        return raw.root in names.inputs or names.is_own(raw.root)
    return names.knows(raw.root) or raw.root in {"inputs", "blocks", "state", "secrets"}
