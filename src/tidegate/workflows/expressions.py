"""Texts with references and expressions: compiled once, evaluated without `eval`, typed.

The door to everything about `${...}`. A text is split into parts, each part is resolved among the
names of its workflow, and what a part evaluates to is never read as a text with references again.
"""

from tidegate.workflows.cel_programs import CelExpression
from tidegate.workflows.references import Reference
from tidegate.workflows.scope import BlockView, Names, Scope
from tidegate.workflows.shell_text import ShellTemplate, bind_shell
from tidegate.workflows.templates import Condition, Template, compile_condition, compile_text
from tidegate.workflows.text_parts import has_reference

__all__ = [
    "BlockView",
    "CelExpression",
    "Condition",
    "Names",
    "Reference",
    "Scope",
    "ShellTemplate",
    "Template",
    "bind_shell",
    "compile_condition",
    "compile_text",
    "has_reference",
]
