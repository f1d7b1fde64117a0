"""LangGraph: a graph of one node for each step, with durability="sync", the only setting that keeps every step."""

import asyncio
import operator
from collections.abc import Callable, Coroutine
from typing import Annotated, Any, TypedDict

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from protocol import Meter, Task, drive, text_of


def _larger(one: int, other: int) -> int:
    return max(one, other)


class State(TypedDict):
    """What the nodes share: a list that each adds to, as it is taught."""

    n: Annotated[int, _larger]
    texts: Annotated[list[str], operator.add]


Node = Callable[[State], Coroutine[Any, Any, dict[str, Any]]]


def _node(meter: Meter, text: Callable[[int], str], number: int | None) -> Node:
    async def node(state: State) -> dict[str, Any]:
        own = state["n"] + 1 if number is None else number
        meter.step(own)
        return {"n": own, "texts": [text(own)]}

    return node


def graph(steps: int, meter: Meter, *, is_wide: bool) -> Any:
    """Return a graph of steps in a row; or of one wave."""
    text = text_of(meter.task.workload)
    made = StateGraph(State)
    for number in range(1, steps + 1):
        made.add_node(f"s{number}", _node(meter, text, number if is_wide else None))
        made.add_edge(START if is_wide or number == 1 else f"s{number - 1}", f"s{number}")
        if is_wide or number == steps:
            made.add_edge(f"s{number}", END)
    return made


async def _invoke(graph: Any, thread: str, given: dict[str, Any] | None) -> int:
    config = {"configurable": {"thread_id": thread}, "recursion_limit": 1_000_000}
    state = await graph.ainvoke(given, config, durability="sync")
    return int(state["n"])


async def _measure(wanted: Task, meter: Meter) -> list[int]:
    async with AsyncSqliteSaver.from_conn_string(str(wanted.folder / "langgraph.db")) as saver:
        await _invoke(graph(3, meter, is_wide=False).compile(saver), "warm", {"n": 0, "texts": []})
        compiled = graph(wanted.steps, meter, is_wide=wanted.workload.is_wide).compile(saver)
        meter.begin()
        runs = [_invoke(compiled, f"run {n}", {"n": 0, "texts": []}) for n in range(wanted.workload.runs)]
        found = list(await asyncio.gather(*runs))
        meter.end()
    return found


async def _resume(wanted: Task, meter: Meter) -> list[int]:
    meter.begin()
    made = graph(wanted.steps, meter, is_wide=False)
    async with AsyncSqliteSaver.from_conn_string(str(wanted.folder / "langgraph.db")) as saver:
        found = [await _invoke(made.compile(saver), "run 0", None)]
        meter.end()
    return found


if __name__ == "__main__":
    drive(_measure, _resume)
