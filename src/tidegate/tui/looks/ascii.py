"""The ASCII sign for each sign that the monitor draws, for terminals that have no others.

One sign becomes one sign, so that columns stay columns. What each means is said by a word beside it anyway.
"""

from collections.abc import Iterator

from rich.cells import cell_len

__all__ = ["in_ascii", "signs_in_ascii"]

_PAIRS = (
    # What has a status.
    ("◆◇●○✓✗⊗×↻‖⊘·⚠", "!?>.+x#x~=--!"),  # noqa: RUF001 - the sign is meant
    # Words and ways.
    ("…⋯•»«›‹–—╱╲", "~~*><><--/\\"),  # noqa: RUF001 - the sign is meant
    ("↑↓←→⇒↳▲▼◀▶▸▾△▽◁▷⌫⏎⇥", "^v<>>>^v<>>v^v<><<>"),
    # What stands for bytes that are no text.
    ("\ufffd", "?"),
    # Lines and boxes.
    ("─━┄┅┈┉╌╍═╴╶╸╺", "-=------=----"),
    ("│┃┆┇┊┋╎╏║", "|||||||||"),
    ("┌┏┐┓└┗┘┛╭╮╰╯╔╗╚╝├┤┬┴┼┝┥┣┫┳┻╋", "+" * 28),
    # Bars: a height, a width, an edge.
    ("▁▂▃▄▅▆▇█▀▔", "_.:-=+*#--"),
    ("▉▊▋▌▍▎▏▐▕", "|||>|||||"),
    ("▖▗▘▙▛▜▝▟▚▞", "+" * 10),
    ("░▒▓■□▪▫◼◻", ".:##.*.#."),
)
_KEYS = (("ctrl+↓", "ctl+dn"), ("ctrl+↑", "ctl+up"))
"""Keys with an arrow in their name: a letter in its place would be another key."""
_OTHERS = {
    # Pictures of control characters, which stand where somebody wrote such a character.
    **dict.fromkeys(range(0x2400, 0x2427), "."),
    # Whatever else there is to draw lines and bars with: a table that a block prints stays a table.
    **dict.fromkeys(range(0x2500, 0x2580), "+"),
    **dict.fromkeys(range(0x2580, 0x25A0), "#"),
}
_TABLE = _OTHERS | {
    ord(sign): plain for signs, plains in _PAIRS for sign, plain in zip(signs, plains, strict=True)
}
_JOINERS = frozenset("\u200d\ufe0f")
"""What makes one picture of signs, or a wider one of a sign: the terminal joins them, and measures them so."""


def signs_in_ascii(text: str) -> str:
    """Return *text* with each sign as the ASCII one that stands for it; what people wrote stays as it is.

    Signs are those that the monitor draws, and any others that lines, boxes and bars are drawn with. The
    text is as wide as it was.
    """
    if text.isascii():
        return text
    for key, plain in _KEYS:
        text = text.replace(key, plain)
    return text.translate(_TABLE) if _JOINERS.isdisjoint(text) else "".join(_parted(text))


def in_ascii(text: str) -> str:
    """Return *text* in ASCII only: as `signs_in_ascii`, and anything else as ``?``, as wide as it was."""
    text = signs_in_ascii(text)
    if text.isascii():
        return text
    if _JOINERS.isdisjoint(text):
        return "".join(character if character.isascii() else "?" * cell_len(character) for character in text)
    return "".join((each if each.isascii() else "?" * width)[:width] for each, width in _measured(text))


def _parted(text: str) -> Iterator[str]:
    """Yield each character of *text*, signs in ASCII: alone, without what is joined to them."""
    is_sign = False
    for character, width in _measured(text):
        if is_sign and (character == "\ufe0f" or not width):
            yield " " * width
        else:
            is_sign = ord(character) in _TABLE
            yield _TABLE[ord(character)][:width] if is_sign else character


def _measured(text: str) -> Iterator[tuple[str, int]]:
    """Yield each character of *text*, and by how many cells it makes that wider."""
    used = 0
    for end, character in enumerate(text, 1):
        width = cell_len(text[:end])
        yield character, width - used
        used = width
