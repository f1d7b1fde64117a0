"""What an HttpCall sends, what it makes of the answer, and what it never tells."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from blocks.running import KeptContext, until
from blocks.web import Asked, Reply, Web, json_reply, packed, serve
from tidegate.blocks.base import Completed, Failed, Result
from tidegate.blocks.http_call import HttpCall
from tidegate.model.base import Json, JsonObject
from tidegate.model.policy import FailureKind
from tidegate.model.workflow import Effect


@pytest.fixture
def web() -> Iterator[Web]:
    """A server."""
    with serve() as running:
        yield running


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out what the machine that runs the tests is set to."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


async def call(url: str, **inputs: Json) -> Result:
    """Call a server."""
    return await HttpCall().run({"url": url, **inputs}, KeptContext(Path("/")))


async def completed(url: str, **inputs: Json) -> JsonObject:
    """Call a server that must answer with a success."""
    result = await call(url, **inputs)
    assert isinstance(result, Completed), result
    return result.outputs


async def failed(url: str, **inputs: Json) -> Failed:
    """Make a call that must fail."""
    result = await call(url, **inputs)
    assert isinstance(result, Failed), result
    assert set(result.outputs) in (set(), set(HttpCall.spec.outputs))
    return result


# -- sending ----------------------------------------------------------------------------------


async def test_an_answer_becomes_outputs(web: Web) -> None:
    """JSON is read because the server says that it is JSON."""
    web.replies["/x"] = json_reply({"a": [1, "ö"]})

    outputs = await completed(f"{web.url}/x?b=2", query={"c": "ä &", "d": [1, True]})

    assert outputs["status_code"] == 200
    assert outputs["json"] == {"a": [1, "ö"]}
    assert outputs["body"] == '{"a": [1, "\\u00f6"]}'
    assert outputs["headers"]["content-type"] == "application/json; charset=utf-8"  # type: ignore[index,call-overload]
    assert outputs["success"] is True
    assert set(outputs) == set(HttpCall.spec.outputs)
    assert web.asked[0].path == "/x?b=2&c=%C3%A4+%26&d=1&d=true"
    assert web.asked[0].method == "GET"
    assert "idempotency-key" not in web.asked[0].headers


@pytest.mark.parametrize(
    ("inputs", "body", "kind"),
    [
        ({"json": {"a": "ö"}}, '{"a":"ö"}', "application/json"),
        ({"json": None}, "null", "application/json"),
        ({"body": "plain ö"}, "plain ö", "text/plain; charset=utf-8"),
        ({"form": {"a": "b c", "n": [1, 2]}}, "a=b+c&n=1&n=2", "application/x-www-form-urlencoded"),
        ({"body": "<x/>", "headers": {"content-type": "application/xml"}}, "<x/>", "application/xml"),
    ],
)
async def test_a_body_is_sent_with_its_type(web: Web, inputs: JsonObject, body: str, kind: str) -> None:
    """As JSON, as text or as a form; the file may name another type."""
    web.replies["/"] = Reply(204)

    await completed(f"{web.url}/", method="post", **inputs)

    assert web.asked[0].body.decode() == body
    assert web.asked[0].headers["content-type"] == kind


async def test_a_writing_method_carries_the_idempotency_key(web: Web) -> None:
    """So that a server can know a repeated call; the file may set another one."""
    web.replies["/"] = Reply(204)

    for method in ("POST", "PUT", "PATCH", "DELETE"):
        await completed(f"{web.url}/", method=method)
    await completed(f"{web.url}/", method="POST", headers={"idempotency-key": "mine"})

    assert [asked.headers["idempotency-key"] for asked in web.asked] == ["key_1"] * 4 + ["mine"]


@pytest.mark.parametrize(
    ("inputs", "effect"),
    [
        ({}, Effect.PURE),
        ({"method": "head"}, Effect.PURE),
        ({"method": "OPTIONS"}, Effect.PURE),
        ({"method": "POST"}, Effect.ONCE),
        ({"method": "${how}"}, Effect.ONCE),
    ],
)
def test_the_effect_follows_from_the_method(inputs: JsonObject, effect: Effect) -> None:
    """A method that only a run shows is taken for one that writes."""
    assert HttpCall.spec.effect_with(inputs) is effect


@pytest.mark.parametrize(
    ("inputs", "problem"),
    [
        ({"url": "ftp://x/y"}, "'url' must begin with http:// or https:// and a host"),
        ({"url": "http:///y"}, "'url' must begin with http:// or https:// and a host"),
        ({"url": "http://x/a b"}, "'url' must hold no blank"),
        ({"url": "http://x/\r\nHost: evil"}, "'url' must hold no blank and no control character"),
        ({"url": "http://x:port/"}, "'url' is no URL"),
        (
            {"headers": {"X-A": "1\r\nX-B: 2"}},
            "'headers' gives X-A a line break or a character that no header holds",
        ),
        ({"headers": {"X-A": "1\nX-B: 2"}}, "'headers' gives X-A a line break"),
        ({"headers": {"X A\r\n": "1"}}, "'headers' has 'X A\\r\\n', which is no name of a header"),
        ({"headers": {"Content-Length": "0"}}, "'headers' sets Content-Length, which follows from the body"),
        ({"method": "GETT"}, "'method' must be one of GET, HEAD"),
        ({"json": 1, "body": "x"}, "'json' and 'body' are both given: a call has one body"),
        ({"expect_status": ["2x"]}, "'expect_status' must be statuses like 200, 2xx or 200-204, not '2x'"),
        ({"timeout": "soon"}, "'timeout' is wrong: 'soon' is no time"),
        ({"timeout": 0}, "'timeout' is wrong: '0' must be more than 0"),
        ({"max_bytes": 0}, "'max_bytes' must be a whole number of bytes"),
    ],
)
async def test_wrong_inputs_are_refused_before_anything_is_sent(
    web: Web, inputs: JsonObject, problem: str
) -> None:
    """A value from outside cannot become a header of its own, or another host."""
    result = await failed(**({"url": f"{web.url}/"} | inputs))  # type: ignore[arg-type]  # inputs are JSON

    assert result.failure.kind is FailureKind.INPUTS
    assert result.failure.message.startswith(problem)
    assert web.asked == []


# -- what counts as a success -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "status", "succeeds"),
    [
        ("2xx", 204, True),
        (None, 302, False),
        (None, 500, False),
        ([200, "3xx"], 302, True),
        (["200-204", 404], 404, True),
        (404, 200, False),
    ],
)
async def test_a_status_is_a_success_if_it_was_expected(
    web: Web, expected: Json, status: int, succeeds: bool
) -> None:
    """Two hundred and something, unless the file says otherwise."""
    web.replies["/"] = Reply(status)

    result = await call(f"{web.url}/", **({"expect_status": expected} if expected else {}))

    assert isinstance(result, Completed) == succeeds


async def test_another_status_fails_with_the_whole_answer(web: Web) -> None:
    """What the server says about it is in the outputs."""
    web.replies["/x"] = json_reply({"error": "no"}, 503)

    result = await failed(f"{web.url}/x")

    assert result.failure.kind is FailureKind.STATUS
    assert result.failure.message == f"GET {web.url}/x: 503 Service Unavailable"
    assert result.outputs["status_code"] == 503
    assert result.outputs["json"] == {"error": "no"}
    assert result.outputs["success"] is False


async def test_an_error_to_continue_on_completes_the_block(web: Web) -> None:
    """With a status, and without any answer at all; what cannot be read still fails."""
    web.replies["/x"] = Reply(500, b"oh")
    web.replies["/y"] = Reply(200, b"no json")
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{unused.getsockname()[1]}/"

    answered = await completed(f"{web.url}/x", **{"continue-on-error": True})
    silent = await completed(nobody, continue_on_error=True)
    unreadable = await failed(f"{web.url}/y", parse="json", continue_on_error=True)

    assert (answered["status_code"], answered["success"], answered["body"]) == (500, False, "oh")
    assert (silent["status_code"], silent["success"], silent["body"]) == (0, False, None)
    assert unreadable.failure.kind is FailureKind.OUTPUTS


async def test_nobody_there_is_a_network_failure() -> None:
    """It says whom it did not reach, and how."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/"

    refused = await failed(url)
    unknown = await failed("http://nosuchhost.invalid/")

    assert refused.failure.kind is unknown.failure.kind is FailureKind.NETWORK
    assert refused.failure.message.startswith(f"GET {url}: could not connect (")
    assert unknown.failure.message.startswith("GET http://nosuchhost.invalid/: could not connect (")


async def test_a_connection_that_breaks_is_a_network_failure(web: Web) -> None:
    """Also in the middle of a body."""
    web.replies["/"] = Reply(200, b"half", {"Content-Length": "100"})

    result = await failed(f"{web.url}/")

    assert result.failure.kind is FailureKind.NETWORK
    assert result.failure.message.startswith(f"GET {web.url}/: the connection broke (")


async def test_a_packed_body_that_ends_in_the_middle_is_a_network_failure(web: Web) -> None:
    """What there is of it is not taken for all of it."""
    whole = packed(b"hello " * 100)
    web.replies["/"] = Reply(200, whole.body[:-9], whole.headers)

    result = await failed(f"{web.url}/")

    assert result.failure.kind is FailureKind.NETWORK
    assert result.failure.message == f"GET {web.url}/: the body ends in the middle"


async def test_the_time_is_for_the_whole_call(web: Web) -> None:
    """A server that sends its last byte never has not answered."""
    stall = threading.Event()
    web.replies["/"] = Reply(200, b"abc", stall=stall)

    result = await failed(f"{web.url}/", timeout="200ms")
    stall.set()

    assert result.failure.kind is FailureKind.TIMEOUT
    assert result.failure.message == f"GET {web.url}/: no complete answer within 0.2 s"


async def test_a_cancelled_call_ends_at_once(web: Web) -> None:
    """And leaves no connection."""
    stall = threading.Event()
    web.replies["/"] = Reply(200, b"abc", stall=stall)
    task = asyncio.create_task(call(f"{web.url}/"))
    await until(lambda: bool(web.asked))

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    stall.set()


# -- reading ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "parse", "body", "value"),
    [
        (Reply(200, b"[1]", {"Content-Type": "application/vnd.x+json"}), "auto", "[1]", [1]),
        (Reply(200, b"{", {"Content-Type": "application/json"}), "auto", "{", None),
        (Reply(200, b"[1]", {"Content-Type": "text/plain"}), "auto", "[1]", None),
        (Reply(200, b"[1]", {"Content-Type": "text/plain"}), "json", "[1]", [1]),
        (Reply(200, b"\xef\xbb\xbf[1]"), "json", "\ufeff[1]", [1]),
        (Reply(200, b"\x00\xff", {"Content-Type": "image/png"}), "auto", None, None),
        (Reply(200, b"\xe4", {"Content-Type": "text/plain; charset=latin-1"}), "auto", "ä", None),
        (Reply(200, b"\xff", {"Content-Type": "text/plain; charset=nosuch"}), "text", "\ufffd", None),
        (Reply(200, b"x" * 99), "none", None, None),
        (packed(b"hello"), "auto", "hello", None),
    ],
)
async def test_a_body_is_read_as_the_file_says(
    web: Web, reply: Reply, parse: str, body: str | None, value: Json
) -> None:
    """By itself only what the server says it is; what is neither text nor JSON is null."""
    web.replies["/"] = reply

    outputs = await completed(f"{web.url}/", parse=parse)

    assert (outputs["body"], outputs["json"]) == (body, value)


@pytest.mark.parametrize(
    ("reply", "inputs", "message"),
    [
        (Reply(200, b"nope"), {"parse": "json"}, "the body is no JSON: "),
        (Reply(204), {"parse": "json"}, "the body is empty, and 'parse: json' expects JSON"),
        (Reply(200, b"x" * 11), {"max_bytes": 10}, "the body has more than 10 bytes (max_bytes)"),
        (packed(b"x" * 50_000_000), {}, "the body has more than 4194304 bytes (max_bytes)"),
        (
            Reply(200, b"x", {"Content-Encoding": "br"}),
            {},
            "the body is packed as 'br', which was not asked for",
        ),
        (Reply(200, b"no gzip", {"Content-Encoding": "gzip"}), {}, "the body is not gzip, as it says"),
    ],
)
async def test_a_body_that_cannot_be_used_says_why(
    web: Web, reply: Reply, inputs: JsonObject, message: str
) -> None:
    """A small one that unpacks to a large one is a large one."""
    web.replies["/"] = reply

    result = await failed(f"{web.url}/", **inputs)

    assert result.failure.kind is FailureKind.OUTPUTS
    assert result.failure.message.startswith(f"GET {web.url}/: {message}")


# -- redirects --------------------------------------------------------------------------------


async def test_a_redirect_is_followed_only_if_the_file_says_so(web: Web) -> None:
    """Without that, the failure says where to, and how."""
    web.replies["/a"] = Reply(302, headers={"Location": f"{web.url}/b"})
    web.replies["/b"] = Reply(200, b"here")

    stays = await failed(f"{web.url}/a")
    follows = await completed(f"{web.url}/a", follow_redirects=True, parse="text")

    assert stays.failure.message == (
        f"GET {web.url}/a: 302 Found, to {web.url}/b (`follow_redirects: true` follows it)"
    )
    assert follows["body"] == "here"
    assert follows["url"] == f"{web.url}/b"


async def test_another_server_sees_none_of_the_headers(web: Web) -> None:
    """A key for one server is not given away to whoever it redirects to."""
    with serve() as other:
        other.replies["/"] = Reply(200)
        web.replies["/same"] = Reply(307, headers={"Location": f"{web.url}/away"})
        web.replies["/away"] = Reply(307, headers={"Location": f"{other.url}/"})
        secrets: JsonObject = {"X-Api-Key": "s3cret", "Authorization": "Bearer s3cret", "Accept": "text/x"}

        await completed(f"{web.url}/same", method="POST", follow_redirects=True, headers=secrets)

    assert web.asked[1].headers["x-api-key"] == "s3cret"
    seen = other.asked[0].headers
    assert not {"x-api-key", "authorization", "idempotency-key"} & set(seen)
    assert seen["accept"] == "text/x"


async def test_redirects_in_a_circle_end(web: Web) -> None:
    """As a status that is no success."""
    web.replies["/"] = Reply(302, headers={"Location": "/"})

    result = await failed(f"{web.url}/", follow_redirects=True)

    assert result.failure.kind is FailureKind.STATUS
    assert result.failure.message == f"GET {web.url}/: redirected too often"


# -- secrets and proxies ----------------------------------------------------------------------


async def test_no_credential_is_told(web: Web) -> None:
    """Neither in a failure, nor in the summary, nor in the outputs; the server gets all of them."""
    web.replies["/x"] = Reply(500)
    url = f"http://user:s3cret@127.0.0.1:{web.port}/x?q=1&api_key=s3cret"
    inputs: JsonObject = {"query": {"access_token": "s3cret"}, "headers": {"X-Auth": "s3cret"}}

    result = await failed(url, **inputs)
    summary = HttpCall().summary({"url": url, **inputs})

    shown = f"http://***@127.0.0.1:{web.port}/x?q=1&api_key=***"
    assert result.failure.message == f"GET {shown}&access_token=***: 500 Internal Server Error"
    assert summary == f"GET {shown}"
    assert "s3cret" not in str(result)
    assert web.asked[0].headers["authorization"].startswith("Basic ")
    assert web.asked[0].path == "/x?q=1&api_key=s3cret&access_token=s3cret"


@pytest.mark.parametrize(
    "url", ["http://user:s3 cret@host/", "http:/user:s3cret@host/", "http://[user:s3cret@host/"]
)
async def test_a_url_that_is_none_is_not_repeated(url: str) -> None:
    """Half of it may be a password."""
    result = await failed(url)

    assert "cret" not in result.failure.message
    assert "cret" not in HttpCall().summary({"url": url})


async def test_the_environments_proxy_counts_unless_the_file_says_no(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As every other program on the machine does it."""
    web.replies["/"] = Reply(200, b"direct")
    with serve() as proxy:
        proxy.replies["http://127.0.0.1:1/"] = Reply(200, b"through the proxy")
        proxy.replies[f"{web.url}/"] = Reply(200, b"through the proxy")
        monkeypatch.setenv("HTTP_PROXY", proxy.url)

        through = await completed(f"{web.url}/", parse="text")
        around = await completed(f"{web.url}/", parse="text", trust_env=False)

    assert through["body"] == "through the proxy"
    assert around["body"] == "direct"


async def test_an_echo_of_what_was_sent_is_possible(web: Web) -> None:
    """A HEAD has no body, whatever its headers say."""

    def echo(asked: Asked) -> Reply:
        return Reply(200, b"" if asked.method == "HEAD" else asked.body, {"Content-Encoding": "identity"})

    web.replies["/"] = echo

    head = await completed(f"{web.url}/", method="HEAD", parse="text")
    put = await completed(f"{web.url}/", method="PUT", body="x", parse="text")

    assert (head["body"], put["body"]) == ("", "x")
