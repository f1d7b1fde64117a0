"""Values in shell commands: real shells get exactly the value, as data."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tidegate.errors import ExpressionError
from tidegate.workflows.expressions import BlockView, Names, Scope, bind_shell

NAMES = Names(frozenset({"v", "n", "my-input"}), frozenset({"build", "a-b"}))
SHELLS = [shell for shell in ("sh", "bash") if shutil.which(shell)]
HOSTILE = 'it\'s "x"; $(touch PWNED) `touch PWNED` ${HOME} $HOME \\ * ? [a] {a,b} ~ # ! -rf\n\tEOF\n é 😀 $((1+1)) <(ls)'


def scope(value: str) -> Scope:
    """Return a scope in which everything is *value*."""
    return Scope(
        {"v": value, "my-input": value, "n": 3}, {"build": BlockView("succeeded", {"out": value})}, "r", "w"
    )


def run(shell: str, command: str, value: str, folder: Path) -> str:
    """Run *command* with its references bound to *value* and return what it prints."""
    text, variables = bind_shell(command, NAMES).evaluate(scope(value))
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", **variables}
    done = subprocess.run([shell, "-c", text], check=False, cwd=folder, env=environment, capture_output=True)
    assert done.stderr == b"", (text, done.stderr)
    return done.stdout.decode()


PRINTS_IT = [
    "printf %s ${v}",
    'printf %s "${v}"',
    "printf %s '${v}'",
    "printf %s ${my-input}",
    "printf %s ${{ v + '' }}",
    "printf %s ${build.out ?? 'none'}",
    "printf %s \"$(printf %s ${v}; printf .)\" | sed '$s/.$//'",
    'x=${v}; printf %s "$x"',
    'x="${v}" && printf %s "$x"',
    'export x=${v}; printf %s "$x"',
    "case ${v} in ${v}) printf %s ${v};; *) echo other;; esac",
    'if [ ${v} = ${v} ] && [ -n "${v}x" ]; then printf %s ${v}; fi',
    'f() { printf %s "$1"; }; f ${v}',
    "sh -c 'printf %s \"$1\"' name ${v}",
    'for x in ${v}; do printf %s "$x"; done',
    "{ (printf %s ${v}); }  # a comment with ${v} and it's quote",
    "# it's a comment ${v}\nprintf %s ${v}",
    "printf %s ${v} 2>/dev/null",
    'echo "it\'s" >/dev/null; printf %s ${v}',
    "echo \\' >/dev/null; printf %s ${v}",
    "printf '%s' \\\n  ${v}",
    "echo $(case x in x) echo \"'\";; esac) >/dev/null; printf %s '${v}'",
    "echo \"${X:-'its'}\" >/dev/null; printf %s '${v}'",
    "cat <<EOF >/dev/null\nit's \"${v}\" $(echo ${v})\nEOF\nprintf %s '${v}'",
    "cat <<'EOF' >/dev/null\nit's $x\nEOF\nprintf %s '${v}'",
    "cat <<A <<-B >/dev/null\n'\nA\n\t'\n\tB\nprintf %s '${v}'",
    'echo $$ $# $? >/dev/null; printf %s "$#" >/dev/null; printf %s ${v}',
    "true || echo $((1 + (2 * 3))) ; printf %s ${v}",
]
_BASH_ONLY = [
    'x=(a ${v}); printf %s "${x[1]}"',
    "echo $'it\\'s' >/dev/null; printf %s '${v}'",
    "cat <(printf %s ${v})",
    "cat <<< ${v} | head -c -1",
    "[[ ${v} == ${v} && ${v} == '${v}' ]] && printf %s ${v}",
    "(( 1 + 1 )) && printf %s ${v}",
    "for ((i = 0; i < 1; i++)); do printf %s ${v}; done",
    'declare x=${v}; printf %s "$x"',
]


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("value", [HOSTILE, "", "-rf", "\n\n", "a" * 50_000])
@pytest.mark.parametrize("command", PRINTS_IT)
def test_a_shell_gets_exactly_the_value(shell: str, command: str, value: str, tmp_path: Path) -> None:
    """In every position, whatever the value contains; and nothing of it is run."""
    assert run(shell, command, value, tmp_path) == value
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif("bash" not in SHELLS, reason="needs bash")
@pytest.mark.parametrize("value", [HOSTILE, "-rf", "*", "a\nb", "x[$(touch PWNED)]"])
@pytest.mark.parametrize("command", _BASH_ONLY)
def test_bash_gets_exactly_the_value_in_its_own_syntax(command: str, value: str, tmp_path: Path) -> None:
    """Arrays, here-strings and process substitution."""
    assert run("bash", command, value, tmp_path) == value
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("shell", SHELLS)
def test_a_here_document_gets_the_value(shell: str, tmp_path: Path) -> None:
    """Also when a line of the value is its delimiter."""
    for command in (
        "cat <<EOF\n${v}\nEOF\n",
        "cat <<-EOF\n\t${v}\n\tEOF\n",
        'cat <<EOF\n"$(printf %s ${v})"\nEOF',
    ):
        found = run(shell, command, HOSTILE, tmp_path)

        assert found in {HOSTILE + "\n", f'"{HOSTILE}"\n'}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("shell", SHELLS)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    value=st.text(st.sampled_from("'\"\\$`(){}[]*?~#!&|;<>\n\t -=a0é😀\r%"), max_size=12)
    | st.sampled_from(
        ["$(touch PWNED)", "`touch PWNED`", "'; touch PWNED; '", '"; touch PWNED; "', "${v}", "-rf"]
    ),
    parts=st.tuples(
        st.sampled_from(["", "x", "'y'", '"z"', "\\ ", '"$x"']),
        st.sampled_from(["{0}${{v}}", '{0}"${{v}}"', "{0}'${{v}}'", "{0}'a${{v}}b'", '{0}"a${{v}}b"']),
        st.sampled_from(["", "x", "'y'", '"z"']),
    ),
    around=st.sampled_from(
        ["printf '<%s>' {}", '"$(command -v printf)" "<%s>" {}', "x={}; printf '<%s>' \"$x\""]
    ),
)
def test_no_position_and_no_value_changes_how_a_command_is_read(
    tmp_path: Path, shell: str, value: str, parts: tuple[str, str, str], around: str
) -> None:
    """One argument goes in, and one comes out."""
    before, shape, after = parts
    command = around.format(shape.format(before) + after)
    ordinary = run(shell, command, "SAFE", tmp_path)

    assert run(shell, command, value, tmp_path) == ordinary.replace("SAFE", value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "command",
    [
        "echo ${X} ${X:-y} ${#a[@]} $X ${!x} ${x//a/b} ${arr[0]} ${arr[@]} $(ls) {{.Go}} {# {% %}",
        'echo \\${v} "\\${v}"',
        "awk '{print $1}' file # it's",
        "cat <<'EOF'\n$x ${y}\nEOF\n",
        "a=$((1+2)); ((a++)); echo $[1] `date '+%s'`",
        "case $x in a) b;; (c) d;; esac",
        'echo "unterminated',
        "echo 'unterminated",
        "echo $(",
        "echo ${",
        "echo ${v",
        "cat <<EOF\n`date` $((1)) ${z}",
        "echo ${v:-default} ${v%.txt}",
        "tail\\",
        "x=(a b); echo ${x[@]} $'a\\'b' ${X:-'}'} \"${X:-\"}\"}\"",
        "",
    ],
)
def test_what_is_the_shell_s_own_stays_character_for_character(command: str) -> None:
    """A plain `${X}` of no known name is a variable of the shell."""
    template = bind_shell(command, NAMES)

    assert template.command == command
    assert template.variables == ()


def test_a_literal_reference_can_be_written() -> None:
    """`$${` is a `${` for the shell, everywhere."""
    assert bind_shell("echo $${v} '$${v}' \"$${v}\"", NAMES).command == "echo ${v} '${v}' \"${v}\""


def test_the_same_reference_twice_is_one_variable() -> None:
    """And several texts of one block can be numbered on."""
    template = bind_shell("echo ${v} ${v} ${n}", NAMES, first=4)

    assert template.command == 'echo "${TIDEGATE_VALUE_4}" "${TIDEGATE_VALUE_4}" "${TIDEGATE_VALUE_5}"'
    assert template.evaluate(scope("x"))[1] == {"TIDEGATE_VALUE_4": "x", "TIDEGATE_VALUE_5": "3"}


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("cat <<'EOF'\n${v}\nEOF", "delimiter is quoted ('EOF')"),
        ("cat <<\\EOF\n${v}\nEOF", "delimiter is quoted"),
        ("echo `echo ${v}`", "inside backticks"),
        ('echo "`echo ${v}`"', "inside backticks"),
        ("echo $((${v}+1))", "arithmetic"),
        ('echo "$((${v}+1))"', "arithmetic"),
        ("(( ${v} ))", "arithmetic"),
        ("for ((i=0; i<${v}; i++)); do :; done", "arithmetic"),
        ("echo $[${v}]", "arithmetic"),
        ("[[ ${v} -eq 1 ]]", "arithmetic"),
        ("[[ -n x && 1 -lt ${v} ]]", "arithmetic"),
        ("let x=${v}", "let reads its arguments as code"),
        ("echo ${X:-${v}}", "inside another ${...}"),
        ('echo "${X:-$(echo ${v})}"', "inside another ${...}"),
        ("echo $'${v}'", "inside $'...'"),
        ('echo "${X:-it\'s}" ${v}', "read differently by different shells"),
        ("arr[${v}]=1", "array subscript"),
        ("arr=([${v}]=1)", "array subscript"),
        ("eval echo ${v}", "eval reads its arguments as code"),
        ('"eval" "echo ${v}"', "eval reads its arguments as code"),
        ('eval "$(echo ${v})"', "eval reads its arguments as code"),
        ("true; command eval ${v}", "eval reads its arguments as code"),
        ("function f { eval ${v}; }", "eval reads its arguments as code"),
        ("command -p eval ${v}", "eval reads its arguments as code"),
        ("if eval ${v}; then :; fi", "eval reads its arguments as code"),
        ("case x in x) eval ${v};; esac", "eval reads its arguments as code"),
        (". /dev/stdin <<< ${v}", "reads it as code"),
        ('su ana -c "ls ${v}"', "su reads it as code"),
        ("trap ${v} EXIT", "trap reads its arguments as code"),
        ("unset ${v}", "name of a variable"),
        ("printf -v ${v} x", "name of a variable"),
        ("[ -v ${v} ]", "name of a variable"),
        ("declare ${v}=1", "would evaluate it"),
        ("declare -i x=${v}", "would evaluate it"),
        ('sh -c "echo ${v}"', "sh reads it as code"),
        ("sh -c 'echo ${v}'", "sh reads it as code"),
        ("/bin/bash -euo pipefail -c ${v}", "bash reads it as code"),
        ('bash -lc "echo ${v}"', "bash reads it as code"),
        ("sudo -u x env A=1 bash -c ${v}", "bash reads it as code"),
        ("find . -exec sh -c 'ls ${v}' \\;", "sh reads it as code"),
        ("$SHELL -c ${v}", "$SHELL reads it as code"),
        ("python3 -c \"print('${v}')\"", "python3 reads it as code"),
        ("perl -e '${v}'", "perl reads it as code"),
        ("ssh host ls ${v}", "ssh gives its arguments to a shell"),
        ("bash <<EOF\nls ${v}\nEOF", "read as code"),
        ("ssh host <<EOF\nls ${v}\nEOF", "read as code"),
        ("cat <<EOF | bash\nls ${v}\nEOF", "read as code"),
        ("bash <<< ${v}", "reads it as code"),
        ("echo ${v} | sh", "piped into sh"),
    ],
)
def test_where_a_value_would_be_read_as_code_the_text_is_refused(command: str, why: str) -> None:
    """It says why, and what to do instead."""
    with pytest.raises(ExpressionError) as caught:
        bind_shell(command, NAMES)

    assert why in caught.value.problem
    assert 'use "$NAME"' in caught.value.problem


@pytest.mark.parametrize(
    "command",
    [
        "ping -c ${n} host",
        "grep -c ${v} file",
        "head -c ${n}",
        "bash script.sh ${v}",
        "python3 script.py <<EOF\n${v}\nEOF",
        "bash -c 'echo \"$1\"' name ${v}",
        "echo [${v}]",
        "[ ${n} -eq 1 ]",
        "docker run -c ${n} image",
        "curl ${v} | tar xz",
        "bash script.sh -c ${v}",
        "python3 -m pytest -c ${v}",
    ],
)
def test_what_only_looks_like_it_is_taken(command: str) -> None:
    """A count, a script's argument, a script's input."""
    assert len(bind_shell(command, NAMES).variables) == 1


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("rm -rf /srv/${inputs.typo}/x", "'typo' is no input of this workflow"),
        ("echo ${nosuch.stdout}", "'nosuch' is neither a block nor an input"),
        ("echo ${bild.stdout}", "did you mean 'build'?"),
        ("echo ${X ?? 'a'}", "'X' is no input"),
        ("echo ${build}", "'build' is a block"),
        ("echo ${{ nope }}", "'nope' is no input"),
        ("echo ${{ v }", "the brace is never closed"),
        ("echo ${build.x:-y}", "is no reference"),
        ("echo ${secrets.X}", "'X' is no secret of this workflow"),
        ("$(" * 500 + "${v}", "nested too deeply"),
        ("${x:-" * 500, "nested too deeply"),
    ],
)
def test_a_wrong_reference_never_reaches_the_shell(command: str, problem: str) -> None:
    """It would become an empty text there."""
    with pytest.raises(ExpressionError) as caught:
        bind_shell(command, NAMES)

    assert problem in caught.value.problem


@pytest.mark.parametrize(
    ("value", "problem"),
    [("a\0b", "NUL"), ("x" * 140_000, "pass it in a file"), ("\udcff", "no valid text")],
)
def test_a_value_that_no_environment_can_carry_is_refused(value: str, problem: str) -> None:
    """The system would say no more than 'argument list too long'."""
    with pytest.raises(ExpressionError, match=problem):
        bind_shell("echo ${v}", NAMES).evaluate(scope(value))


def test_values_that_are_no_text_are_json() -> None:
    """As inside any other text."""
    names = Names(frozenset({"a", "b", "c", "d"}), frozenset())
    values = Scope({"a": [1, "é"], "b": True, "c": {"k": None}, "d": None}, {}, "r", "w")

    bound = bind_shell("x ${a} ${b} ${c}", names).evaluate(values)[1]
    assert list(bound.values()) == ['[1,"é"]', "true", '{"k":null}']
    with pytest.raises(ExpressionError, match="has no value"):
        bind_shell("x ${d}", names).evaluate(values)


@given(st.text(st.sampled_from("$${}v'\"\\`()<>EOF\n #;|&[]=case inesac"), max_size=40))
def test_any_text_can_be_read(command: str) -> None:
    """Bound or refused, and never anything else changed."""
    try:
        template = bind_shell(command, NAMES)
    except ExpressionError:
        return
    if not template.variables and "$${" not in command:
        assert template.command == command
