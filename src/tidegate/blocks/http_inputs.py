"""What an HttpCall takes."""

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Annotated, TypeAlias
from urllib.parse import urlsplit

from pydantic import AliasChoices, BeforeValidator, Field

from tidegate.blocks.checks import Flag, Inputs, MaybeText, describe, word_of, wrong
from tidegate.blocks.input_docs import Kind
from tidegate.blocks.input_types import ByteCount, Duration, scalars
from tidegate.model.base import Json
from tidegate.model.catalog import InputProblem
from tidegate.model.workflow import Effect

__all__ = ["HttpCallInputs", "Method", "Parse", "effect_of_method"]

_MIB = 1024 * 1024
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_UNSEEN = re.compile(r"[\x00-\x20\x7f]")
_RANGE = re.compile(r"([1-5])xx|([1-5][0-9]{2})(?:-([1-5][0-9]{2}))?")
_CLIENTS_OWN = frozenset({"content-length", "transfer-encoding", "connection"})
_READING = frozenset({"GET", "HEAD", "OPTIONS"})


class Method(StrEnum):
    """What is asked of the server."""

    GET = "GET"
    HEAD = "HEAD"
    OPTIONS = "OPTIONS"
    POST = "POST"
    PUT = "PUT"
    PATCH = "PATCH"
    DELETE = "DELETE"


class Parse(StrEnum):
    """What is made of the answer's body."""

    AUTO = "auto"
    JSON = "json"
    TEXT = "text"
    NONE = "none"


def effect_of_method(inputs: Mapping[str, Json]) -> Effect:
    """Return what running a call twice would do; a method that only a run shows may be any."""
    method = inputs.get("method", "GET")
    return Effect.PURE if isinstance(method, str) and method.upper() in _READING else Effect.ONCE


def _method(value: object) -> object:
    return value.upper() if isinstance(value, str) else value


def _url(value: object) -> object:
    # Never the whole of it: there may be a password in it.
    if not isinstance(value, str):
        raise wrong(f"must be text, not {describe(value)}")
    if _UNSEEN.search(value):
        raise wrong("must hold no blank and no control character: write %20 for a blank")
    try:
        parts = urlsplit(value)
        found = parts.hostname, parts.port
    except ValueError as error:
        raise wrong("is no URL: its host or its port is wrong") from error
    if parts.scheme.lower() not in ("http", "https") or not found[0]:
        raise wrong("must begin with http:// or https:// and a host")
    return value


_read_headers = scalars("header", names=_TOKEN)


def _headers(value: object) -> object:
    headers = _read_headers(value)
    for name, text in headers.items():
        if name.lower() in _CLIENTS_OWN:
            raise wrong(f"sets {name}, which follows from the body and the connection: leave it out")
        if not (text.isascii() and text.replace("\t", " ").isprintable()):
            raise wrong(f"gives {name} a line break or a character that no header holds")
    return headers


_read_parameter = scalars("parameter")


def _parameters(value: object) -> object:
    if not isinstance(value, Mapping):
        raise wrong(f"must be a mapping of names to values, not {describe(value)}")
    return {name: _parameter(name, item) for name, item in value.items()}


def _parameter(name: object, value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list) else [value]
    return tuple(_read_parameter({name: item})[str(name)] for item in items)


def _statuses(value: object) -> object:
    items = value if isinstance(value, list | tuple) else [value]
    if not items:
        raise wrong("must name at least one status")
    return tuple(_status(item) for item in items)


def _status(item: object) -> tuple[int, int]:
    match = _RANGE.fullmatch(str(item).strip()) if isinstance(item, str | int) else None
    if match is None:
        raise wrong(f"must be statuses like 200, 2xx or 200-204, not {describe(item)}")
    hundred, low, high = match.groups()
    if hundred:
        return int(hundred) * 100, int(hundred) * 100 + 99
    return int(low), int(high or low)


Form: TypeAlias = Annotated[dict[str, tuple[str, ...]], BeforeValidator(_parameters), Kind("mapping")]


class HttpCallInputs(Inputs):
    """What to ask of whom, and what counts as an answer."""

    url: Annotated[str, BeforeValidator(_url)]
    """Where: http or https. Everyone sees its path; a secret belongs in a header, or in a parameter named like one."""
    method: Annotated[Method, word_of(Method), BeforeValidator(_method)] = Method.GET
    """What is asked. A writing method (POST, PUT, PATCH, DELETE) is never repeated after a crash without asking."""
    headers: Annotated[dict[str, str], BeforeValidator(_headers), Kind("mapping")] = {}
    """Headers by name. A writing method gets an `Idempotency-Key`, unless there is one here."""
    query: Form = {}
    """Parameters that are added to the URL; a list gives one of each."""
    content: Json = Field(default=None, validation_alias="json")
    """A value that is sent as JSON."""
    body: MaybeText = None
    """Text that is sent as it is."""
    form: Form = {}
    """Fields that are sent as an HTML form sends them."""
    timeout: Duration = 30.0
    """For the whole call, redirects and body included."""
    follow_redirects: Flag = False
    """Whether a redirect is followed; headers of this block go to the same server only."""
    expect_status: Annotated[
        tuple[tuple[int, int], ...], BeforeValidator(_statuses), Kind("list of statuses", default="2xx")
    ] = ((200, 299),)
    """Which statuses are a success, like 200, 2xx or 200-204."""
    parse: Annotated[Parse, word_of(Parse)] = Parse.AUTO
    """What is made of the body; `auto` goes by the content type, `none` reads no body."""
    max_bytes: ByteCount = 4 * _MIB
    """A larger body is a failure."""
    trust_env: Flag = True
    """Whether HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY and SSL_CERT_FILE of Tidegate's environment count."""
    continue_on_error: Flag = Field(
        default=False, validation_alias=AliasChoices("continue-on-error", "continue_on_error")
    )
    """Whether a call without success completes the block, with `success` false; without an answer, `status_code` is 0."""

    def conflicts(self) -> Iterator[InputProblem]:
        """Yield what is wrong between inputs."""
        bodies = {"content": "json", "body": "body", "form": "form"}
        given = [name for field, name in bodies.items() if field in self.model_fields_set]
        if len(given) > 1:
            yield InputProblem(
                (given[1],), f"'{given[0]}' and '{given[1]}' are both given: a call has one body"
            )

    def is_expected(self, status: int) -> bool:
        """Return whether *status* is a success."""
        return any(low <= status <= high for low, high in self.expect_status)
