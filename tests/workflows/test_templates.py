"""Texts with references, and conditions."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.errors import ExpressionError
from tidegate.model.base import Json
from tidegate.workflows.expressions import BlockView, Names, Scope, compile_condition, compile_text
from tidegate.workflows.templates import MOST_TEXT
from workflows.small_catalog import NAMES, SCOPE


def value_of(text: str) -> Json:
    """Return what *text* is in the run of these tests."""
    return compile_text(text, NAMES).evaluate(SCOPE)


def verdict(text: str) -> bool:
    """Return what the condition *text* decides in the run of these tests."""
    return compile_condition(text, NAMES).evaluate(SCOPE)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("plain", "plain"),
        ("", ""),
        ("${project}", "tide"),
        ("${count}", 3),
        ("${ count }", 3),
        ("${inputs.count}", 3),
        ("${my-input}", "hyphen"),
        ("${items_in[1].key}", "deep"),
        ("${build.exit_code}", 0),
        ("${build.status}", "succeeded"),
        ("${gone.status}", "skipped"),
        ("${build.files['a b'][0]}", "x"),
        ('${build.files["a b"]}', ["x"]),
        ("${blocks.build.stdout}", "NO"),
        ("${blocks.build.outputs.stdout}", "NO"),
        ("${a-b.has-changes}", True),
        ("${blocks['a-b'].has-changes}", True),
        ("${run.id}", "r7"),
        ("${workflow.name}", "demo"),
        ("${absent}", None),
        ("${absent ?? 'x'}", "x"),
        ("${gone.stdout ?? 'it\\'s'}", "it's"),
        ('${gone.stdout ?? [1, {"a": "}"}]}', [1, {"a": "}"}]),
        ("${build.stdout ?? 'unused'}", "NO"),
        ("${build.files.none.deeper ?? null}", None),
        ("${broken.exit_code}", 2),
        ("${{ count + 1 }}", 4),
        ("${{ build.stdout + '}}' }}", "NO}}"),
        ("${{ {'a': [count, null, 1.5]} }}", {"a": [3, None, 1.5]}),
        ("${{ blocks['a-b']['has-changes'] }}", True),
        ("${{ inputs['my-input'] }}", "hyphen"),
        ("${{ items_in.map(x, x == 1) }}", [True, False]),
        ("${{ has(gone.stdout) ? gone.stdout : 'none' }}", "none"),
        ("${{ run.id + workflow.name }}", "r7demo"),
    ],
)
def test_a_text_that_is_one_reference_keeps_its_type(text: str, value: Json) -> None:
    """A list stays a list, a number a number, and NO stays NO."""
    found = value_of(text)

    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a ${project} b", "a tide b"),
        ("${project}${count}", "tide3"),
        ("is ${a-b.has-changes}", "is true"),
        ("see ${build.files}", 'see {"a b":["x"]}'),
        (" ${count}", " 3"),
        ("$${project} costs $5 {x}", "${project} costs $5 {x}"),
        ("$${{ a }}", "${{ a }}"),
        ("n=${{ count * 2 }}!", "n=6!"),
    ],
)
def test_mixed_text_is_text(text: str, value: str) -> None:
    """Numbers, truth values, lists and mappings stand in it as JSON."""
    assert value_of(text) == value


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "${gone.stdout}",
            r"gone.stdout has no value: block 'gone' was skipped \(its condition was false\); write a default: \$\{gone.stdout \?\? 'none'\}",
        ),
        ("${broken.stdout}", "block 'broken' failed without it"),
        ("${waiting.stdout}", "block 'waiting' has not ended"),
        ("${build.nothing}", "block 'build' gave no 'nothing'"),
        ("${build.files.ab}", r"no key 'ab' \(did you mean 'a b'\?\)"),
        ("${items_in[9]}", r"'items_in' has 2 items, so no \[9\]"),
        ("${items_in.x}", "is a list"),
        ("${project.x}", "'project' is no mapping"),
        ("x ${absent}", "has no value"),
        (
            "${{ gone.stdout }}",
            r"gone.stdout has no value: block 'gone' was skipped .*ask first: has\(gone.stdout\)",
        ),
        ("${{ 1 / 0 }}", "division by zero"),
        ("${{ 'x' + 1 }}", "the types do not fit"),
        ("${{ duration('1h') }}", "cannot be stored"),
        ("${{ {1: 2} }}", "a key of the result is a number"),
        ("${{ double('nan') }}", "no number that can be stored"),
        ("${{ project.matches('(') }}", "regex"),
    ],
)
def test_what_has_no_value_is_an_error_and_never_empty_text(text: str, problem: str) -> None:
    """It names the reference, why there is nothing, and how to write a default."""
    template = compile_text(text, NAMES)

    with pytest.raises(ExpressionError, match=problem):
        template.evaluate(SCOPE)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("${projct}", r"'projct' is no input of this workflow \(did you mean 'project'\?\)"),
        ("${bild.stdout}", r"did you mean 'build'"),
        ("${inputs.projct}", "did you mean 'project'"),
        ("${blocks.bild.x}", "did you mean 'build'"),
        ("${build}", "'build' is a block: name one of its outputs"),
        ("${blocks}", "'blocks' alone has no value"),
        ("${run.status}", "'run.status' is known in blocks with 'always: true' only"),
        ("${run.nothing}", r"of 'run' only"),
        ("${workflow.version}", r"only \$\{workflow.name\} is known"),
        ("${secrets.TOKEN}", "'TOKEN' is no secret of this workflow: declare it"),
        ("${item}", "'item' is known in blocks with for_each only"),
        ("${index}", "'index' is known in blocks with for_each or loop only"),
        ("${{ item.name == 'x' }}", "'item' is known in blocks with for_each only"),
        ("${run.failures}", "'run.failures' is known in blocks with 'always: true' only"),
        ("${X:-y}", "is no reference"),
        ("${}", "the reference is empty"),
        ("${a b}", "is no reference"),
        ("${project", "the brace is never closed"),
        ("${project ?? }", "is no value"),
        ("${project ?? NaN}", "is no value"),
        ("${{ }}", "the expression is empty"),
        ("${{ 1 + }}", "this is no expression"),
        ("${{ project = 'x' }}", "write == to compare"),
        ("${{ lenght(project) }}", "there is no function 'lenght'"),
        ("${{ project.startswith('x') }}", "did you mean 'startsWith'"),
        ("${{ a-b.has }}", r"write blocks\['a-b'\]"),
        ("${{ true and false }}", "write &&"),
        ("${{ blocks[project].x }}", "'blocks' alone has no value"),
        ("${{ '${project}' }}", "a reference inside a quoted text is only text"),
        ("${{ ${{ 1 }} }}", "an expression inside an expression"),
        ("${{ " + "(" * 240 + "1" + ")" * 240 + " }}", "nested too deeply"),
        ("${{ " + "1+" * 1200 + "1 }}", "at most 2,000"),
        ("${{ " + "1+" * 400 + "1 }}", "at most 500"),
        ("${{ [1].map(a, [1].map(b, [1].map(c, 1))) }}", "inside each other"),
    ],
)
def test_a_wrong_text_is_refused_before_anything_runs(text: str, problem: str) -> None:
    """What is close is named."""
    with pytest.raises(ExpressionError, match=problem):
        compile_text(text, NAMES)


def test_a_text_knows_which_blocks_it_reads() -> None:
    """So that only their outputs need to be loaded."""
    text = "${build.stdout} ${{ blocks['a-b'].x + gone.stdout + [1].map(broken, broken)[0] }} ${a-b.status}"

    assert compile_text(text, NAMES).blocks == {"build", "a-b", "gone"}


@given(st.text(max_size=30))
def test_evaluated_text_is_never_evaluated_again(value: str) -> None:
    """A value may look like a reference; it stays what it is."""
    scope = Scope({"x": value + "${y}${{ y }}", "y": "secret"}, {}, "r", "w")
    names = Names(frozenset({"x", "y"}), frozenset())

    assert compile_text("${x}", names).evaluate(scope) == value + "${y}${{ y }}"
    assert compile_text("a${x}", names).evaluate(scope) == "a" + value + "${y}${{ y }}"


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("true", True),
        (" ${{ false }}", False),
        ("${build.exit_code} == 0", True),
        ("${flag} == 'true'", False),
        ("${a-b.has-changes}", True),
        ("${{ build.success }}", True),
        ("!${build.success} || ${count} > 2", True),
        ("1 == '1'", False),
        ("${gone.stdout ?? ''} == ''", True),
        ("${gone.status} == 'skipped'", True),
        ("${broken.status} == 'succeeded' && ${broken.stdout} == 'x'", False),
        ("has(gone.stdout)", False),
        ("build.stdout in ['NO', 'no']", True),
        ("'$${x}' == '$' + '{x}'", True),
        ("items_in.exists(x, x == 1) // a comment", True),
        ("items_in.all(x, items_in.exists(y, y == x))", True),
    ],
)
def test_a_condition_is_one_expression_with_a_boolean_result(
    text: str, result: bool
) -> None:  # expected value
    """Each `${}` in it is an operand."""
    assert verdict(text) is result


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "${flag}",
            "condition gave string 'false', expected a boolean: compare it, like \\$\\{flag\\} == 'false'",
        ),
        ("${{ flag }}", "condition gave string 'false'"),
        ("${build.exit_code}", "condition gave number 0"),
        ("${absent}", "condition gave null"),
        ("${build.files}", "condition gave map"),
        ("!${flag}", "the types do not fit"),
        ("${broken.stdout} == 'x'", "block 'broken' failed without it"),
    ],
)
def test_anything_but_a_boolean_fails_the_condition(text: str, problem: str) -> None:
    """No text is true, whatever it says."""
    condition = compile_condition(text, NAMES)

    with pytest.raises(ExpressionError, match=problem):
        condition.evaluate(SCOPE)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("'no'", "condition gave string 'no'"),
        ("null", "condition gave null"),
        ("1", "condition gave number 1"),
        ("", "the condition is empty"),
        ("${{ build.stdout }} == 'yes'", "text stands around"),
        (
            "'${build.stdout}' == 'yes'",
            "a reference inside a quoted text is only text: write it without the quotes: \\$\\{build.stdout\\}",
        ),
        ("${build.stdout} == 'yes", "this is no expression|no input"),
        ("maybe", "'maybe' is no input"),
    ],
)
def test_a_wrong_condition_is_refused_before_anything_runs(text: str, problem: str) -> None:
    """A constant that is no boolean is wrong already in the file."""
    with pytest.raises(ExpressionError, match=problem):
        compile_condition(text, NAMES)


@given(st.text(max_size=40))
def test_a_value_never_becomes_part_of_a_condition(value: str) -> None:
    """Whatever somebody typed is compared as it is."""
    names = Names(frozenset(), frozenset({"ask"}))
    scope = Scope({}, {"ask": BlockView("succeeded", {"input_value": value})}, "r", "w")

    assert compile_condition("${ask.input_value} == 'yes' || false", names).evaluate(scope) is (
        value == "yes"
    )


@given(st.text(alphabet=st.sampled_from("${}'\"ab.?[]0-+!&|=\\ ,()xin"), max_size=30))
def test_no_text_ends_in_anything_but_an_expression_error(text: str) -> None:
    """Whatever is written between braces."""
    for compiled in (compile_text, compile_condition):
        try:
            compiled(text, NAMES).evaluate(SCOPE)
        except ExpressionError as error:
            assert "\n" not in error.problem  # noqa: PT017  # any problem is fine, one line it must be


def test_a_number_that_would_be_rounded_is_refused() -> None:
    """Beyond 64 bits an expression would compare something else."""
    scope = Scope({"n": 2**70}, {}, "r", "w")
    names = Names(frozenset({"n"}), frozenset())

    assert compile_text("${n}", names).evaluate(scope) == 2**70
    with pytest.raises(ExpressionError, match="too large for an expression"):
        compile_condition("${n} > 1", names).evaluate(scope)


def test_expressions_do_not_load_the_command_line_of_their_package() -> None:
    """It costs most of a second; and without an expression nothing of it is loaded at all."""
    code = (
        "import sys\n"
        "from tidegate.workflows.expressions import *\n"
        "names = Names(frozenset({'x'}), frozenset())\n"
        "compile_text('a ${x}', names)\n"
        "assert 'cel' not in sys.modules and 'cel.cel' not in sys.modules\n"
        "assert compile_condition('1 == 1', names).evaluate(Scope({}, {}, '', '')) is True\n"
        "assert 'prompt_toolkit' not in sys.modules\n"
        "import cel\n"
        "assert cel.evaluate('1 + 1') == 2\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)

    assert done.stderr == ""


_THOUSAND: Json = [{"name": str(number), "tags": ["a", "b"]} for number in range(1000)]


@pytest.mark.parametrize(
    "text",
    [
        "${{ x.map(i, x.map(j, j.name)) }}",
        "${{ x.filter(i, x.filter(j, j.name == i.name).size() > 0) }}",
        "${{ x.map(i, x) }}",
        "${{ ${x}.map(i, ${x}) }}",
        "${{ (x + x + x + x + x).map(i, i) }}",
        "${{ (x + x).all(i, x.exists(j, i == j)) }}",
        "${{ long + long + long + long }}",
        "a${long}b${long}",
    ],
)
def test_what_would_take_minutes_or_all_memory_is_refused_before_it_starts(text: str) -> None:
    """Nothing could stop it any more, and nothing else of the process would move; `map` in `map` took 150 s."""
    scope = Scope({"x": _THOUSAND, "long": "l" * (MOST_TEXT + 1)}, {}, "r", "w")
    template = compile_text(text, Names(frozenset({"x", "long"}), frozenset()))

    with pytest.raises(ExpressionError, match=r"let a command do it|through a file"):
        template.evaluate(scope)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${{ x.map(i, i.name)[999] }}", "999"),
        ("${{ x.filter(i, i.name == '7')[0].name }}", "7"),
        ("${{ x.all(i, x.exists(j, i.name == j.name)) }}", True),
        ("${{ x.map(i, i.tags.map(t, t + i.name))[1] }}", ["a1", "b1"]),
        ("${{ size(long + long) }}", 2 * 1024 * 1024),
    ],
)
def test_what_people_do_with_lists_of_a_thousand_goes(text: str, value: Json) -> None:
    """The bound is far from ordinary work."""
    scope = Scope({"x": _THOUSAND, "long": "l" * 1024 * 1024}, {}, "r", "w")

    assert compile_text(text, Names(frozenset({"x", "long"}), frozenset())).evaluate(scope) == value
