"""Writing what a field takes in one's own editor: the terminal is lent, and what was saved comes back."""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tidegate.model.raw_answer import MAX_ANSWER_CHARACTERS
from tui.ptys import OnPty, on_pty

EDITOR = """
import pathlib, sys
path = pathlib.Path(sys.argv[2])
modes = [oct(it.stat().st_mode & 0o777) for it in (path, path.parent)]
pathlib.Path("seen").write_text(f"{sys.argv[1]} {path.name} {modes} {path.read_text()!r}\\n{path}")
print("EDITING", flush=True)
exec(pathlib.Path("script").read_text())
"""
ASK = """
name: ask
blocks:
  - {id: ask, type: GetInput, inputs: {prompt: Which notes?%s}}
  - id: keep
    type: Shell
    depends_on: [ask]
    inputs: {command: printf %%s "$NOTES" > kept, env: {NOTES: "${ask.input_value}"}}
"""
LINES = ", multiline: true"
F4, CTRL_S, CTRL_T = "\x1bOS", "\x13", "\x14"


@contextmanager
def asked(
    folder: Path, script: str = "", *, what: str = LINES, variables: Mapping[str, str] | None = None
) -> Iterator[OnPty]:
    """Open the dialog of a question on a terminal.

    Args:
        folder: Where everything is.
        script: What the editor does with `path`.
        what: Inputs of the block that asks.
        variables: Of the environment, in place of those that name that editor.
    """
    (folder / "ask.yaml").write_text(ASK % what)
    (folder / "script").write_text(script)
    (folder / "editor.py").write_text(EDITOR)
    words = ["-m", "tidegate", "--store", f"sqlite:///{folder}/store.db"]
    subprocess.run([sys.executable, *words, "run", "ask.yaml"], cwd=folder, capture_output=True, check=False)
    editor = {"EDITOR": f"{sys.executable} {folder}/editor.py", "VISUAL": ""}
    with on_pty(words, folder, variables=editor if variables is None else variables) as opened:
        opened.wait_for("Which notes?")
        opened.press("a")
        opened.wait_for("sends it")
        yield opened


def left(folder: Path) -> list[str]:
    """Return what is left of the folders that an editor was given its file in."""
    return [path.name for path in folder.glob("tidegate-*")]


@pytest.mark.parametrize(
    ("what", "name", "written", "kept"),
    [
        (LINES, "text.txt", "one\ntwo\n", "one\ntwo"),
        (LINES, "text.txt", "one\r\n\r\n", "one\n"),
        (", input_type: json", "text.json", '{"a": [1]}\n', '{"a":[1]}'),
        ("", "text.txt", "all of it on one line\n", "all of it on one line"),
    ],
)
def test_what_was_saved_is_in_the_field_and_can_be_sent(
    tmp_path: Path, what: str, name: str, written: str, kept: str
) -> None:
    """It is in a file for us only meanwhile, with what was typed before; nothing of it stays behind."""
    with asked(tmp_path, f"path.write_bytes({written.encode()!r})", what=what) as opened:
        opened.press("12")
        opened.wait_for("12")
        opened.press(F4)
        opened.wait_for("EDITING")
        opened.wait_for(written.split(maxsplit=1)[0])
        facts, _, place = (tmp_path / "seen").read_text().partition("\n")
        assert facts == f"+1 {name} ['0o600', '0o700'] '12'"
        assert not Path(place).parent.exists()
        assert left(tmp_path) == []
        # The last keys of an editor are none of the dialog's: these are dropped.
        opened.press(CTRL_S)
        opened.wait_until(lambda: _send(opened, tmp_path))
    assert (tmp_path / "kept").read_text() == kept


def _send(opened: OnPty, folder: Path) -> bool:
    if not (folder / "kept").exists():
        opened.press(CTRL_S)
    return (folder / "kept").exists() and bool((folder / "kept").read_text())


@pytest.mark.parametrize(
    ("script", "what", "sentence"),
    [
        ("path.write_text('x'); sys.exit(3)", LINES, "the editor ended with exit code 3"),
        (
            "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
            LINES,
            "the editor was ended by signal 15",
        ),
        ("path.unlink()", LINES, "the editor has left no file"),
        ("path.unlink(); path.mkdir()", LINES, "the editor has left no file"),
        ("path.write_bytes(b'caf\\xe9')", LINES, "what was saved is not UTF-8"),
        (
            f"path.write_text('x' * {4 * MAX_ANSWER_CHARACTERS + 1})",
            LINES,
            "what was saved has more than 65,536",
        ),
        (f"path.write_text('x' * {MAX_ANSWER_CHARACTERS + 1})", LINES, "it has 65,537 characters"),
        ("path.write_text('a\\x1bb')", LINES, "it holds control or invisible characters"),
        ("path.write_text('one\\ntwo\\n')", "", "it has 2 lines, and this field takes one line"),
    ],
)
def test_what_cannot_be_taken_is_said_and_the_field_is_as_it_was(
    tmp_path: Path, script: str, what: str, sentence: str
) -> None:
    """In one sentence; no file stays behind whatever the editor has done."""
    with asked(tmp_path, script, what=what) as opened:
        opened.press("draft")
        opened.wait_for("draft")
        opened.press(F4)
        opened.wait_for("EDITING")
        drawn = len(opened.output)
        opened.wait_for(sentence)
        opened.wait_until(lambda: "draft" in opened.output[drawn:])

        assert left(tmp_path) == []


@pytest.mark.parametrize(
    ("editor", "sentence"),
    [
        ("", "no editor is named: set EDITOR, such as EDITOR=vim."),
        ("/no/vi", "/no/vi does not start: No such file or directory."),
        ("vim 'x", "EDITOR is no command: No closing quotation."),
    ],
)
def test_where_there_is_no_editor_it_says_so(tmp_path: Path, editor: str, sentence: str) -> None:
    """And the dialog goes on."""
    with asked(tmp_path, variables={"EDITOR": editor, "VISUAL": ""}) as opened:
        opened.press(F4)
        opened.wait_for(sentence)

        assert left(tmp_path) == []


def test_a_comment_is_written_there_too(tmp_path: Path) -> None:
    """From the answer the key only says where it works."""
    with asked(tmp_path, "path.write_text('because of the fire drill\\n')") as opened:
        opened.press(CTRL_T)
        opened.wait_for("Comment")
        opened.press("why")
        opened.wait_for("why")
        opened.press(F4)
        opened.wait_for("because of the fire drill")

        assert (tmp_path / "seen").read_text().startswith("+1 text.txt ['0o600', '0o700'] 'why'")
