"""Commands put together at random, with hostile values, run by every real shell there is.

Each command is made of places that print what they got, inside of whatever a shell nests, between
lines full of quotes. Either a shell gets exactly the value, or the text is refused.
"""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tidegate.errors import ExpressionError
from tidegate.workflows.expressions import Names, Scope, bind_shell
from workflows.small_catalog import faults_of

NAMES = Names(frozenset({"v"}), frozenset())
SHELLS = [shell for shell in ("sh", "bash") if shutil.which(shell)]
END = "\1"


@dataclass(frozen=True)
class Place:
    """Where a value stands, and what follows it in what is printed."""

    text: str
    after: str = END


PLACES = [
    Place("printf '%s\\001' ${v}"),
    Place("printf '%s\\001' '${v}'"),
    Place('printf "%s\\001" "${v}"'),
    Place("printf '%s\\001' ${{ v + '' }}"),
    Place("printf %s'\\001' ''${v}\"\""),
    Place("printf '%s\\001' \\\n  ${v} # ${v}'s"),
    Place("printf '%s\\001' \"$(printf %s ${v}; printf .)\"", "." + END),
    Place("printf '%s\\001' \"$(printf %s \"$(printf %s '${v}'; printf .)\"x)\"", ".x" + END),
    Place("cat <<EOF\n${v}\nEOF\nprintf '\\001'", "\n" + END),
    Place("cat <<-E\\\nOF\n\t${v}\n\tEOF\nprintf '\\001'", "\n" + END),
    Place("cat <<A; cat <<'B'\n${v}\nA\n'$x\nB\nprintf '\\001'", "\n'$x\n" + END),
    Place("case ${v} in ${v}) printf '%s\\001' ${v};; *) echo other;; esac"),
    Place("case \"${v}\" in ('${v}') printf '%s\\001' '${v}';; esac"),
    Place("x=${v}; printf '%s\\001' \"$x\""),
    Place('x=\'${v}\' y="${v}"; [ "$x" = "$y" ] && printf \'%s\\001\' "$y"'),
    Place("export x=${v}; printf '%s\\001' \"$x\""),
    Place('x=${v} sh -c \'printf "%s\\001" "$x"\''),
    Place('sh -c \'printf "%s\\001" "$1"\' name ${v}'),
    Place("g() { printf '%s\\001' \"$1\"; }; g ${v}"),
    Place("set -- ${v}; printf '%s\\001' \"$@\""),
    Place("for x in ${v}; do printf '%s\\001' \"$x\"; done"),
    Place("if [ x${v} = 'x${v}' ]; then printf '%s\\001' ${v}; fi"),
    Place("printf '%s\\001' ${v} 2>>/dev/null"),
    Place("printf %s ${v} > made/out; cat made/out; printf '\\001'"),
    Place("printf '%s\\001' ${v} | cat | cat"),
]
BASH_PLACES = [
    Place("one=(a ${v}); printf '%s\\001' \"${one[1]}\""),
    Place("two=(); two+=('${v}'); printf '%s\\001' \"${two[0]}\""),
    Place("declare -A map=([k]=${v}); printf '%s\\001' \"${map[k]}\""),
    Place("declare plain=${v}; printf '%s\\001' \"$plain\""),
    Place("cat <<< ${v}; printf '\\001'", "\n" + END),
    Place("cat <(printf %s ${v}); printf '\\001'"),
    Place("[[ ${v} == '${v}' && x${v} = x\"${v}\" && -n x${v} ]] && printf '%s\\001' ${v}"),
    Place("printf '%s\\001' $\"${v}\""),
    Place("for ((i = 0; i < 1; i++)); do printf '%s\\001' ${v}; done"),
]
AROUND = [
    "{0}",
    "{{ {0}\n}}",
    "( {0}\n)",
    "if :; then {0}\nfi",
    "while :; do {0}\nbreak; done",
    "for i in 1; do {0}\ndone",
    "f() {{ {0}\n}}; f",
    "case x in (y) ;; x) {0}\n;; esac",
    'printf %s "$( {0}\n)"',
    "printf %s $( {0}\n) >/dev/null; {0}",
    "! false && {{ {0}\n}}",
    "{{ {0}\n}} 2>&1 | cat",
]
NOISE = [
    "",
    "# it's",
    ': "it\'s"',
    ": '\"' \\' \\\"",
    ": \"${X:-'its'}\" ${X:-\"'\"} ${X#'}'}",
    ': `echo "\'"` $(echo "\'") $(case x in x) echo "\'";; esac)',
    "cat <<'E' >/dev/null\n'\"$(\nE",
    "cat <<E >/dev/null\nit's \\\nE\n\"\nE",
    ": $((1 + (2 << 1))) $$ $# a#b",
    "case x in *\\') ;; esac",
    "cat <<A <<-B >/dev/null\n'\nA\n\t\"\n\tB",
]
VALUES = st.text(
    st.sampled_from("'\"\\$`(){}[]*?~#!&|;<>=\n\t -a0é😀\r%\x1b\u202e"), max_size=12
) | st.sampled_from(
    [
        *("$(touch PWNED)", "`touch PWNED`", "'; touch PWNED; '", '"; touch PWNED; "', "\ntouch PWNED\n"),
        *(
            ")\ntouch PWNED #",
            "EOF\ntouch PWNED\n",
            "x[$(touch PWNED)]",
            "($(touch PWNED))",
            "${v}",
            "-rf",
            "--",
        ),
        *("${TIDEGATE_VALUE_1}", "*", "~", "a" * 100_000),
    ]
)
QUIET = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def run(shell: str, command: str, value: str, folder: Path) -> str:
    """Run *command* with its references bound to *value* and return what it prints."""
    text, variables = bind_shell(command, NAMES).evaluate(Scope({"v": value}, {}, "r", "w"))
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", **variables}
    done = subprocess.run([shell, "-c", text], check=False, cwd=folder, env=environment, capture_output=True)
    assert done.stderr == b"", (text, done.stderr)
    return done.stdout.decode()


def nested(data: st.DataObject, text: str) -> str:
    """Return *text* inside of other syntax, up to three deep."""
    for around in data.draw(st.lists(st.sampled_from(AROUND), max_size=3), label="around"):
        text = around.format(text)
    return text


@pytest.mark.parametrize("shell", SHELLS)
@settings(QUIET, max_examples=40)
@given(value=VALUES, data=st.data())
def test_whatever_is_around_a_value_it_stays_data(
    tmp_path: Path, shell: str, value: str, data: st.DataObject
) -> None:
    """Every place prints exactly the value, and nothing in it is run."""
    (tmp_path / "made").mkdir(exist_ok=True)
    known = PLACES + (BASH_PLACES if shell == "bash" else [])
    lines, expected = [], ""
    for place in data.draw(st.lists(st.sampled_from(known), min_size=2, max_size=5), label="places"):
        lines += [data.draw(st.sampled_from(NOISE), label="noise"), nested(data, place.text)]
        expected += value + place.after

    assert run(shell, "\n".join(lines), value, tmp_path) == expected
    assert [path.name for path in tmp_path.iterdir()] == ["made"]


REFUSED = [
    *("eval echo ${v}", "'ev'al \"${v}\"", "A=(1 2) eval ${v}", "time -p eval ${v}", "{fd}>&1 eval ${v}"),
    *(
        "$'eval' ${v}",
        '$"eval" ${v}',
        "x=1 y[0]=2 eval ${v}",
        "{eval,${v}}",
        "builtin eval ${v}",
        "trap ${v} EXIT",
    ),
    *('eval "$(cat <<EOF\necho ${v}\nEOF\n)"', "compgen -W ${v} x", "alias x=${v}", "let x=${v}"),
    *(
        "echo `echo ${v}`",
        "echo $((${v}+1))",
        "((${v}))",
        "for((i=${v};i<1;i++)); do :; done",
        "echo $[${v}]",
    ),
    *("[[ 1 -lt ${v} ]]", "x[${v}]=1", "x=([${v}]=1)", "printf -v${v} x", "[[ -v ${v} ]]", "unset ${v}"),
    *(
        "declare -a x=${v}",
        "declare 'x=(${v})'",
        "declare -i x=${v}",
        "declare ${v}=1",
        "PS4=${v}",
        "BASH_ENV=${v} ls",
    ),
    *(
        "echo ${X:-${v}}",
        "echo ${X#'${v}'}",
        "echo $'${v}'",
        "cat <<'EOF'\n${v}\nEOF",
        "echo >&${v}",
        "cat <&${v}",
    ),
    *("sh -c 'echo ${v}'", '$(echo sh) -c "${v}"', 'sh -c "$(cat <<EOF\n${v}\nEOF\n)"', "env -S ${v}"),
    *("(echo ${v}) | sh", "{ echo ${v}; } | sh", "for i in 1; do echo ${v}; done | sh", "echo ${v} |& bash"),
    *(
        "echo ${v} | (cd x; sh)",
        "echo ${v} | { read -r x; sh; }",
        'printf ${v} | while read -r l; do eval "$l"; done',
    ),
    *(
        "if :; then echo ${v}; fi |\n sh",
        "cat <<EOF |\n${v}\nEOF\nsh",
        "cat <<< ${v} | sh",
        "{ sh; } <<EOF\n${v}\nEOF",
    ),
    *("echo ${v} | sh /dev/stdin", "echo ${v} | sh -o errexit", "echo ${v} | xargs -I% sh -c 'ls %'"),
    *("sh <(echo ${v})", ". <(echo ${v})", "sh < <(echo ${v})", "echo ${v} | at now"),
    *(
        'sed "s/x/${v}/" f',
        "sed -i -e 's/a/b/' -e '${v}' f",
        "xargs sed -n 's/x/${v}/p'",
        "awk '{print \"${v}\"}' f",
    ),
    *('python3 -c"print(${v})"', "perl -e 1 -e ${v}", "ssh host ls ${v}"),
]


@settings(QUIET, max_examples=150)
@given(refused=st.sampled_from(REFUSED), data=st.data())
def test_nothing_around_it_hides_a_value_that_would_be_read_as_code(
    refused: str, data: st.DataObject
) -> None:
    """In a loop, a function, behind any quotes: what is refused alone is refused there."""
    with pytest.raises(ExpressionError, match="a value cannot"):
        bind_shell(refused, NAMES)
    noise = data.draw(st.sampled_from(NOISE), label="noise")

    with pytest.raises(ExpressionError, match="a value cannot"):
        bind_shell(f"{noise}\n{nested(data, refused)}", NAMES)


@pytest.mark.parametrize("command", REFUSED)
def test_a_refusal_tells_the_place_and_the_way_out(command: str) -> None:
    """The line and the column of the text, and to pass the value through `env`."""
    text = json.dumps(command.replace("${v}", "${s}"))
    block = f"  - id: b\n    type: Shell\n    inputs:\n      command: {text}\n"

    (fault, *_) = faults_of(f"name: w\ninputs: {{s: string}}\nblocks:\n{block}")

    assert fault.startswith("7:")
    assert 'give the value to the block\'s env and use "$NAME" there' in fault


@pytest.mark.parametrize(
    "command",
    [
        "echo ${v} | grep sh",
        "for s in sh bash; do echo ${v}; done | sort",
        "(curl x | sh); echo ${v}",
        "echo ${v}; curl x | sh",
        "if x; then y | sh; fi; echo ${v} | tee f",
        "xargs -I{} cp {} ${v}",
        "printf %s ${v} | xargs sh -c 'ls \"$1\"' x",
        "awk -v x=${v} '{print x}' ${v}",
        "sed -n '1p' ${v}; sed -e 's/a/b/' -- ${v}; sed -f s.sed ${v}",
        "apt-get install tmux screen sed awk ${v}",
        "diff <(echo ${v}) <(ls)",
        "bash x.sh <(echo ${v})",
        "declare x=${v}; local y=${v}; declare -a z=(${v})",
        "time -p make ${v} 2>&1 >${v}",
        "env -u X A=${v} make",
        'while read -r l; do echo "$l"; done <<< ${v}',
        "{ cat; } <<EOF\n${v}\nEOF",
        'curl -sS "$URL" -d ${v}',
    ],
)
def test_ordinary_commands_are_taken(command: str) -> None:
    """What only looks like code is none."""
    assert bind_shell(command, NAMES).variables
