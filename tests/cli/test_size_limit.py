"""`TIDEGATE_MAX_CHECKPOINT_SIZE_MB` on the command line."""

from cli.calling import Tidegate

READS = """
name: reads
blocks: [{id: read, type: ReadFile, inputs: {path: document}}]
"""


def test_a_block_that_leaves_too_much_fails_with_a_way_out(tidegate: Tidegate) -> None:
    """A run that fails is a run like any other: it can be looked at and resumed."""
    tidegate.file("document", "x" * 50_000)
    file = tidegate.file("reads.yaml", READS)

    failed = tidegate.call("run", file, "--json", TIDEGATE_MAX_CHECKPOINT_SIZE_MB="0.02")
    ended = tidegate.call("resume", failed.document["run_id"], "--json")

    assert failed.code == 1
    assert (
        "at most 20,971 (0.02 MB) are taken: write it to a file" in failed.document["failures"][0]["message"]
    )
    assert (ended.code, ended.document["status"]) == (0, "succeeded")


def test_a_limit_that_is_none_is_a_usage_error(tidegate: Tidegate) -> None:
    """Told as a sentence, by every command."""
    done = tidegate.call("inbox", "--json", TIDEGATE_MAX_CHECKPOINT_SIZE_MB="10 MB")

    assert done.code == 2
    assert done.error_type == "SettingsError"
    assert "TIDEGATE_MAX_CHECKPOINT_SIZE_MB is '10 MB', expected a number of MB" in done.err
