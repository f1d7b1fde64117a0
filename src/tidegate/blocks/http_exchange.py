"""One exchange with a server: what is sent, how much of the answer is read, and what is made of it."""

import asyncio
import codecs
import zlib
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit, urlunsplit

import msgspec

from tidegate.blocks.http_inputs import HttpCallInputs, Method, Parse
from tidegate.blocks.http_words import shown_url
from tidegate.model.base import Json, JsonObject
from tidegate.model.policy import FailureKind

if TYPE_CHECKING:
    # Loaded when the first call is made: it costs a tenth of a second.
    import httpx

__all__ = ["Answer", "NoSuccess", "exchange"]

_WRITING = frozenset({Method.POST, Method.PUT, Method.PATCH, Method.DELETE})
_HARMLESS = frozenset({"accept", "accept-language", "content-type", "user-agent"})
"""Headers of the file that another server may see."""
_GZIP = 16 + zlib.MAX_WBITS


@dataclass(slots=True)
class Answer:
    """What a server answered."""

    status: int = 0
    """0: it did not."""
    url: str = ""
    """Where it came from, as it may be shown."""
    headers: JsonObject = field(default_factory=dict)
    """By name, in lower case."""
    body: str | None = None
    json: Json = None


class NoSuccess(Exception):
    """The call came to nothing."""

    def __init__(self, kind: FailureKind, message: str, answer: Answer | None = None) -> None:
        """Say why; *answer* is what there is of one."""
        super().__init__(message)
        self.kind = kind
        self.answer = answer or Answer()


async def exchange(wanted: HttpCallInputs, key: str) -> Answer:
    """Call the server, and return what it answered.

    Args:
        wanted: Whom to ask what.
        key: The idempotency key, for a method that writes.

    Raises:
        NoSuccess: there was no answer, or none that is a success.
    """
    import httpx

    url = _full_url(wanted)
    what = f"{wanted.method} {shown_url(url)}"
    try:
        async with asyncio.timeout(wanted.timeout):
            return await _exchanged(wanted, url, key)
    except (TimeoutError, httpx.TimeoutException):
        message = f"{what}: no complete answer within {wanted.timeout:g} s"
        raise NoSuccess(FailureKind.TIMEOUT, message) from None
    except httpx.TooManyRedirects:
        raise NoSuccess(FailureKind.STATUS, f"{what}: redirected too often") from None
    except httpx.InvalidURL:
        raise NoSuccess(FailureKind.INPUTS, f"{what}: this is no URL that can be called") from None
    except (httpx.HTTPError, OSError) as error:
        raise NoSuccess(FailureKind.NETWORK, f"{what}: {_network_words(error)}") from None


def _network_words(error: Exception) -> str:
    import httpx

    # Only of these is it known that their text repeats nothing of the request.
    is_safe = isinstance(error, httpx.ConnectError | httpx.ReadError | httpx.RemoteProtocolError | OSError)
    text = (str(error).strip() if is_safe else "") or type(error).__name__
    if isinstance(error, httpx.ProxyError):
        return "the proxy of the environment refuses (`trust_env: false` goes around it)"
    return (
        f"{'could not connect' if isinstance(error, httpx.ConnectError) else 'the connection broke'} ({text})"
    )


async def _exchanged(wanted: HttpCallInputs, url: str, key: str) -> Answer:
    # In a thread: reading the certificates takes some hundredths of a second.
    client = await asyncio.to_thread(_client, wanted)
    async with client:
        body = _body(wanted)
        request = client.build_request(
            str(wanted.method), url, headers=_headers(wanted, key, body), content=body and body[0]
        )
        response = await client.send(request, stream=True, follow_redirects=wanted.follow_redirects)
        try:
            return await _Reading(response, wanted).answer()
        finally:
            await response.aclose()


# -- what is sent -----------------------------------------------------------------------------


def _client(wanted: HttpCallInputs) -> "httpx.AsyncClient":
    import httpx

    own = {name.lower() for name in wanted.headers} | {"idempotency-key"}
    server = _server(httpx.URL(wanted.url))

    async def keep_to_the_server(request: httpx.Request) -> None:
        """Take off what is meant for the server of the file, when another one is redirected to."""
        if _server(request.url) != server:
            for name in own - _HARMLESS:
                request.headers.pop(name, None)

    hooks = {"request": [keep_to_the_server]}
    return httpx.AsyncClient(timeout=wanted.timeout, trust_env=wanted.trust_env, event_hooks=hooks)


def _server(url: "httpx.URL") -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _full_url(wanted: HttpCallInputs) -> str:
    parts = urlsplit(wanted.url)
    query = "&".join(text for text in (parts.query, urlencode(wanted.query, doseq=True)) if text)
    return urlunsplit((parts.scheme, parts.netloc, parts.path, query, ""))


def _headers(wanted: HttpCallInputs, key: str, body: tuple[bytes, str] | None) -> dict[str, str]:
    own = {"User-Agent": "tidegate", "Accept-Encoding": "gzip"}
    if wanted.method in _WRITING:
        own["Idempotency-Key"] = key
    if body is not None:
        own["Content-Type"] = body[1]
    given = {name.lower() for name in wanted.headers}
    return {name: text for name, text in own.items() if name.lower() not in given} | wanted.headers


def _body(wanted: HttpCallInputs) -> tuple[bytes, str] | None:
    """Return what is sent, and its content type."""
    if "content" in wanted.model_fields_set:
        return msgspec.json.encode(wanted.content), "application/json"
    if "form" in wanted.model_fields_set:
        return urlencode(wanted.form, doseq=True).encode(), "application/x-www-form-urlencoded"
    if wanted.body is not None:
        return wanted.body.encode(), "text/plain; charset=utf-8"
    return None


# -- what is read -----------------------------------------------------------------------------


class _Reading:
    """Reads one response."""

    def __init__(self, response: "httpx.Response", wanted: HttpCallInputs) -> None:
        self._response = response
        self._wanted = wanted
        self._answer = Answer(
            response.status_code,
            shown_url(str(response.url)),
            {name.lower(): text for name, text in response.headers.items()},
        )

    async def answer(self) -> Answer:
        """Return the answer, if it is a success."""
        if not self._wanted.is_expected(self._answer.status):
            data, _ = await self._data()
            self._answer.body, self._answer.json = self._text(data), _json_or_none(data)
            raise self._no_success(FailureKind.STATUS, self._status_words())
        if self._wanted.parse is Parse.NONE:
            return self._answer
        data, is_whole = await self._data()
        if not is_whole:
            limit = self._wanted.max_bytes
            raise self._no_success(FailureKind.OUTPUTS, f"the body has more than {limit} bytes (max_bytes)")
        self._parse(data)
        return self._answer

    async def _data(self) -> tuple[bytes, bool]:
        """Return the body as far as it may be kept, and whether that is all of it.

        Unpacked here and not by the client: a few kilobytes can unpack to more than there is memory.
        """
        limit = self._wanted.max_bytes
        unpacker = self._unpacker()
        data = bytearray()
        began = False
        async for part in self._response.aiter_raw():
            began = began or bool(part)
            data += self._unpacked(unpacker, part, limit + 1 - len(data)) if unpacker else part
            if len(data) > limit:
                return bytes(data[:limit]), False
        if unpacker and began and not unpacker.eof:
            raise self._no_success(FailureKind.NETWORK, "the body ends in the middle")
        return bytes(data), True

    def _unpacker(self) -> "zlib._Decompress | None":
        encoding = self._response.headers.get("content-encoding", "identity").lower()
        if encoding in ("", "identity"):
            return None
        if encoding not in ("gzip", "x-gzip"):
            message = f"the body is packed as {encoding!r:.40}, which was not asked for"
            raise self._no_success(FailureKind.OUTPUTS, message)
        return zlib.decompressobj(_GZIP)

    def _unpacked(self, unpacker: "zlib._Decompress", part: bytes, most: int) -> bytes:
        try:
            return unpacker.decompress(part, most)
        except zlib.error:
            raise self._no_success(FailureKind.OUTPUTS, "the body is not gzip, as it says") from None

    def _parse(self, data: bytes) -> None:
        kind = self._response.headers.get("content-type", "").partition(";")[0].strip().lower()
        is_json = kind == "application/json" or kind.endswith("+json")
        wants_text = self._wanted.parse is not Parse.AUTO
        if wants_text or is_json or kind.startswith("text/") or kind.endswith(("xml", "yaml", "javascript")):
            self._answer.body = self._text(data)
        if self._wanted.parse is Parse.JSON:
            self._answer.json = self._json(data)
        elif self._wanted.parse is Parse.AUTO and is_json:
            self._answer.json = _json_or_none(data)

    def _json(self, data: bytes) -> Json:
        try:
            value: Json = msgspec.json.decode(data.removeprefix(codecs.BOM_UTF8))
        except (msgspec.DecodeError, RecursionError) as error:
            why = (
                f"the body is no JSON: {error}"
                if data
                else "the body is empty, and 'parse: json' expects JSON"
            )
            raise self._no_success(FailureKind.OUTPUTS, why) from None
        return value

    def _text(self, data: bytes) -> str:
        try:
            encoding = codecs.lookup(self._response.charset_encoding or "utf-8").name
            return data.decode(encoding, errors="replace")
        except (LookupError, UnicodeError):
            return data.decode(errors="replace")

    def _status_words(self) -> str:
        status = self._answer.status
        try:
            words = f"{status} {HTTPStatus(status).phrase}"
        except ValueError:
            words = str(status)
        following = self._response.next_request
        if following is not None:
            return f"{words}, to {shown_url(str(following.url))} (`follow_redirects: true` follows it)"
        return words

    def _no_success(self, kind: FailureKind, message: str) -> NoSuccess:
        what = f"{self._response.request.method} {self._answer.url}"
        return NoSuccess(kind, f"{what}: {message}", self._answer)


def _json_or_none(data: bytes) -> Json:
    try:
        value: Json = msgspec.json.decode(data.removeprefix(codecs.BOM_UTF8))
    except (msgspec.DecodeError, RecursionError):
        return None
    return value
