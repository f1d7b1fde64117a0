"""`tidegate logs`: output as it comes, until the run rests; and when it came."""

from cli.calling import Tidegate, until
from tidegate.cli.log_text import LogText
from tidegate.model.listing import OutputChunk, Stream

WAITS = """
    name: waits
    blocks:
      - id: talk
        type: Shell
        inputs:
          command: |
            echo one; printf tw
            touch talking
            while ! test -e heard; do sleep 0.02; done
            echo o; echo three >&2
"""


def test_following_prints_what_comes_and_ends_with_the_run(tidegate: Tidegate) -> None:
    """A line that is written in pieces is printed once, whole; following ends by itself."""
    tidegate.file("waits.yaml", WAITS)
    running = tidegate.start("run", "waits.yaml", "--json")
    until((tidegate.folder / "talking").exists)
    listed = tidegate.call("runs", "list", "--status", "running", "--json").document["runs"]
    following = tidegate.start("logs", listed[0]["run_id"], "-f")
    assert following.stdout is not None
    head, first = following.stdout.readline(), following.stdout.readline()
    (tidegate.folder / "heard").touch()
    followed, ran = tidegate.end(following), tidegate.end(running)

    assert (head, first) == (b"-- talk\n", b"one\n")
    assert followed.code == 0
    assert sorted(followed.out.splitlines()) == ["three", "two"]
    assert ran.code == 0


def test_a_damaged_part_is_told_once_and_ends_the_line_before_it() -> None:
    """How long it was is not known: what is missing after it is not told as if it had been let go."""
    text = LogText()
    torn = OutputChunk(n=1, stream=Stream.STDOUT, offset=8, data=b"", damage="it is not what was written")

    told = text.feed(chunk(0, b"one\nhalf", 0.0)) + text.feed(torn) + text.feed(chunk(30, b"four\n", 0.0))
    later = text.feed(chunk(99, b"five\n", 0.0))

    assert told.splitlines() == ["one", "half", torn.notice, "four"]
    assert later.splitlines() == ["… 64 bytes are not kept …", "five"]


def chunk(offset: int, data: bytes, at: float) -> OutputChunk:
    """Return some output."""
    return OutputChunk(n=0, stream=Stream.STDOUT, offset=offset, data=data, at=at)


def test_a_line_has_the_time_at_which_it_began() -> None:
    """Of a line in pieces that of the first; and what was written can show no time of its own."""
    text = LogText(dated=True)

    assert text.feed(chunk(0, b"one\ntw", 1.0)) == "1970-01-01T00:00:01.000+00:00 one\n"
    assert text.feed(chunk(6, b"o", 2.0)) == ""
    assert text.feed(chunk(7, b"\nthree\nfo", 3.5)) == (
        "1970-01-01T00:00:01.000+00:00 two\n1970-01-01T00:00:03.500+00:00 three\n"
    )
    gap = text.feed(chunk(100, b"1970-01-01\r9999-01-01 x\n", 0.0)).splitlines()
    assert gap == [
        "1970-01-01T00:00:03.500+00:00 fo",
        f"{'':29} … 84 bytes are not kept …",
        f"{'':29} 1970-01-01␍",
        f"{'':29} 9999-01-01 x",
    ]
    assert text.finish() == ""
