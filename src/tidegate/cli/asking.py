"""A pause as a person reads it at a terminal: what is asked, what is known, what may be said."""

import sys

from tidegate.cli.console import complain, shown_value
from tidegate.clock import iso
from tidegate.errors import InvalidAnswer
from tidegate.model.listing import PauseRow
from tidegate.model.prompt import ChoicePrompt, ConfirmPrompt, InputPrompt, Prompt, RecoveryPrompt

__all__ = ["ask", "question_of"]


def question_of(prompt: Prompt) -> list[str]:
    """Return the lines of a question, and of the evidence that belongs to it. Not yet safe."""
    lines = prompt.text.rstrip().splitlines()
    match prompt:
        case ConfirmPrompt():
            known = {"operation": prompt.operation, **prompt.details}
            lines += [f"{name}: {shown_value(value)}" for name, value in known.items() if value != ""]
        case ChoicePrompt():
            lines += [f"{number}. {choice}" for number, choice in enumerate(prompt.choices, 1)]
        case InputPrompt():
            if prompt.default is not None:
                lines.append(f"default: {prompt.default}")
        case RecoveryPrompt():
            lines += _evidence(prompt)
    return lines


def _evidence(prompt: RecoveryPrompt) -> list[str]:
    lines = [f"started: {iso(prompt.evidence.started_at)}"]
    if prompt.command:
        lines.append(f"command: {prompt.command}")
    if prompt.evidence.last_output:
        lines += ["last output:", *(f"  {line}" for line in prompt.evidence.last_output.splitlines())]
    return lines


def ask(pause: PauseRow) -> str:
    """Ask at the terminal until the answer is one that counts; return it as it was typed.

    Raises:
        InvalidAnswer: there is no terminal, or its person had nothing to say.
    """
    if sys.stdin is None or not sys.stdin.isatty():
        raise InvalidAnswer(f"no answer was given, and there is no terminal to ask at: {pause.prompt.rule}")
    complain(f"{pause.workflow} · run {pause.run_id} · block '{pause.block}'")
    complain("\n".join(question_of(pause.prompt)))
    complain(f"({pause.prompt.rule}; Ctrl-C answers nothing)")
    while True:
        raw = _typed(pause.prompt)
        try:
            pause.prompt.parse(raw)
        except InvalidAnswer as error:
            complain(str(error))
        else:
            return raw


def _typed(prompt: Prompt) -> str:
    """Return what is typed: a line, or for a question that takes several all of them."""
    several = isinstance(prompt, InputPrompt) and prompt.multiline
    if several:
        complain("(several lines; Ctrl-D on an empty line ends them)")
    # On standard error, which is where messages go: standard output may be a file.
    sys.stderr.write("> ")
    sys.stderr.flush()
    text = sys.stdin.read() if several else sys.stdin.readline()
    if not text:
        raise InvalidAnswer("nothing was answered; the pause stays open")
    return text.removesuffix("\n")
