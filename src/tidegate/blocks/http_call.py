"""The block that calls a server over HTTP. Owns what is sent, what counts as an answer, and what is told.

What is told names the method and the URL, and never a credential: neither the user and password of
a URL, nor a parameter whose name says that it is secret, nor any header.
"""

from collections.abc import Mapping
from typing import ClassVar

from tidegate.blocks.base import BlockContext, Completed, Failed, Result, WorkBlock
from tidegate.blocks.checks import input_check, parse_inputs
from tidegate.blocks.http_exchange import Answer, NoSuccess, exchange
from tidegate.blocks.http_inputs import HttpCallInputs, effect_of_method
from tidegate.blocks.http_words import shown_url
from tidegate.clock import Clock, SystemClock
from tidegate.errors import InputsError
from tidegate.model.base import Json, JsonObject
from tidegate.model.catalog import BlockSpec, ValueType
from tidegate.model.events import Failure
from tidegate.model.policy import FailureKind
from tidegate.model.workflow import Effect

__all__ = ["HttpCall"]

_TOLERABLE = frozenset({FailureKind.STATUS, FailureKind.NETWORK, FailureKind.TIMEOUT})
"""What `continue-on-error` covers: whatever a server and the way to it may do."""


class HttpCall(WorkBlock):
    """Calls a server over HTTP."""

    spec: ClassVar[BlockSpec] = BlockSpec(
        type="HttpCall",
        check=input_check(HttpCallInputs),
        outputs={
            "status_code": ValueType.INTEGER,
            "headers": ValueType.MAP,
            "body": ValueType.ANY,
            "json": ValueType.ANY,
            "url": ValueType.STRING,
            "duration_s": ValueType.NUMBER,
            "success": ValueType.BOOLEAN,
        },
        effect=Effect.ONCE,
        effect_of=effect_of_method,
        secret_inputs=frozenset({"headers", "body", "json", "form"}),
        description=(
            "Calls a server over HTTP.\n"
            "Names of `headers` are in lower case. `body` is the answer as text, null where it is none; "
            "`json` is what it says, if it is JSON. Repetition is the block's `retry`: a status that is no "
            "success fails as `status`, a broken connection as `network`, a late answer as `timeout`."
        ),
        example=(
            "id: announce\n"
            "type: HttpCall\n"
            "retry: {max_attempts: 3, delay: 5s, on: [network, timeout]}\n"
            "inputs:\n"
            "  url: https://chat.example.org/api/messages\n"
            "  method: POST\n"
            "  json: {channel: releases, text: The release is out}\n"
            "  expect_status: [201]\n"
        ),
    )

    def __init__(self, *, clock: Clock | None = None) -> None:
        """Make the block."""
        self._clock = clock or SystemClock()

    async def run(self, inputs: JsonObject, context: BlockContext) -> Result:
        """Call, and return what the server answered."""
        try:
            wanted = parse_inputs(HttpCallInputs, inputs)
        except InputsError as error:
            return Failed(Failure(kind=FailureKind.INPUTS, message="; ".join(error.problems)))
        began = self._clock.monotonic()
        failure = None
        try:
            answer = await exchange(wanted, context.idempotency_key)
        except NoSuccess as error:
            failure, answer = Failure(kind=error.kind, message=str(error)), error.answer
        outputs = _outputs(answer, wanted, self._clock.monotonic() - began, success=failure is None)
        if failure is None or (wanted.continue_on_error and failure.kind in _TOLERABLE):
            return Completed(outputs)
        return Failed(failure, outputs)

    def summary(self, inputs: Mapping[str, Json]) -> str:
        """Return the method and the URL, bounded, without secrets."""
        method, url = inputs.get("method", "GET"), inputs.get("url", "")
        return " ".join(f"{str(method).upper()} {shown_url(str(url))}".split())

    def presumed(self) -> JsonObject:
        """Return the outputs of a call that worked and was answered with nothing."""
        return {
            "status_code": 200,
            "headers": {},
            "body": None,
            "json": None,
            "url": "",
            "duration_s": 0.0,
            "success": True,
        }


def _outputs(answer: Answer, wanted: HttpCallInputs, duration: float, *, success: bool) -> JsonObject:
    return {
        "status_code": answer.status,
        "headers": answer.headers,
        "body": answer.body,
        "json": answer.json,
        "url": answer.url or shown_url(wanted.url),
        "duration_s": round(duration, 3),
        "success": success,
    }
