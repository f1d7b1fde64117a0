"""The block that waits: until an instant, or for a while. It takes no place and no process meanwhile."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Annotated, ClassVar

from pydantic import BeforeValidator

from tidegate.blocks.base import TimerBlock
from tidegate.blocks.checks import Inputs, describe, input_check, parse_inputs, written, wrong
from tidegate.blocks.input_docs import Kind
from tidegate.blocks.input_types import duration_reader
from tidegate.model.base import Json, JsonObject
from tidegate.model.catalog import BlockSpec, InputProblem, ValueType
from tidegate.model.duration import MAX_SECONDS
from tidegate.model.workflow import Effect

__all__ = ["Wait"]


def _instant(value: object) -> object:
    try:
        moment = datetime.fromisoformat(value.strip()) if isinstance(value, str) else None
    except ValueError:
        moment = None
    if moment is None:
        raise wrong(f"must be an instant like 2030-01-31T08:00:00+01:00, not {describe(value)}")
    if moment.tzinfo is None:
        raise wrong(
            f"is {describe(value)}, which is another instant in every time zone: add Z, or like +01:00"
        )
    return moment


class WaitInputs(Inputs):
    """How long, or until when."""

    duration: Annotated[float | None, duration_reader(zero=True), Kind("duration")] = None
    """Like 90s, 5m, 2h, 1h30m, 200ms, 1d, or a number of seconds."""
    until: Annotated[datetime | None, BeforeValidator(_instant), Kind("instant")] = None
    """An ISO 8601 instant with its offset from UTC; one in the past is over at once."""

    def conflicts(self) -> Iterator[InputProblem]:
        """Yield what is wrong between inputs."""
        if self.duration is None and self.until is None:
            yield InputProblem((), "'duration' or 'until' is required")
        if self.duration is not None and self.until is not None:
            yield InputProblem(("until",), "'duration' and 'until' are both given: one of them is enough")


class Wait(TimerBlock):
    """Waits for a while, or until an instant."""

    spec: ClassVar[BlockSpec] = BlockSpec(
        type="Wait",
        check=input_check(WaitInputs),
        outputs={"waited_s": ValueType.NUMBER, "until": ValueType.STRING},
        effect=Effect.PURE,
        description=(
            "Waits for a while, or until an instant.\n"
            "The instant is kept in the journal: a restart does not begin the wait again. `until` is when it "
            "was over, in UTC."
        ),
        example="id: let_it_settle\ntype: Wait\ninputs: {duration: 5m}\n",
    )

    def until(self, inputs: JsonObject, now: float) -> float:
        """Return when it is over: never before *now*, and at most ten years after.

        Raises:
            InputsError: the inputs are not what the block takes.
        """
        wanted = parse_inputs(WaitInputs, inputs)
        instant = wanted.until.timestamp() if wanted.until else now + (wanted.duration or 0)
        return min(max(instant, now), now + MAX_SECONDS)

    def summary(self, inputs: Mapping[str, Json]) -> str:
        """Return how long, or until when."""
        if inputs.get("until") is not None:
            return f"until {describe(inputs['until']).strip(chr(39))}"
        duration = inputs.get("duration", "")
        return f"{written(duration)[:40]} s" if isinstance(duration, int | float) else str(duration)[:40]

    def elapsed(self, started_at: float, now: float) -> JsonObject:
        """Return how long it took, and when it was over."""
        moment = datetime.fromtimestamp(now, UTC).isoformat(timespec="milliseconds")
        return {"waited_s": round(max(now - started_at, 0.0), 3), "until": moment.replace("+00:00", "Z")}
