"""Tidegate speaks UTF-8, whatever the locale says."""

import json
import os
import subprocess
import sys
from pathlib import Path


def test_a_command_with_umlauts_runs_under_a_plain_c_locale(tmp_path: Path) -> None:
    """As in a container or under cron, where nobody has set a locale."""
    (tmp_path / "wf.yaml").write_text(
        "name: wf\ninputs: {who: {type: string}}\nblocks:\n"
        "  - {id: say, type: Shell, inputs: {command: 'echo grüße an ${who}', env: {NAME: 'Zoë'}}}\n"
        "outputs: {said: '${say.stdout}'}\n",
        encoding="utf-8",
    )
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PATH": os.environ["PATH"]}
    command = [
        sys.executable,
        "-m",
        "tidegate",
        "--store",
        "memory://",
        "run",
        "wf.yaml",
        "-i",
        "who=Jörg",
        "--json",
    ]
    done = subprocess.run(command, cwd=tmp_path, env=plain, capture_output=True, check=False)

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["outputs"] == {"said": "grüße an Jörg"}
