"""What a Python block gives its callable, and what the callable's end makes of the block."""

import ast
import asyncio
import json
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from blocks.running import KeptContext, is_running, pid_in, until
from tidegate.blocks.base import Completed, Failed, Mark, Result
from tidegate.blocks.child import python_child
from tidegate.blocks.python import Python
from tidegate.model.base import Json, JsonObject
from tidegate.model.policy import FailureKind


@pytest.fixture
def context(tmp_path: Path) -> KeptContext:
    """A context whose folder is the test's own."""
    return KeptContext(tmp_path)


def write(context: KeptContext, body: str, name: str = "job.py") -> None:
    """Write a module into the workflow's folder."""
    path = Path(context.working_dir) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(body))


async def call(context: KeptContext, target: str = "job:work", **inputs: Json) -> Result:
    """Call a callable to its end."""
    return await Python(grace=0.5).run({"callable": target, **inputs}, context)


async def completed(context: KeptContext, target: str = "job:work", **inputs: Json) -> JsonObject:
    """Call a callable that must return; return the outputs."""
    result = await call(context, target, **inputs)
    assert isinstance(result, Completed), (result, context.written(2).decode())
    return result.outputs


async def failed(context: KeptContext, target: str = "job:work", **inputs: Json) -> Failed:
    """Call a callable that must fail."""
    result = await call(context, target, **inputs)
    assert isinstance(result, Failed), result
    assert result.outputs.get("result") is None
    return result


# -- calling ----------------------------------------------------------------------------------


async def test_a_function_gets_arguments_and_gives_a_result(context: KeptContext) -> None:
    """What it prints is output, as that of a command; its result is a value of its own."""
    write(
        context, "def work(a, b=1, *, c): print('hi'); return {'sum': a + b, 'c': [c, None, 1.5, 'ö', True]}"
    )

    outputs = await completed(context, args={"a": 2, "c": {"x": "y"}})

    assert outputs["result"] == {"sum": 3, "c": [{"x": "y"}, None, 1.5, "ö", True]}
    assert outputs["stdout"] == "hi"
    assert outputs["success"] is True
    assert set(outputs) == set(Python.spec.outputs)
    assert context.written(1) == b"hi\n"


@pytest.mark.parametrize(
    "target", ["shop.prices:total", "shop.prices.total", "shop.prices:Till.open", "shop.prices:partly"]
)
async def test_a_function_is_found_by_either_spelling(context: KeptContext, target: str) -> None:
    """Also in a package, in a class, and as an object that can be called."""
    write(context, "", "shop/__init__.py")
    write(
        context,
        """
        import functools
        def total(): return 1
        class Till:
            @staticmethod
            def open(): return 1
        partly = functools.partial(int, 1)
        """,
        "shop/prices.py",
    )

    assert (await completed(context, target))["result"] == 1


@pytest.mark.parametrize(
    "body",
    [
        "async def work(): await asyncio.sleep(0); return 5",
        "def work(): return other()\nasync def other(): return 5",
        "class Work:\n  async def __call__(self): return 5\nwork = Work()",
    ],
)
async def test_a_coroutine_is_awaited(context: KeptContext, body: str) -> None:
    """However the function comes to return one."""
    write(context, f"import asyncio\n{body}")

    assert (await completed(context))["result"] == 5


async def test_the_workflows_folder_is_looked_in_first(context: KeptContext) -> None:
    """Also before the standard library; and no module of Tidegate's own stands in the way."""
    write(
        context,
        "def work(): import process, session, sys; return [process.x, session.x, sys.path[0], sys.argv]",
    )
    write(context, "x = 1", "process.py")
    write(context, "x = 2", "session.py")

    assert (await completed(context))["result"] == [1, 2, context.working_dir, ["job:work"]]


async def test_the_environment_is_that_of_a_command(
    context: KeptContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The marks of the run are there, the engine's settings are not; standard input is empty."""
    monkeypatch.setenv("TIDEGATE_STORE", "sqlite:///secret")
    write(context, "import os, sys\ndef work(): return [dict(os.environ), os.getcwd(), sys.stdin.read()]")
    (Path(context.working_dir) / "sub").mkdir()

    outputs = await completed(context, working_dir="sub", env={"A": 1})

    environ, folder, stdin = as_any(outputs["result"])
    assert environ["A"] == "1"
    assert environ["TIDEGATE_RUN_ID"] == "run_1"
    assert environ["TIDEGATE_BLOCK"] == "block_1"
    assert environ["TIDEGATE_ATTEMPT"] == "2"
    assert "TIDEGATE_STORE" not in environ
    assert folder == f"{context.working_dir}/sub"
    assert stdin == ""


def as_any(value: Any) -> Any:
    """Return a result whose shape the test's own callable decided."""
    return value


async def test_another_interpreter_needs_no_tidegate(context: KeptContext) -> None:
    """`-I -S` leaves it with the standard library; the script is enough."""
    write(
        context,
        """
        import importlib.util
        def work(context): return [importlib.util.find_spec(name) for name in ("tidegate", "msgspec")]
        """,
    )
    python = Path(context.working_dir) / "bin/bare"
    python.parent.mkdir()
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "$@"\n')
    python.chmod(0o755)

    assert (await completed(context, python="bin/bare"))["result"] == [None, None]


def test_the_script_is_one_for_old_interpreters() -> None:
    """It holds nothing that Python 3.8 cannot read, and imports the standard library only."""
    source = Path(python_child.__file__).read_text()

    tree = ast.parse(source, feature_version=(3, 8))

    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {alias.name for node in imports if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in imports if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in names} <= sys.stdlib_module_names


# -- what cannot be called --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("jop:work", "there is no module 'jop': looked in {folder}, and in what {python} has installed"),
        ("job:wrok", "module job ({folder}/job.py) has no 'wrok' (did you mean 'work'?)"),
        ("job:text", "job:text ({folder}/job.py) is str, which cannot be called"),
        (
            "needy:work",
            "module needy could not be imported: ModuleNotFoundError: No module named 'nosuchthing'",
        ),
        ("torn:work", "module torn could not be imported: SyntaxError: "),
        ("leaver:work", "module leaver could not be imported: SystemExit: 3"),
    ],
)
async def test_what_cannot_be_found_says_where_it_was_looked_for(
    context: KeptContext, target: str, message: str
) -> None:
    """Nothing was called: that is a start that failed."""
    write(context, "text = 'x'\ndef work(): pass")
    write(context, "import nosuchthing", "needy.py")
    write(context, "def (", "torn.py")
    write(context, "import sys; sys.exit(3)", "leaver.py")

    result = await failed(context, target)

    assert result.failure.kind is FailureKind.START
    assert result.failure.message.startswith(
        message.format(folder=context.working_dir, python=sys.executable)
    )


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({}, "job:work: missing a required argument: 'a'; it is job:work(a, b=1)"),
        ({"a": 1, "c": 2}, "job:work: got an unexpected keyword argument 'c'; it is job:work(a, b=1)"),
    ],
)
async def test_a_wrong_argument_is_told_before_the_call(
    context: KeptContext, args: JsonObject, message: str
) -> None:
    """With what the function takes."""
    write(context, "def work(a, b=1): open('called', 'w')")

    result = await failed(context, args=args)

    assert (result.failure.kind, result.failure.message) == (FailureKind.INPUTS, message)
    assert not (Path(context.working_dir) / "called").exists()


@pytest.mark.parametrize(
    ("inputs", "kind", "message"),
    [
        (
            {"callable": "job"},
            FailureKind.INPUTS,
            "'callable' must be like package.module:function, not 'job'",
        ),
        ({"callable": "a b:c"}, FailureKind.INPUTS, "'callable' must be like package.module:function"),
        ({"callable": "job:work", "args": [1]}, FailureKind.INPUTS, "'args' must be a mapping"),
        ({"callable": "job:work", "code": "1"}, FailureKind.INPUTS, "unknown input 'code'"),
        ({"callable": "job:work", "working_dir": "no"}, FailureKind.START, "working_dir "),
        (
            {"callable": "job:work", "python": "nosuchpython"},
            FailureKind.START,
            "there is no program nosuchpython",
        ),
        ({"callable": "job:work", "python": "no/python"}, FailureKind.START, "/no/python does not exist"),
        (
            {"callable": "job:work", "python": "false"},
            FailureKind.START,
            "false could not run the callable, exit code 1",
        ),
    ],
)
async def test_what_cannot_be_started_says_why(
    context: KeptContext, inputs: JsonObject, kind: FailureKind, message: str
) -> None:
    """Each with what to change."""
    write(context, "def work(): pass")

    result = await Python().run(inputs, context)

    assert isinstance(result, Failed)
    assert result.failure.kind is kind
    assert message in result.failure.message


# -- how it ends ------------------------------------------------------------------------------


async def test_an_exception_fails_the_block(context: KeptContext) -> None:
    """Its sentence is the message; the traceback is in the log, from the callable's own code on."""
    write(context, "def work(): print('before'); inner()\ndef inner(): raise ValueError('no such customer')")

    result = await failed(context)

    assert result.failure.kind is FailureKind.ERROR
    assert result.failure.message == "ValueError: no such customer"
    assert result.outputs["success"] is False
    assert result.outputs["stdout"] == "before"
    log = context.written(2).decode()
    assert "job.py" in log
    assert "in inner" in log
    assert "python_child.py" not in log


@pytest.mark.parametrize(
    ("body", "kind", "message"),
    [
        ("sys.exit(0)", FailureKind.ERROR, "it called sys.exit(0) instead of returning"),
        ("raise KeyboardInterrupt", FailureKind.ERROR, "KeyboardInterrupt"),
        ("os._exit(0)", FailureKind.ERROR, "its process ended before it returned (exit code 0)"),
        ("os._exit(3)", FailureKind.EXIT, "its process ended before it returned (exit code 3)"),
        ("os.kill(os.getpid(), 9)", FailureKind.SIGNAL, "killed by signal 9 (SIGKILL)"),
        ("import ctypes; ctypes.string_at(0)", FailureKind.SIGNAL, "killed by signal 11 (SIGSEGV)"),
        ("work()", FailureKind.ERROR, "RecursionError: "),
        ("os.closerange(0, 64)", FailureKind.EXIT, "its process ended before it returned (exit code 70)"),
        (
            "os.closerange(0, 64); [open('f', 'w') for _ in range(20)] and time.sleep(0)",
            FailureKind.EXIT,
            "its process ended before it returned (exit code 70)",
        ),
        (
            "[os.write(n, b'x' * 9) for n in range(3, 20) if is_socket(n)]",
            FailureKind.ERROR,
            "the callable wrote into the connection to Tidegate",
        ),
        ("raise Nasty", FailureKind.ERROR, "Nasty: (no text)"),
        ("raise ValueError('\\ud800' + 'x' * 5000)", FailureKind.ERROR, "ValueError: \\ud800xxx"),
    ],
)
async def test_every_end_is_told(context: KeptContext, body: str, kind: FailureKind, message: str) -> None:
    """Whatever a callable does to its process, the block ends and says how."""
    write(
        context,
        f"""
        import os, stat, sys, time
        def is_socket(n):
            try: return stat.S_ISSOCK(os.fstat(n).st_mode)
            except OSError: return False
        class Nasty(Exception):
            def __str__(self): raise RuntimeError
        def work():
            {body}
        """,
    )

    result = await failed(context)

    assert result.failure.kind is kind
    assert result.failure.message.startswith(message)
    assert len(result.failure.message) < 1500


async def test_a_flood_of_output_is_no_failure(tmp_path: Path) -> None:
    """300 MB pass through; head and tail are kept."""

    class Forgetful(KeptContext):
        size = 0

        async def emit(self, stream: int, data: bytes) -> None:
            """Count *data*."""
            self.size += len(data) if stream == 1 else 0

    context = Forgetful(tmp_path)
    write(context, "def work():\n  for _ in range(300): print('x' * 1048575)\n  return 'done'")

    outputs = await completed(context)

    assert outputs["result"] == "done"
    assert context.size == 300 * 1048576
    assert len(str(outputs["stdout"])) < 300_000


async def test_a_crash_after_the_result_changes_nothing(context: KeptContext) -> None:
    """The callable has returned; what its process does while it closes down is in the log."""
    write(context, "import atexit, os\ndef work(): atexit.register(os.abort); return 7")

    assert (await completed(context))["result"] == 7


async def test_a_forked_process_tells_nothing(context: KeptContext) -> None:
    """Both come back from the callable; only the first one has a result to give."""
    write(
        context, "import os\ndef work():\n  pid = os.fork()\n  if pid: os.waitpid(pid, 0)\n  return pid > 0"
    )

    assert (await completed(context))["result"] is True


async def test_what_it_leaves_running_is_stopped(context: KeptContext) -> None:
    """A block that has ended leaves nothing behind."""
    write(
        context,
        "import subprocess\ndef work(): return subprocess.Popen(['sleep', '1000']).pid",
    )

    outputs = await completed(context)

    assert not is_running(int(str(outputs["result"])))


# -- the result -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            "{'items': [0, 1, 2, {'price': Decimal(1)}]}",
            "result.items[3].price: Decimal is no JSON: use str or float",
        ),
        ("(1, 2)", "result: tuple is no JSON: use list(...)"),
        ("[{1, 2}]", "result[0]: set is no JSON: use sorted(...)"),
        ("datetime.now()", "result: datetime is no JSON: use .isoformat()"),
        ("b'x'", "result: bytes is no JSON: use .decode(), or base64"),
        ("{'a': float('nan')}", "result.a: nan is no JSON: use None"),
        ("float('-inf')", "result: -inf is no JSON: use None"),
        ("{'a': {1: 2}}", "result.a: the key 1 is int, and keys of JSON are text"),
        ("'\\ud800'", "result: the text holds half of a surrogate pair"),
        ("Point(1)", "result: Point is no JSON: use dataclasses.asdict(...)"),
        ("object()", "result: object is no JSON: use None, true/false, numbers, text, lists and mappings"),
        ("round_and_round()", "result[0][0]"),
        ("2 ** 5000", "result: a number of 5001 bits: use str(...)"),
        ("'x' * (16 * 1024 * 1024)", "result: 16777218 bytes of JSON, at most 16777216 are taken"),
    ],
)
async def test_what_is_no_json_is_named_by_its_path(context: KeptContext, value: str, message: str) -> None:
    """Nothing is turned into something else without a word."""
    write(
        context,
        f"""
        from dataclasses import dataclass
        from datetime import datetime
        from decimal import Decimal
        @dataclass
        class Point:
            x: int
        def round_and_round():
            items = []
            items.append(items)
            return items
        def work(): return {value}
        """,
    )

    result = await failed(context)

    assert result.failure.kind is FailureKind.OUTPUTS
    assert message in result.failure.message


async def test_a_large_result_arrives_whole(context: KeptContext) -> None:
    """15 MB are more than any pipe holds, and come from a process that is gone by then."""
    write(context, "def work(data): return [data, 'ö' * 7_000_000]")

    outputs = await completed(context, args={"data": "x" * 1_500_000})

    assert outputs["result"] == ["x" * 1_500_000, "ö" * 7_000_000]


async def test_kinds_of_text_and_numbers_become_what_they_are(context: KeptContext) -> None:
    """An enumeration's member is its value, an ordered mapping is a mapping."""
    write(
        context,
        """
        import enum, collections
        class Colour(str, enum.Enum): RED = "red"
        class Level(enum.IntEnum): HIGH = 3
        def work(): return collections.OrderedDict(a=Colour.RED, b=Level.HIGH, c=2 ** 70)
        """,
    )

    assert (
        json.dumps((await completed(context))["result"])
        == '{"a": "red", "b": 3, "c": 1180591620717411303424}'
    )


# -- the context ------------------------------------------------------------------------------


async def test_the_context_tells_what_runs(context: KeptContext) -> None:
    """A parameter named `context` gets it, and so does one that is annotated."""
    write(
        context,
        """
        def work(context, a): return [context.run_id, context.block_id, context.attempt, context.idempotency_key, a]
        def noted(here: "PythonContext"): return here.attempt
        def own(context): return context
        """,
    )

    assert (await completed(context, args={"a": 1}))["result"] == ["run_1", "block_1", 2, "key_1", 1]
    assert (await completed(context, "job:noted"))["result"] == 2
    assert (await completed(context, "job:own", args={"context": "mine"}))["result"] == "mine"


async def test_state_goes_back_with_the_result_only(context: KeptContext) -> None:
    """What was set, changed in place or removed becomes the run's; what failed changes nothing."""
    write(
        context,
        """
        def work(context, fails):
            context.state["new"] = 1
            context.state["list"].append(2)
            del context.state["old"]
            if fails: raise ValueError
        """,
    )
    context.state |= {"old": 0, "list": [1], "other": True}
    before = dict(context.state)

    await failed(context, args={"fails": True})
    assert context.state == before

    await completed(context, args={"fails": False})
    assert context.state == {"list": [1, 2], "other": True, "new": 1}


async def test_state_that_is_no_json_fails_the_block(context: KeptContext) -> None:
    """By its path, as the result."""
    write(context, "def work(context): context.state['x'] = (1,)")

    result = await failed(context)

    assert result.failure.kind is FailureKind.OUTPUTS
    assert result.failure.message == "state.x: tuple is no JSON: use list(...)"


async def test_checkpoints_are_marked_with_the_outcome(context: KeptContext) -> None:
    """A label, what belongs to it, or both; none when the callable fails."""
    write(
        context,
        """
        def work(context, fails):
            context.checkpoint("imported", rows=3)
            context.checkpoint({"rows": 4})
            if fails: raise ValueError
        """,
    )

    await failed(context, args={"fails": True})
    assert context.marks == []

    await completed(context, args={"fails": False})
    assert context.marks == [Mark("imported", {"rows": 3}), Mark("block_1", {"rows": 4})]


async def test_progress_is_passed_on(context: KeptContext) -> None:
    """Within 0 and 1, whatever the callable computes."""
    write(context, "def work(context): context.progress(0.5, 'half'); context.progress(7)")

    await completed(context)

    assert context.progress == [(0.5, "half"), (1.0, "")]


STEPS = """
    import pathlib
    def spend(amount):
        with open("spent", "a") as file: file.write(f"{amount}\\n")
        return {"id": amount}
    async def spend_later(amount): return spend(amount)
    def work(context, crash):
        first = context.step("first", spend, 1)
        if crash: import os; os._exit(9)
        return [first, context.step("second", spend, amount=2), context.step("first", spend, 3)]
    async def later(context, crash):
        first = await context.step("first", spend_later, 1)
        if crash: import os; os._exit(9)
        return [first, await context.step("second", spend, amount=2), await context.step("first", spend, 3)]
    """


@pytest.mark.parametrize("target", ["job:work", "job:later"])
async def test_a_step_is_done_once_across_attempts(context: KeptContext, target: str) -> None:
    """It is durable before the callable goes on: a crash right after it does not repeat it."""
    write(context, STEPS)

    crashed = await failed(context, target, args={"crash": True})
    outputs = await completed(context, target, args={"crash": False})

    assert crashed.failure.exit_code == 9
    assert outputs["result"] == [{"id": 1}, {"id": 2}, {"id": 1}]
    assert (Path(context.working_dir) / "spent").read_text() == "1\n2\n"
    assert context.steps == {"first": {"id": 1}, "second": {"id": 2}}


async def test_a_step_waits_until_it_is_durable(tmp_path: Path) -> None:
    """The callable does not go on while the journal has not got it."""
    durable = asyncio.Event()

    class Slow(KeptContext):
        async def record_step(self, key: str, value: Json) -> None:
            """Keep the result once the test lets it."""
            await durable.wait()
            await super().record_step(key, value)

    context = Slow(tmp_path)
    write(
        context,
        "def work(context):\n  context.step('a', lambda: open('began', 'w') and 1)\n  open('after', 'w')",
    )
    task = asyncio.create_task(call(context))
    await until((tmp_path / "began").exists)
    assert not (tmp_path / "after").exists()

    durable.set()
    result = await task

    assert isinstance(result, Completed)
    assert (tmp_path / "after").exists()


async def test_a_journal_that_cannot_be_written_ends_the_callable(tmp_path: Path) -> None:
    """Its error is the engine's to handle, and nothing of the callable goes on."""

    class Broken(KeptContext):
        async def record_step(self, key: str, value: Json) -> None:
            """Fail, as a full disk does."""
            raise OSError("disk full")

    context = Broken(tmp_path)
    write(
        context,
        """
        import os, time
        def work(context):
            open("pid", "w").write(f"{os.getpid()}\\n")
            context.step("a", int)
            open("after", "w")
        """,
    )

    with pytest.raises(OSError, match="disk full"):
        await call(context)

    assert not is_running(pid_in(tmp_path / "pid"))
    assert not (tmp_path / "after").exists()


async def test_a_step_without_a_name_or_with_no_json_is_refused(context: KeptContext) -> None:
    """Inside the callable, where it can be seen."""
    write(
        context,
        """
        def work(context):
            try: context.step("", int)
            except ValueError as error: print(error)
            context.step("a", tuple)
        """,
    )

    result = await failed(context)

    assert result.failure.message == "step 'a': tuple is no JSON: use list(...)"
    assert "the key of a step is a text" in str(result.outputs["stdout"])
    assert context.steps == {}


# -- being ended ------------------------------------------------------------------------------


async def _cancelled(context: KeptContext, target: str) -> float:
    """Cancel a callable that has written its pid; return how many seconds its end took."""
    pid = Path(context.working_dir) / "pid"
    task = asyncio.create_task(call(context, target))
    await until(lambda: pid_in(pid) > 0)
    began = asyncio.get_running_loop().time()

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert not is_running(pid_in(pid))
    return asyncio.get_running_loop().time() - began


WAITERS = """
    import asyncio, os, time
    def note(): open("pid", "w").write(f"{os.getpid()}\\n")
    def plain(): note(); time.sleep(1000)
    def looking(context):
        note()
        while not context.cancelled: time.sleep(0.01)
        open("tidy", "w")
    def stuck(context):
        note()
        while True: time.sleep(1000)
    async def waiting():
        note()
        try: await asyncio.sleep(1000)
        finally: open("tidy", "w")
    def child(): import subprocess; note(); subprocess.run(["sleep", "1000"])
    """


@pytest.mark.parametrize(
    ("target", "tidies"),
    [
        ("job:plain", False),
        ("job:looking", True),
        ("job:stuck", False),
        ("job:waiting", True),
        ("job:child", False),
    ],
)
async def test_a_cancelled_callable_is_dead_when_the_block_ends(
    context: KeptContext, target: str, tidies: bool
) -> None:
    """One that looks, or can be cancelled, tidies up first; one that does neither is killed."""
    write(context, WAITERS)

    seconds = await _cancelled(context, target)

    assert (Path(context.working_dir) / "tidy").exists() == tidies
    assert seconds < 5


async def test_no_descriptor_stays_open(context: KeptContext) -> None:
    """Neither after a result, nor after a start that failed."""
    write(context, "def work(): return 1")
    await completed(context)
    before = len(list(Path("/dev/fd").iterdir()))

    await completed(context)
    await failed(context, python="nosuchpython")
    await failed(context, python="false")

    assert len(list(Path("/dev/fd").iterdir())) == before


def test_a_call_is_recognised_by_a_person() -> None:
    """In one bounded line."""
    block = Python()

    assert (
        block.summary({"callable": "job:work", "args": {"a": "x\ny", "b": 2}}) == r"job:work(a='x\ny', b=2)"
    )
    assert len(block.summary({"callable": "job:work", "args": {str(n): "x" * 900 for n in range(90)}})) == 200
    assert set(block.presumed()) == set(Python.spec.outputs)
