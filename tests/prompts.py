"""Hypothesis strategies: prompts of every kind, and values that answer them."""

from hypothesis import strategies as st

from tidegate.errors import InvalidAnswer
from tidegate.model.base import Json
from tidegate.model.prompt import (
    ChoicePrompt,
    ConfirmPrompt,
    Evidence,
    FieldPrompt,
    FormField,
    FormPrompt,
    InputKind,
    InputPrompt,
    Prompt,
    RecoveryPrompt,
)

__all__ = ["HOSTILE", "answered", "prompts"]

HOSTILE = st.text(
    st.one_of(
        st.sampled_from(
            [*'[]{}",:\\ \n\r\t0123456789eE+-.yesno', "\0", "\ud800", "\u0664", "\x1b", "\u202e"]
        ),
        st.characters(),
    ),
    max_size=60,
)
"""What is typed by accident, or on purpose."""

_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
_WORD = _TEXT.filter(str.strip)
_SCALAR = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    _TEXT,
)
_JSON: st.SearchStrategy[Json] = st.recursive(
    _SCALAR,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=8,
)


def prompts() -> st.SearchStrategy[Prompt]:
    """Return questions of every kind."""
    return st.one_of(_confirms(), _fields(), _forms(), _recoveries())


def answered(prompt: Prompt) -> st.SearchStrategy[Json]:
    """Return values that answer *prompt*, in their canonical form."""
    match prompt:
        case ConfirmPrompt():
            return st.booleans()
        case ChoicePrompt():
            return _chosen(prompt)
        case InputPrompt():
            return _typed(prompt)
        case FormPrompt():
            return st.fixed_dictionaries({field.id: _filled_in(field) for field in prompt.fields})
        case RecoveryPrompt():
            return _decided()


def _decided() -> st.SearchStrategy[Json]:
    outputs = st.dictionaries(_TEXT, _JSON, max_size=2)
    decisions: list[Json] = [{"action": action} for action in ("rerun", "skip", "fail")]
    done: st.SearchStrategy[Json] = outputs.map(lambda known: {"action": "done", "outputs": known})
    return st.sampled_from(decisions) | done


def _confirms() -> st.SearchStrategy[ConfirmPrompt]:
    return st.builds(ConfirmPrompt, message=_WORD)


@st.composite
def _choices(draw: st.DrawFn) -> ChoicePrompt:
    # Numbers, lists and commas among the choices: what a careless reader would take apart.
    tricky = st.sampled_from(
        ["1", "2", "3", "a,b", "a", "b", '["a"]', "[1]", "none", "[]", "[a", "1,2", "a\nb"]
    )
    choices = draw(st.lists(tricky | _WORD, min_size=1, max_size=6, unique_by=str.strip))
    multiple = draw(st.booleans())
    low = draw(st.integers(0, len(choices))) if multiple else 1
    high = draw(st.none() | st.integers(max(low, 1), len(choices))) if multiple else None
    return ChoicePrompt(question="Which?", choices=tuple(choices), multiple=multiple, min=low, max=high)


def _chosen(prompt: ChoicePrompt) -> st.SearchStrategy[Json]:
    if not prompt.multiple:
        return st.sampled_from(prompt.choices)
    indexes = st.sets(st.integers(0, len(prompt.choices) - 1), min_size=prompt.min, max_size=prompt.most)
    return indexes.map(lambda some: [prompt.choices[index] for index in sorted(some)])


@st.composite
def _inputs(draw: st.DrawFn) -> InputPrompt:
    # What is typed as a secret is kept nowhere, so there is nothing to compare it with.
    kind = draw(st.sampled_from([kind for kind in InputKind if kind is not InputKind.SECRET]))
    multiline = kind is InputKind.STRING and draw(st.booleans())
    prompt = InputPrompt(prompt="What?", input_type=kind, multiline=multiline, required=draw(st.booleans()))
    if draw(st.booleans()):
        prompt = prompt.evolve(default=prompt.spell(draw(_typed(prompt.evolve(required=True)))))
    return prompt


def _typed(prompt: InputPrompt) -> st.SearchStrategy[Json]:
    values: dict[InputKind, st.SearchStrategy[Json]] = {
        InputKind.STRING: _TEXT.filter(lambda text: text != ""),
        InputKind.INTEGER: st.integers(-(10**60), 10**60),
        InputKind.NUMBER: st.floats(allow_nan=False, allow_infinity=False),
        InputKind.BOOLEAN: st.booleans(),
        InputKind.DATE: st.dates().map(str),
        InputKind.JSON: _JSON,
    }
    value = values[prompt.input_type]
    if prompt.input_type is InputKind.STRING and not prompt.multiline:
        value = value.filter(lambda text: not {"\n", "\r"} & set(str(text)))
    if prompt.required or prompt.default is not None:
        return value
    return value | st.just("" if prompt.input_type is InputKind.STRING else None)


def _fields() -> st.SearchStrategy[FieldPrompt]:
    return _choices() | _inputs()


@st.composite
def _forms(draw: st.DrawFn) -> FormPrompt:
    ids = draw(st.lists(st.sampled_from(["a", "b_1", "c-d", "_e"]), min_size=1, max_size=4, unique=True))
    return FormPrompt(fields=tuple(draw(_field(name)) for name in ids))


@st.composite
def _field(draw: st.DrawFn, name: str) -> FormField:
    prompt = draw(_fields())
    required = prompt.required if isinstance(prompt, InputPrompt) else draw(st.booleans())
    return FormField(id=name, prompt=prompt, required=required)


def _filled_in(field: FormField) -> st.SearchStrategy[Json]:
    value = answered(field.prompt)
    try:
        return value | st.just(field.left_out())
    except InvalidAnswer:
        return value


def _recoveries() -> st.SearchStrategy[RecoveryPrompt]:
    return st.builds(
        RecoveryPrompt,
        block=_WORD,
        attempt=st.just(1),
        evidence=st.just(Evidence(started_at=0.0)),
        failure=_TEXT,
    )
