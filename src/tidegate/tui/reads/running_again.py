"""What runs again when a run turns back, said in sentences: which blocks, what follows, and what counts twice."""

from collections.abc import Iterable, Sequence

from tidegate.model.effects import asks_somebody, has_effect, is_reversible
from tidegate.model.ids import BlockId, block_of, is_part
from tidegate.model.state import RunState
from tidegate.safe_text import safe_line
from tidegate.tui.present.turns import LOST

__all__ = ["again_said", "final_said", "names_of", "title_of"]

_NAMED = 12
"""Blocks that are named; of more it is said how many there are."""


def title_of(verb: str, state: RunState, place: BlockId | None = None) -> str:
    """Return what a dialog is called: what is done, and to which run, or to which place of it. Safe to draw."""
    block = f" · {safe_line(place, 60)}" if place is not None else ""
    return (
        f"{verb}{block} · {safe_line(state.graph.definition.name, 120)} · run {safe_line(state.run_id, 40)}"
    )


def again_said(state: RunState, again: Sequence[BlockId], *, fresh: bool) -> list[str]:
    """Return which places run again, which follow, and what of it is done outside a second time."""
    ran = [place for place in again if state.block(place).attempt and (fresh or _is_lost(state, place))]
    # A block whose items are named runs again only in these.
    parted = {block_of(place) for place in ran if is_part(place)}
    first = [place for place in ran if place not in parted]
    named = {*ran, *parted}
    follow = [place for place in again if place not in named]
    said = [f"{'Run' if fresh else 'Failed, and run'} again: {names_of(first)}."]
    if follow:
        said.append(f"After that, because they follow: {names_of(follow)}.")
    definition = state.graph.definition
    outside = [place for place in first if has_effect(state.definition_of(place), definition)]
    asking = [place for place in first if asks_somebody(state.definition_of(place), definition)]
    if asking:
        said.append(f"They ask somebody again: {names_of(asking)}.")
    if outside:
        said.append(f"What they do outside (deploys, mails, payments) they do again: {names_of(outside)}.")
    elif first:
        said.append("None of these does anything outside that counts twice.")
    if final := final_said(state, again):
        said.append(f"Cannot be undone: {final}.")
    return said


def final_said(state: RunState, again: Sequence[BlockId]) -> str:
    """Return which places run again and cannot be undone; empty: none."""
    definition = state.graph.definition
    final = [it for it in again if not is_reversible(state.definition_of(it), definition)]
    return names_of(final) if final else ""


def _is_lost(state: RunState, place: BlockId) -> bool:
    return state.block(place).status in LOST


def names_of(blocks: Iterable[str]) -> str:
    """Return blocks in a sentence; beyond a dozen, how many more. Safe to draw."""
    everything = list(blocks)
    named = ", ".join(safe_line(block, 60) for block in everything[:_NAMED]) or "none"
    return named + (f" and {len(everything) - _NAMED} more" if len(everything) > _NAMED else "")
