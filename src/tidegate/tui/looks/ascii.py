"""The ASCII sign for each sign that the monitor draws, for terminals that have no others.

One sign becomes one sign, so that columns stay columns. What each means is said by a word beside it anyway.
"""

from rich.cells import cell_len

__all__ = ["in_ascii", "signs_in_ascii"]

_PAIRS = (
    # What has a status.
    ("◆◇●○✓✗⊗×↻‖⊘·", "!?>.+x#x~=--"),  # noqa: RUF001 - the sign is meant
    # Words and ways.
    ("…⋯•»«›‹–—╱╲", "~~*><><--/\\"),  # noqa: RUF001 - the sign is meant
    ("↑↓←→⇒↳▲▼◀▶▸▾△▽◁▷⌫⏎", "^v<>>>^v<>>v^v<><<"),
    # Characters that draw nothing, shown.
    ("␀␉␊␍␛␠", "......"),
    # Lines and boxes.
    ("─━┄┅┈┉╌╍═╴╶╸╺", "-----------" + "--"),
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
_TABLE = {ord(sign): plain for signs, plains in _PAIRS for sign, plain in zip(signs, plains, strict=True)}


def signs_in_ascii(text: str) -> str:
    """Return *text* with each sign as the ASCII one that stands for it; what people wrote stays as it is."""
    if text.isascii():
        return text
    for key, plain in _KEYS:
        text = text.replace(key, plain)
    return text.translate(_TABLE)


def in_ascii(text: str) -> str:
    """Return *text* in ASCII only: as `signs_in_ascii`, and anything else as ``?``, as wide as it was."""
    text = signs_in_ascii(text)
    if text.isascii():
        return text
    return "".join(character if character.isascii() else "?" * cell_len(character) for character in text)
