"""Completing words in a shell: quick, quiet, and without a trace."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cli.calling import Tidegate
from cli.sample import Sample


def proposed(tidegate: Tidegate, line: str, **environ: str) -> list[str]:
    """Return what a shell is told that the last word of *line* may become."""
    words = line.split(" ")
    done = tidegate.call(
        COMP_WORDS=line, COMP_CWORD=str(len(words) - 1), _TIDEGATE_COMPLETE="bash_complete", **environ
    )
    assert done.err == ""
    return done.out.split()


def test_commands_and_options_are_proposed(tidegate: Tidegate) -> None:
    """At each level, by their beginning."""
    assert proposed(tidegate, "tidegate ba") == ["plain,backup"]
    assert "plain,verify" in proposed(tidegate, "tidegate checkpoints ")
    assert proposed(tidegate, "tidegate stats --pro") == ["plain,--prometheus"]
    assert proposed(tidegate, "tidegate completion z") == ["plain,zsh"]


def test_ids_and_names_are_proposed(sample: Sample) -> None:
    """Runs, open questions, checkpoints and workflows of the store that the line names, or of the usual one."""
    tidegate = sample.tidegate
    elsewhere = f"tidegate --store {tidegate.store} runs show "

    assert proposed(tidegate, f"tidegate runs show {sample.paused[:4]}") == [f"plain,{sample.paused}"]
    assert len(proposed(tidegate, "tidegate runs show ")) == 3
    assert f"plain,{sample.gate}" in proposed(tidegate, "tidegate answer pause")
    assert proposed(tidegate, "tidegate stats -w f") == ["plain,fails"]
    assert all(word.startswith("plain,chk_") for word in proposed(tidegate, "tidegate checkpoints show chk_"))
    assert f"plain,{sample.failed}" in proposed(tidegate, elsewhere, TIDEGATE_STORE="nowhere.db")
    assert proposed(tidegate, "tidegate blocks Ask") == ["plain,AskChoice", "plain,AskForm"]


def test_a_checkpoint_is_told_by_the_label_that_it_has_now(sample: Sample) -> None:
    """Where a shell shows more than the id: that which somebody gave it last."""
    tidegate = sample.tidegate
    mark = tidegate.call("checkpoints", "list", "--json").document["checkpoints"][0]["checkpoint_id"]
    labelled = tidegate.call("checkpoints", "label", mark, "before the launch")
    done = tidegate.call(
        COMP_WORDS=f"tidegate checkpoints show {mark}", COMP_CWORD=mark, _TIDEGATE_COMPLETE="fish_complete"
    )

    assert labelled.code == 0
    assert done.out.startswith(f"plain,{mark}\t")
    assert done.out.endswith(" before the launch\n")


def test_workflows_are_proposed_beside_files(tidegate: Tidegate) -> None:
    """By the names that `run` knows; the shell adds its own list of files."""
    tidegate.file("release.yaml", "name: release")

    assert proposed(tidegate, "tidegate run re") == ["file,re", "plain,release"]


def test_whatever_is_wrong_nothing_is_said_and_nothing_is_made(tidegate: Tidegate) -> None:
    """No store, a damaged one, a settings file with faults: nothing is proposed."""
    damaged = tidegate.file("damaged.db", "this is no store")
    line = "tidegate runs show "

    assert proposed(tidegate, line, TIDEGATE_STORE="nowhere/x.db") == []
    assert not (tidegate.folder / "nowhere").exists()
    assert proposed(tidegate, line, TIDEGATE_STORE=str(damaged)) == []
    assert proposed(tidegate, line, TIDEGATE_STORE="memory://") == []
    assert proposed(tidegate, line, TIDEGATE_STORE="what://ever") == []
    tidegate.file("tidegate.toml", "stoer = 1")
    assert proposed(tidegate, line) == []
    assert proposed(tidegate, "tidegate nonsense ") == []


def test_looking_leaves_no_trace(sample: Sample) -> None:
    """Neither a log nor an index beside the file that nobody has open."""
    before = sorted(path.name for path in sample.tidegate.folder.iterdir())
    assert proposed(sample.tidegate, "tidegate runs show ")

    assert sorted(path.name for path in sample.tidegate.folder.iterdir()) == before


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_each_shell_is_printed(tidegate: Tidegate, shell: str) -> None:
    """It calls us back; where the shell is at hand, it reads it."""
    done = tidegate.call("completion", shell)

    assert done.code == 0
    assert "_TIDEGATE_COMPLETE" in done.out
    if (program := shutil.which(shell)) is not None:
        read = subprocess.run([program, "-n"], input=done.out, capture_output=True, text=True, check=False)
        assert (read.returncode, read.stderr) == (0, "")


def test_bash_really_completes(sample: Sample) -> None:
    """The whole way: the function of the script, called as bash calls it."""
    script = sample.tidegate.call("completion", "bash").out
    asked = f"""
        {script}
        COMP_WORDS=(tidegate runs show {sample.paused[:4]}); COMP_CWORD=3
        _tidegate_completion tidegate; echo "${{COMPREPLY[@]}}"
    """
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environ = {**sample.tidegate.environ, "PATH": path}
    done = subprocess.run(["bash", "-c", asked], env=environ, capture_output=True, text=True, check=True)

    assert done.stdout.strip() == sample.paused
