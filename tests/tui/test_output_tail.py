"""The end of what a block wrote, as the run view shows it."""

import time
from collections.abc import Iterator

from tidegate.model.listing import OutputChunk, Stream
from tidegate.tui.reads.output_tail import OutputTail


def chunks(data: bytes, size: int = 65_536, stream: Stream = Stream.STDOUT) -> Iterator[OutputChunk]:
    """Yield *data* as a block would write it."""
    for n, offset in enumerate(range(0, len(data), size)):
        yield OutputChunk(n=n, stream=stream, offset=offset, data=data[offset : offset + size])


def texts(tail: OutputTail) -> list[str]:
    """Return its lines as text."""
    return [line.text for line in tail.lines()]


def test_fifty_thousand_lines_cost_little_and_end_with_the_last() -> None:
    """M2: what is kept is bounded, and the newest is always there."""
    tail, began = OutputTail(), time.process_time()
    tail.feed(chunks(b"".join(b"line %d\n" % n for n in range(50_000))))

    assert texts(tail)[-1] == "line 49999"
    assert len(tail.lines()) <= 4_000
    assert time.process_time() - began < 2


def test_five_megabytes_without_a_line_break_are_bounded() -> None:
    """M2: they are broken into lines that a terminal can show."""
    tail = OutputTail()
    tail.feed(chunks(b"x" * 5_000_000 + b"end"))

    assert max(map(len, texts(tail))) <= 4_000
    assert texts(tail)[-1].endswith("end")


def test_what_is_split_over_chunks_comes_out_whole() -> None:
    """Characters and colours, byte by byte."""
    tail = OutputTail()
    tail.feed(chunks("é 家族 \x1b[31mred\x1b[0m\n\x1b]2;t\x07\n".encode(), size=1))

    assert texts(tail) == ["é 家族 red", "␛]2;t␇"]


def test_both_streams_keep_their_own_unfinished_line_and_stderr_is_marked() -> None:
    """Half a line of one is not glued to half a line of the other; a mark says it without colour."""
    tail = OutputTail()
    tail.feed([OutputChunk(n=0, stream=Stream.STDOUT, offset=0, data=b"half ")])
    tail.feed([OutputChunk(n=1, stream=Stream.STDERR, offset=0, data=b"oh no\n")])
    tail.feed([OutputChunk(n=2, stream=Stream.STDOUT, offset=5, data=b"whole\n")])

    assert [(line.text, line.mark) for line in tail.lines()] == [("oh no", "!"), ("half whole", " ")]
    assert tail.position == 2


def test_a_damaged_part_is_said_in_its_place() -> None:
    """It ends the line before it, and is no part of the one after it."""
    tail = OutputTail()
    torn = OutputChunk(n=1, stream=Stream.STDOUT, offset=4, data=b"", damage="it is not what was written")
    tail.feed([OutputChunk(n=0, stream=Stream.STDOUT, offset=0, data=b"half"), torn])
    tail.feed([OutputChunk(n=2, stream=Stream.STDOUT, offset=20, data=b"more\n")])

    assert texts(tail)[:3] == ["half", torn.notice, "more"]
