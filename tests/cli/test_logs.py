"""`tidegate logs -f`: output as it comes, until the run rests."""

from cli.calling import Tidegate, until

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
