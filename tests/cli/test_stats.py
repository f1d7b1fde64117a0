"""`tidegate stats`, and what `tidegate doctor` shows of it."""

from cli.calling import Tidegate
from cli.sample import Sample, is_harmless


def test_it_tells_what_there_is_in_all_three_forms(sample: Sample) -> None:
    """The lines, the document and the metrics say the same."""
    lines, document, metrics = sample.tidegate.together(
        ("stats",), ("stats", "--json"), ("stats", "--prometheus")
    )
    found = document.document

    assert lines.code == document.code == metrics.code == 0
    assert found["total"]["by_status"] == {"paused": 1, "failed": 1, "cancelled": 1}
    assert "by status         1 paused, 1 failed, 1 cancelled\n" in lines.out
    assert 'tidegate_runs{workflow="fails",status="failed"} 1\n' in metrics.out
    assert found["workflows"]["asks"]["open_pauses"] == 2
    assert 'tidegate_open_pauses{workflow="asks"} 2\n' in metrics.out
    assert found["total"]["open_pauses"] == 2
    assert "questions         2 open, the oldest for " in lines.out
    assert found["holdings"]["bytes"] > 0
    assert found["holdings"]["large"] is False
    assert found["orphans"] == {}
    hour = found["work"]["last_hour"]
    assert (hour["waves"], hour["retries"]) == (5, 0)
    assert f"last hour         5 waves, {hour['blocks']} blocks, 0 retries\n" in lines.out
    assert 'tidegate_waves_last_hour{workflow="fails"} 2\n' in metrics.out
    assert found["engine"]["held"] == found["engine"]["late"] == found["engine"]["queued"] == 0
    assert 'tidegate_leases{state="held"} 0\n' in metrics.out
    assert "leases            0 held\n" in lines.out
    assert found["removals"] == {"total": 0, "last": None}
    assert "tidegate_runs_removed_total 0\n" in metrics.out
    assert is_harmless(lines.out)


def test_one_workflow_alone(sample: Sample) -> None:
    """What the store counts itself stays that of all."""
    found = sample.tidegate.call("stats", "--json", "--workflow", "fails").document

    assert list(found["workflows"]) == ["fails"]
    assert found["total"]["runs"] == 1
    assert found["total"]["open_pauses"] == 0
    assert found["holdings"]["runs"] == 3


def test_two_formats_at_once_are_a_slip(tidegate: Tidegate) -> None:
    """Neither is guessed."""
    done = tidegate.call("stats", "--json", "--prometheus")

    assert done.code == 2
    assert done.error_type == "UsageError"


def test_an_empty_store_has_nothing(tidegate: Tidegate) -> None:
    """And a store that is not there is not made."""
    empty, absent = tidegate.call("stats"), tidegate.call("stats", "--store", "sqlite:///nowhere/x.db")

    assert "runs              0\n" in empty.out
    assert "questions         0 open\n" in empty.out
    assert absent.code == 7


def test_the_doctor_shows_it_in_short(sample: Sample) -> None:
    """How large the store is, what it holds, and that nothing in it is without an owner."""
    facts = sample.tidegate.call("doctor", "--json").document

    assert facts["store_size"].endswith("of it free")
    assert "checkpoints (0 pinned)" in facts["store_holds"]
    assert facts["store_orphans"] == "none"
