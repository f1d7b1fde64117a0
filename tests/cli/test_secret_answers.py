"""Answering with a secret on the command line: typed unseen or read, never a word of the command."""

from pathlib import Path

import pytest

from cli.calling import Tidegate
from tidegate.store.keys import new_key

TYPED = "tiger-4711-lily"
WORKFLOW = """
    name: login
    secrets: {token: {answer: gate}}
    blocks:
      - {id: gate, type: GetInput, inputs: {prompt: "One-time code?", input_type: secret}}
      - {id: use, type: Shell, depends_on: [gate], inputs: {command: "wc -c; echo ${gate.input_value}", stdin: "${secrets.token}"}}
    outputs: {said: "${use.stdout}"}
"""


@pytest.fixture
def command(tmp_path: Path) -> Tidegate:
    """Return the command, with a key for its store."""
    return Tidegate(tmp_path, {"TIDEGATE_KEY": new_key()})


def asked(command: Tidegate) -> str:
    """Start a run; return its id once it asks."""
    done = command.call("run", command.file("login.yaml", WORKFLOW), "--json")
    assert done.code == 3, done.err
    return str(done.document["run_id"])


def test_it_is_no_word_of_a_command(command: Tidegate) -> None:
    """Everybody would see it; what is read from standard input is taken, and nothing tells it."""
    run_id = asked(command)
    refused = command.call("answer", run_id, TYPED)
    assert (refused.code, "seen by everybody on the machine" in refused.err) == (2, True)
    for words in (("-",), (TYPED,)):
        looked = command.call("answer", run_id, *words, "--dry-run", stdin=f"{TYPED}\n")
        assert TYPED not in looked.out + looked.err
    too_short = command.call("answer", run_id, "-", stdin="abc")
    assert (too_short.code, "at least 4 characters" in too_short.err) == (2, True)
    done = command.call("answer", run_id, "-", stdin=f"{TYPED}\n")
    assert (done.code, f"{len(TYPED)}" in done.out) == (0, True)
    told = [done, command.call("runs", "show", run_id), command.call("logs", run_id)]
    told.append(command.call("runs", "show", run_id, "--json"))
    assert not [one for one in told if TYPED in one.out + one.err]
    assert "[secret gate]" in told[1].out


def test_it_is_typed_unseen(command: Tidegate) -> None:
    """The terminal shows none of it; what is too short is asked for again."""
    run_id = asked(command)
    done = command.at_terminal("answer", run_id, typed=["abc\n", f"{TYPED}\n"])
    assert done.code == 0, done.out
    assert "at least 4 characters" in done.out
    assert TYPED not in done.out
    assert "abc" not in done.out
