"""`tidegate mcp`, as clients meet it: the package's own client, a real process, a real store."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, TextIO, cast

import httpx2
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, ElicitRequestParams, ElicitResult, TextContent

PATIENCE = 20.0
WORKFLOWS = {
    "gate": """
name: gate
inputs:
  who: {type: string, default: you}
blocks:
  - {id: build, type: Shell, inputs: {command: "echo built"}}
  - {id: gate, type: ConfirmOperation, depends_on: [build], inputs: {message: "Go, ${inputs.who}?"}}
  - {id: go, type: Shell, depends_on: [gate], condition: "${gate.confirmed}", inputs: {command: "echo gone >> log"}}
outputs: {shipped: "${gate.confirmed}"}
""",
    "plain": """
name: plain
blocks:
  - {id: one, type: Shell, inputs: {command: "echo 1 >> plain"}}
  - {id: two, type: Shell, depends_on: [one], inputs: {command: "test -e fine"}}
""",
    "slow": """
name: slow
blocks:
  - {id: first, type: Shell, inputs: {command: "echo first >> slow"}}
  - {id: hold, type: Wait, depends_on: [first], inputs: {duration: 2s}}
  - {id: last, type: Shell, depends_on: [hold], inputs: {command: "echo last >> slow"}}
""",
    "form": """
name: form
blocks:
  - id: ask
    type: AskForm
    inputs:
      message: Who, and where?
      fields:
        - {id: full-name, type: string}
        - {id: where, type: choice, choices: [east, west]}
outputs: {who: "${ask.values['full-name']}", where: "${ask.values.where}"}
""",
    "broken": "name: broken\nblocks:\n  - {id: one, type: Shel, inputs: {command: x}}\n",
}


def lay_out(folder: Path) -> Path:
    """Write the workflows of this file into a folder."""
    for name, text in WORKFLOWS.items():
        (folder / f"{name}.yaml").write_text(text)
    return folder


def command(folder: Path, *options: str) -> list[str]:
    """Return how a server is started on the folder's store."""
    return [sys.executable, "-m", "tidegate", "--store", f"sqlite:///{folder}/store.db", "mcp", *options]


async def fill_in(_: Any, params: ElicitRequestParams) -> ElicitResult:
    """Answer as a person would: by what the form asks for."""
    fields = getattr(params, "requested_schema")["properties"]  # noqa: B009 - of one kind of request only
    answers = {"answer": True, "full-name": "Ana M", "where": "west"}
    return ElicitResult(action="accept", content={name: answers[name] for name in fields})


async def decline(_: Any, params: ElicitRequestParams) -> ElicitResult:
    """Say nothing."""
    return ElicitResult(action="decline")


class Connection:
    """A client with a server of its own, in a thread: tests of a file share what takes seconds to start."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.folder = folder
        self._options = options
        self._up = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))

    async def _serve(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        try:
            async with connected(self.folder, **self._options) as self._client:
                self._up.set()
                await self._over.wait()
        finally:
            self._up.set()

    def __enter__(self) -> "Connection":
        self._thread.start()
        assert self._up.wait(PATIENCE)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(PATIENCE)

    def call(self, tool: str, **arguments: Any) -> CallToolResult:
        """Call a tool; return what it says."""
        calling = self._client.call_tool(tool, arguments)
        return asyncio.run_coroutine_threadsafe(calling, self._loop).result(PATIENCE)

    def ask(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool that succeeds; return its fields."""
        result = self.call(tool, **arguments)
        assert not result.is_error, result.content
        return fields(result)

    def refused(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool that refuses; return its fields."""
        result = self.call(tool, **arguments)
        assert result.is_error
        assert "Traceback" not in text(result)
        return fields(result)


@asynccontextmanager
async def connected(folder: Path, **options: Any) -> AsyncIterator[Client]:
    """Start a server, and connect to it over its standard input and output."""
    program, *arguments = command(folder)
    server = StdioServerParameters(command=program, args=arguments, cwd=folder, env=dict(os.environ))
    async with Client(server, **options) as client:
        yield client


def fields(result: CallToolResult) -> dict[str, Any]:
    """Return the fields of a result."""
    assert isinstance(result.structured_content, dict)
    return result.structured_content


def text(result: CallToolResult) -> str:
    """Return the texts of a result."""
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with workflows, and a store that every test of this file uses."""
    return lay_out(tmp_path_factory.mktemp("mcp"))


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[Connection]:
    """A client whose user answers what it is asked."""
    with Connection(folder, elicitation_callback=fill_in) as connection:
        yield connection


# -- the scenarios of the tools' first document -----------------------------------------------------


def test_a_run_goes_on_from_an_automatic_checkpoint(client: Connection) -> None:
    """What failed is tried again; what had ended is not."""
    failed = client.ask("execute_workflow", workflow="plain")
    (client.folder / "fine").touch()
    again = client.ask("resume_workflow", checkpoint_id=failed["checkpoint_id"])

    assert (failed["status"], again["status"]) == ("failure", "success")
    assert failed["message"] == "Workflow execution failed"
    assert "block 'two'" in failed["error"]
    assert (client.folder / "plain").read_text() == "1\n"


def test_a_paused_run_goes_on_with_an_answer(client: Connection) -> None:
    """The result has the fields that tools for such servers know."""
    paused = client.ask("execute_workflow", workflow="gate", inputs={"who": "Ana"})
    done = client.ask("resume_workflow", checkpoint_id=paused["checkpoint_id"], llm_response="yes")

    assert paused["status"] == "paused"
    assert paused["checkpoint_id"].startswith("pause_")
    assert paused["prompt"] == "Go, Ana?"
    assert paused["message"] == "Workflow paused - use resume_workflow to continue"
    assert (done["status"], done["outputs"]) == ("success", {"shipped": True})
    assert done["message"] == "Workflow completed successfully"


@pytest.mark.parametrize("target", ["chk_nothing", "pause_nothing"])
def test_what_is_not_there_cannot_be_resumed(client: Connection, target: str) -> None:
    """And the sentence says why that may be."""
    told = client.refused("resume_workflow", checkpoint_id=target, llm_response="yes")

    assert told["code"] == "not_found"
    assert told["error"] == f"Checkpoint {target} not found. It may have expired or been deleted."


def test_checkpoints_are_listed_all_or_of_one_workflow_with_their_kind(client: Connection) -> None:
    """A question is told apart from what is only there to go on from."""
    paused = client.ask("execute_workflow", workflow="gate")
    client.ask("execute_workflow", workflow="plain")
    everything = client.ask("list_checkpoints")
    of_gate = client.ask("list_checkpoints", workflow_name="gate")["checkpoints"]

    assert everything["total"] == len(everything["checkpoints"]) > len(of_gate)
    assert {entry["workflow"] for entry in everything["checkpoints"]} >= {"gate", "plain"}
    assert {entry["workflow"] for entry in of_gate} == {"gate"}
    [asking] = [entry for entry in of_gate if entry["checkpoint_id"] == paused["checkpoint_id"]]
    assert (asking["type"], asking["is_paused"], asking["pause_prompt"]) == ("pause", True, "Go, you?")
    automatic = [entry for entry in of_gate if entry["type"] == "automatic"]
    assert automatic
    assert not any(entry["is_paused"] for entry in automatic)


def test_a_checkpoint_says_how_far_its_run_was(client: Connection) -> None:
    """Progress counts blocks; values of the run are not spread."""
    paused = client.ask("execute_workflow", workflow="gate", inputs={"who": "hush"})
    info = client.ask("get_checkpoint_info", checkpoint_id=paused["checkpoint_id"])

    assert info["found"]
    assert (info["workflow_name"], info["paused_block_id"]) == ("gate", "gate")
    assert info["completed_blocks"] == ["build"]
    assert (info["current_wave"], info["total_waves"]) == (1, 3)
    assert info["progress_percentage"] == pytest.approx(33.3, abs=0.1)
    assert "runtime_inputs" not in info


def test_of_a_checkpoint_that_is_not_there_nothing_is_said(client: Connection) -> None:
    """`found` is for programs, the sentence for everybody else."""
    told = client.refused("get_checkpoint_info", checkpoint_id="chk_nothing")

    assert told["found"] is False
    assert "chk_nothing not found" in told["error"]


def test_a_checkpoint_is_deleted_once(client: Connection) -> None:
    """Its history stays; that of an open question stays altogether."""
    paused = client.ask("execute_workflow", workflow="gate")
    [mark, *_] = [
        entry["checkpoint_id"]
        for entry in client.ask("list_checkpoints", run_id=paused["run_id"])["checkpoints"]
        if not entry["is_paused"]
    ]

    assert client.ask("delete_checkpoint", checkpoint_id=mark) == {
        "deleted": True,
        "checkpoint_id": mark,
        "message": "Checkpoint deleted successfully",
    }
    assert client.refused("delete_checkpoint", checkpoint_id=mark)["code"] == "not_found"
    in_use = client.refused("delete_checkpoint", checkpoint_id=paused["checkpoint_id"])
    assert (in_use["deleted"], in_use["code"]) == (False, "in_use")


def test_a_server_without_a_store_says_so_and_ends(tmp_path: Path) -> None:
    """In a sentence on standard error; standard output stays the protocol's."""
    (tmp_path / "store.db").mkdir()
    done = subprocess.run(
        command(tmp_path), check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )

    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("tidegate: store sqlite:///")
    assert "Traceback" not in done.stderr


# -- refusals ---------------------------------------------------------------------------------------


def test_refusals_have_a_word_and_a_sentence(client: Connection) -> None:
    """A question needs an answer, an answer a question, and a workflow has to be there."""
    paused = client.ask("execute_workflow", workflow="gate")
    asks = paused["checkpoint_id"]
    missing = client.refused("resume_workflow", checkpoint_id=asks)
    wrong = client.refused("resume_workflow", checkpoint_id=asks, llm_response="perhaps")
    unknown = client.refused("execute_workflow", workflow="../../etc/passwd")
    ended = client.ask("resume_workflow", checkpoint_id=asks, llm_response=True)
    late = client.refused("resume_workflow", checkpoint_id=ended["run_id"], llm_response="yes")
    over = client.refused("resume_workflow", checkpoint_id=ended["run_id"])

    assert missing["code"] == "missing_llm_response"
    assert f"{asks} is paused - llm_response parameter required. Pause prompt: Go, you?" in missing["error"]
    assert wrong["code"] == "invalid_response"
    assert "yes or no" in wrong["error"]
    assert unknown["code"] == "workflow_not_found"
    assert "Available workflows: broken.yaml, form, gate" in unknown["error"]
    assert late["code"] == "not_interactive"
    assert over["code"] == "invalid_resume"
    assert over["error"].startswith(f"Cannot resume checkpoint {ended['run_id']}: ")


def test_inputs_are_checked_before_anything_starts(client: Connection) -> None:
    """Every fault is named; no run comes of it."""
    before = client.ask("list_checkpoints")["total"]

    assert "whom" in client.refused("execute_workflow", workflow="gate", inputs={"whom": 1})["error"]
    assert client.refused("execute_workflow", workflow="broken.yaml")["faults"][0]["line"] == 3
    assert client.ask("list_checkpoints")["total"] == before


def test_a_workflow_is_checked_by_name_or_as_a_text(client: Connection) -> None:
    """Nothing is run; faults have their place."""
    by_name = client.ask("validate_workflow", workflow="gate")
    as_text = client.ask("validate_workflow", source=WORKFLOWS["broken"])

    assert (by_name["valid"], by_name["workflow"]) == (True, "gate")
    assert (as_text["valid"], as_text["faults"][0]["block"]) == (False, "one")
    assert "did you mean 'Shell'" in as_text["faults"][0]["message"]
    assert "either" in client.refused("validate_workflow")["error"]


def test_workflows_are_listed_with_their_inputs(client: Connection) -> None:
    """One with faults is listed as such."""
    listed = {entry["name"]: entry for entry in client.ask("list_workflows")["workflows"]}

    assert listed["gate"]["inputs"][0] | {"choices": None} == {
        "name": "who",
        "type": "string",
        "required": False,
        "default": "you",
        "choices": None,
        "description": "",
    }
    assert not listed["broken.yaml"]["valid"]


# -- questions --------------------------------------------------------------------------------------


def test_foreign_text_is_safe_in_texts_and_unaltered_in_fields(client: Connection) -> None:
    """A name that clears a screen clears none, and is still that name."""
    name = "\x1b[2Jé\u202e"
    result = client.call("execute_workflow", workflow="gate", inputs={"who": name})

    assert fields(result)["prompt"] == f"Go, {name}?"
    assert "\x1b" not in text(result)
    assert "\u202e" not in text(result)
    assert "é" in text(result)


def test_a_question_is_put_to_the_clients_user(client: Connection) -> None:
    """Only if no value is given; a form field by field."""
    gate = client.ask("execute_workflow", workflow="gate")
    form = client.ask("execute_workflow", workflow="form")
    said = client.ask("answer_pause", pause_id=gate["checkpoint_id"])
    filled = client.ask("answer_pause", pause_id=form["checkpoint_id"])

    assert said["outputs"] == {"shipped": True}
    assert filled["outputs"] == {"who": "Ana M", "where": "west"}


def test_a_run_is_looked_at_forked_compared_and_cancelled(client: Connection) -> None:
    """The whole round, with one run."""
    paused = client.ask("execute_workflow", workflow="gate")
    asks = paused["checkpoint_id"]
    seen = client.ask("get_run", run_id=paused["run_id"])
    planned = client.ask("fork_run", point=asks, changes={"inputs.who": "Bo"}, dry_run=True)
    fork = client.ask("fork_run", point=asks, changes={"inputs.who": "Bo"})
    found = client.ask("diff_checkpoints", left=asks, right=fork["run_id"])
    open_ones = client.ask("list_pauses", run_id=fork["run_id"])
    cancelled = client.ask("cancel_run", run_id=fork["run_id"], reason="enough")

    assert (seen["status"], seen["completed_blocks"], seen["total_blocks"]) == ("paused", 1, 3)
    assert planned["edits"][0]["after"] == "Bo"
    assert fork["prompt"] == "Go, Bo?"
    assert fork["forked_from"]["run_id"] == paused["run_id"]
    assert not found["is_same"]
    assert [entry["prompt"] for entry in open_ones["pauses"]] == ["Go, Bo?"]
    assert (cancelled["status"], cancelled["run_status"]) == ("failure", "cancelled")
    assert client.ask("get_run", run_id=paused["run_id"])["status"] == "paused"


# -- several processes ------------------------------------------------------------------------------


def test_of_two_clients_that_answer_one_wins(client: Connection) -> None:
    """The other is told who was faster; what hangs on the answer is done once."""
    log = client.folder / "log"
    with Connection(client.folder, mode="legacy", elicitation_callback=decline) as other:
        paused = client.ask("execute_workflow", workflow="gate")
        asks = paused["checkpoint_id"]
        declined = other.ask("answer_pause", pause_id=asks)
        before = log.read_text().count("gone")
        results: list[CallToolResult] = []
        threads = [
            threading.Thread(
                target=lambda who=who, said=said: results.append(
                    who.call("answer_pause", pause_id=asks, value=said)
                )
            )
            for who, said in ((client, "yes"), (other, "no"))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        shipped = other.ask("get_run", run_id=paused["run_id"], wait_seconds=PATIENCE)["run_status"]

    assert (declined["status"], declined["message"]) == (
        "paused",
        "The user gave no answer - the question stays open",
    )
    [lost] = [result for result in results if result.is_error]
    assert fields(lost)["code"] == "already_answered"
    assert fields(lost)["answered_by"]
    assert log.read_text().count("gone") - before == (1 if shipped == "succeeded" else 0)


def test_a_server_that_is_killed_is_followed_by_another(tmp_path: Path) -> None:
    """What it was at goes on there, from where it was."""
    lay_out(tmp_path)
    with by_hand(tmp_path) as server:
        request(server, 2, "tools/call", name="execute_workflow", arguments={"workflow": "slow"})
        wait_for((tmp_path / "slow").exists)
        server.kill()
    with Connection(tmp_path) as client:
        [mark, *_] = client.ask("list_checkpoints", workflow_name="slow")["checkpoints"]
        done = client.ask("get_run", run_id=mark["run_id"], wait_seconds=PATIENCE)

    assert done["status"] == "success"
    assert (tmp_path / "slow").read_text() == "first\nlast\n"


@pytest.mark.parametrize("ending", ["closed", signal.SIGTERM, signal.SIGINT])
def test_a_server_ends_in_order(tmp_path: Path, ending: str | signal.Signals) -> None:
    """Though a call waits and the client says nothing: what runs is stopped, recorded, and can go on."""
    lay_out(tmp_path)
    with by_hand(tmp_path) as server:
        request(server, 2, "tools/call", name="execute_workflow", arguments={"workflow": "slow"})
        wait_for((tmp_path / "slow").exists)
        if isinstance(ending, signal.Signals):
            server.send_signal(ending)
        else:
            written(server).close()
        code = server.wait(PATIENCE)
    listed = subprocess.run(
        [*command(tmp_path)[:-1], "runs", "list", "--json"], check=True, capture_output=True, text=True
    )

    assert code == 0
    [run] = json.loads(listed.stdout)["runs"]
    assert run["status"] == "interrupted"
    assert (tmp_path / "slow").read_text() == "first\n"


@contextmanager
def by_hand(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Start a server and greet it, without a client that would end it."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command(folder), cwd=folder, stdin=pipe, stdout=pipe, text=True) as server:
        try:
            greeting = {"name": "hand", "version": "1"}
            request(
                server, 1, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=greeting
            )
            assert server.stdout is not None
            assert json.loads(server.stdout.readline())["id"] == 1
            yield server
        finally:
            server.kill()


def request(server: subprocess.Popen[str], number: int, method: str, **params: Any) -> None:
    """Send a request by hand."""
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    written(server).write(json.dumps(message) + "\n")
    written(server).flush()


def written(server: subprocess.Popen[str]) -> TextIO:
    """Return where a server reads from."""
    assert server.stdin is not None
    return cast("TextIO", server.stdin)


def wait_for(condition: Callable[[], bool]) -> None:
    """Return once a condition holds."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


# -- over HTTP --------------------------------------------------------------------------------------


async def test_over_http_only_those_are_served_who_know_the_token(tmp_path: Path) -> None:
    """It listens on this machine's own address; TERM ends it in order, clients or not."""
    token = "not-to-be-guessed-by-anybody"  # noqa: S105 - of this test only
    (tmp_path / "token").write_text(token + "\n")
    (tmp_path / "token").chmod(0o600)
    lay_out(tmp_path)
    server = subprocess.Popen(  # noqa: ASYNC220 - starting one takes no time
        command(tmp_path, "--http", "0", "--token-file", "token"),
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stderr is not None
        url = (await asyncio.to_thread(server.stderr.readline)).split()[-1]
        async with httpx2.AsyncClient() as nobody:
            without = await nobody.post(url, json={})
            wrong = await nobody.post(url, json={}, headers={"Authorization": f"Bearer {token}x"})
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            paused = fields(await client.call_tool("execute_workflow", {"workflow": "gate"}))
            server.terminate()
            code = await asyncio.to_thread(server.wait, PATIENCE)
    finally:
        server.kill()
        server.communicate()

    assert url.startswith("http://127.0.0.1:")
    assert (without.status_code, wrong.status_code) == (401, 401)
    assert "Authorization: Bearer TOKEN" in without.text
    assert paused["status"] == "paused"
    assert code == 0


def test_a_token_that_others_may_read_is_none(tmp_path: Path) -> None:
    """Nothing is served then."""
    (tmp_path / "token").write_text("not-to-be-guessed-by-anybody")
    (tmp_path / "token").chmod(0o644)
    done = subprocess.run(
        command(tmp_path, "--http", "0", "--token-file", str(tmp_path / "token")),
        check=False,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )

    assert done.returncode == 2
    assert "only you may read (chmod 600)" in done.stderr


def test_without_its_package_the_command_says_what_to_install() -> None:
    """And no other command, nor `import tidegate`, loads it."""
    hidden = "import sys; sys.modules['mcp'] = None; from tidegate.cli.main import run; sys.exit(run(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", hidden, "--store", "memory://", "mcp"],
        check=False,
        capture_output=True,
        text=True,
    )
    loads = "import sys, tidegate, tidegate.cli.main, tidegate.cli.run; tidegate.open; print('mcp' in sys.modules)"
    others = subprocess.run([sys.executable, "-c", loads], check=True, capture_output=True, text=True)

    assert done.returncode == 1
    assert "pip install 'tidegate[mcp]'" in done.stderr
    assert others.stdout.strip() == "False"
