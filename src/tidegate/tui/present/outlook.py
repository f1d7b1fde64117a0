"""What an answer leads to, as a pane of lines and as one sentence."""

from collections.abc import Iterator, Sequence

from tidegate.model.outlook import Ahead, ForeseenBlock, Outlook
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Line, Piece, Tone, text_line
from tidegate.tui.looks.symbols import run_sign
from tidegate.tui.nouns.advice import Foreseen
from tidegate.tui.present.shared import counted
from tidegate.tui.times import lasted

__all__ = ["final_names", "news_sentence", "outlook_line", "outlook_lines", "outlook_sentence"]

_NAMED = 4
"""Blocks that a sentence names; of more it says how many there are."""
_WIDE_NAME = 24
_DOES = 160


def outlook_lines(foreseen: Foreseen, title: str, key: str) -> list[Line]:
    """Return what an answer leads to, below its name."""
    outlook = foreseen.outlook
    lines = [text_line(title, Tone.HEADING, key=f"{key}:title")]
    if outlook.is_held:
        lines.append(_word(key, "held", "paused", "nothing starts before somebody lets the run go on"))
    if outlook.ends is not None:
        sign = run_sign(outlook.ends)
        said = f"{_run(outlook)} ends at once: {sign.text}"
        lines.append(_row(f"{key}:ends", "ends", Piece(said, sign.tone)))
    if outlook.asks_again:
        lines.append(_word(key, "again", "asks", safe_line(outlook.asks_again, _DOES)))
    lines += _group(foreseen, outlook.of(Ahead.AT_ONCE), "at once", key)
    lines += _group(foreseen, _then(outlook), "then", key)
    lines += _group(foreseen, _by_wave(outlook), "wave", key)
    lines += _group(foreseen, _above(outlook), "caller", key)
    lines += _group(foreseen, outlook.of(Ahead.WAITS), "waits", key)
    lines += _skipped(outlook.of(Ahead.SKIPPED), key)
    if outlook.hidden:
        lines.append(_word(key, "hidden", "", counted(outlook.hidden, "more block")))
    if not outlook.blocks and outlook.ends is None and not outlook.is_held:
        lines.append(_word(key, "nothing", "", "nothing new starts by it"))
    if work := _work(foreseen):
        lines.append(_word(key, "work", "takes", work))
    return lines


def _run(outlook: Outlook) -> str:
    """Return whose end is told: a run that another one waits for is not the one that people think of."""
    return "the run below" if outlook.caller else "the run"


def _then(outlook: Outlook) -> tuple[ForeseenBlock, ...]:
    """Return what follows the question in its own run."""
    return tuple(it for it in outlook.of(Ahead.LATER) if not it.above and not it.by_wave)


def _by_wave(outlook: Outlook) -> tuple[ForeseenBlock, ...]:
    """Return what does not follow the question, but its wave begins once that is answered."""
    return tuple(it for it in outlook.of(Ahead.LATER) if not it.above and it.by_wave)


def _above(outlook: Outlook) -> tuple[ForeseenBlock, ...]:
    """Return what follows in the runs that wait for this one."""
    return tuple(it for it in outlook.of(Ahead.LATER) if it.above)


def _row(key: str, word: str, *pieces: Piece) -> Line:
    return Line(key, (Piece(f"  {word:<8} ", Tone.DIM), *pieces), selectable=False, indent=11)


def _word(key: str, name: str, word: str, text: str) -> Line:
    return _row(f"{key}:{name}", word, Piece(text, Tone.DIM))


def _group(foreseen: Foreseen, blocks: Sequence[ForeseenBlock], word: str, key: str) -> Iterator[Line]:
    width = min(_WIDE_NAME, max((len(_name(it)) for it in blocks), default=0))
    for number, it in enumerate(blocks):
        yield _row(f"{key}:{_name(it)}", "" if number else word, *_pieces(it, width, foreseen))


def _name(block: ForeseenBlock) -> str:
    name = safe_line(block.block, 60)
    return f"{safe_line(block.above, 40)} / {name}" if block.above else name


def _pieces(block: ForeseenBlock, width: int, foreseen: Foreseen) -> Iterator[Piece]:
    """Yield what there is to say of a block that runs: its name, its effects, what it depends on, what it does."""
    yield Piece(f"{_name(block):<{width}}", Tone.STRONG if block.is_sure else Tone.PLAIN)
    if not block.reversible:
        yield Piece("  cannot be undone", Tone.FAILED)
    elif block.has_effect:
        yield Piece("  effect outside", Tone.WAITING)
    if block.asks:
        yield Piece("  asks", Tone.ACCENT)
    if block.reason:
        yield Piece(f"  fails: {safe_line(block.reason, _DOES)}", Tone.FAILED)
    yield from _depends(block)
    if block.does:
        yield Piece(f"  {safe_line(block.does, _DOES)}", Tone.DIM)
    usual = foreseen.usual.get(block.block) if not block.above else None
    if usual is not None and not block.asks:
        yield Piece(f"  usually {lasted(usual.seconds)}", Tone.DIM)


def _depends(block: ForeseenBlock) -> Iterator[Piece]:
    if block.by_wave:
        yield Piece("  as its wave begins", Tone.DIM)
    if block.waits_for:
        yield Piece(f"  for {_others([block])} as well", Tone.ACCENT)
    if block.condition:
        yield Piece(f"  only if {safe_line(block.condition, _DOES)}", Tone.ACCENT)
    elif not block.is_sure:
        yield Piece("  only if what it follows runs", Tone.DIM)


def _skipped(blocks: Sequence[ForeseenBlock], key: str) -> Iterator[Line]:
    width = min(_WIDE_NAME, max((len(_name(it)) for it in blocks), default=0))
    for number, it in enumerate(blocks):
        word, sure = "" if number else "not run", "" if it.is_sure else "perhaps: "
        why = Piece(f"  {sure}{safe_line(it.reason, _DOES)}", Tone.DIM)
        yield _row(f"{key}:{_name(it)}", word, Piece(f"{_name(it):<{width}}"), why)


def _work(foreseen: Foreseen) -> str:
    """Return how long it usually takes; empty where that is not known of most of it."""
    runs = [it for it in foreseen.outlook.runs if not it.asks and not it.above]
    known = [foreseen.usual[it.block].seconds for it in runs if it.block in foreseen.usual]
    if not known or 2 * len(known) < len(runs):
        return ""
    unknown = (
        f", and {counted(len(runs) - len(known), 'block')} nobody has timed" if len(known) < len(runs) else ""
    )
    return f"usually {lasted(sum(known))} of work{unknown}"


# -- as a sentence ----------------------------------------------------------------------------


def outlook_line(foreseen: Foreseen, name: str) -> Line:
    """Return what an answer of this name leads to, as one line to be wrapped."""
    tone = Tone.WAITING if foreseen.outlook.effects else Tone.PLAIN
    work = _work(foreseen)
    said = " ".join(
        filter(None, (outlook_sentence(foreseen), f"{work[0].upper()}{work[1:]}." if work else ""))
    )
    pieces = (Piece(f"{name}: ", Tone.STRONG), Piece(said, tone))
    return Line(f"ahead:{name}", pieces, selectable=False, indent=2)


def outlook_sentence(foreseen: Foreseen) -> str:
    """Return what an answer leads to in a few words, safe to draw."""
    outlook = foreseen.outlook
    broken = [_name(it) for it in outlook.of(Ahead.AT_ONCE) if it.reason]
    said = (
        f"Fails at once: {_names(broken)}." if broken else "",
        "The run is paused: nothing starts yet." if outlook.is_held else "",
        _ends(outlook),
        f"Asks next: '{safe_line(outlook.asks_again, _DOES)}'." if outlook.asks_again else "",
        _starts(outlook),
        _sentence("The next wave starts:", _by_wave(outlook)),
        _sentence("Its caller goes on with", _above(outlook)),
        f"{counted(outlook.hidden, 'more block')} not named here." if outlook.hidden else "",
        _effects(outlook),
        f"Cannot be undone: {final}." if (final := final_names(outlook)) else "",
        _waits(outlook),
    )
    return " ".join(filter(None, said))


def _ends(outlook: Outlook) -> str:
    if outlook.ends is None:
        return ""
    run = _run(outlook)
    return f"{run[0].upper()}{run[1:]} ends at once: {outlook.ends.value}."


def _starts(outlook: Outlook) -> str:
    at_once = [_name(it) for it in outlook.of(Ahead.AT_ONCE) if not it.reason]
    later = [_name(it) for it in _then(outlook)]
    if at_once and later:
        return f"Starts {_names(at_once)}; then {_names(later)}."
    if at_once or later:
        return f"Starts {_names(at_once)}." if at_once else f"Then {_names(later)}."
    goes_on = outlook.runs or outlook.hidden or outlook.asks_again
    return "" if goes_on or outlook.ends is not None else "Starts nothing."


def _sentence(says: str, blocks: Sequence[ForeseenBlock]) -> str:
    return f"{says} {_names([_name(it) for it in blocks])}." if blocks else ""


def _waits(outlook: Outlook) -> str:
    """Return what comes only once other people have decided too."""
    blocks = outlook.of(Ahead.WAITS)
    names = [f"{_name(it)} (effect outside)" if it.has_effect else _name(it) for it in blocks]
    return f"Waits for {_others(blocks)} as well: {_names(names)}." if blocks else ""


def _others(blocks: Sequence[ForeseenBlock]) -> str:
    return _names(list(dict.fromkeys(safe_line(place, 60) for it in blocks for place in it.waits_for)))


def _effects(outlook: Outlook) -> str:
    effects = [_name(it) for it in outlook.effects]
    if effects:
        return f"Effects outside: {_names(effects)}."
    # Of blocks that are not named nothing is known.
    return "No effects outside." if outlook.runs and not outlook.hidden else ""


def final_names(outlook: Outlook) -> str:
    """Return what an answer leads to and cannot be undone, as names that are safe to draw; empty: nothing."""
    return _names([_name(it) for it in outlook.irreversible])


def _names(names: Sequence[str]) -> str:
    more = max(0, len(names) - _NAMED)
    shown = ", ".join(names[:_NAMED])
    return f"{shown} and {more} more" if more else shown


def news_sentence(blocks: Sequence[ForeseenBlock]) -> str:
    """Return what has changed of what follows, since somebody looked; safe to draw."""
    said = [f"{_name(it)} ({safe_line(it.does, 60)})" if it.does else _name(it) for it in blocks]
    return f"What follows has changed since you looked: now it also runs {_names(said)}."
