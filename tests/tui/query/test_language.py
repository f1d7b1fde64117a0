"""The language of filters: what is a term, what each field takes, and what is said of what means nothing."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.history.views import RunView
from tidegate.model.events import RunStatus
from tidegate.model.ids import RunId, Seq
from tidegate.model.listing import RunRow
from tidegate.model.policy import CheckpointKind
from tidegate.model.state import RunSummary
from tidegate.tui.query.completing import completed
from tidegate.tui.query.fields import Field, Reader
from tidegate.tui.query.language import QueryFault, parse, quoted
from tidegate.tui.query.listing import Listing, in_order
from tidegate.tui.query.listings import LISTINGS as BY_MODE
from tidegate.tui.query.of_checkpoints import CHECKPOINTS, checkpoint_filter
from tidegate.tui.query.of_runs import RUNS, begins_at, run_filter
from tidegate.tui.query.values import length_of

LISTINGS: tuple[Listing[Any], ...] = tuple(BY_MODE.values())
NOW = datetime(2026, 11, 28, 14, 32, tzinfo=UTC).timestamp()
HOUR, DAY = 3_600.0, 86_400.0
NO_FIELDS: tuple[Field[str], ...] = ()
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


def run(**given: object) -> RunView:
    """Return a run that began a day ago, and failed an hour ago, unless something else is given."""
    status = RunStatus(str(given.get("status", "failed")))
    summary = RunSummary(
        status=status,
        blocks=4,
        completed=2,
        failed=1,
        pauses=int(str(given.get("pauses", 0))),
        held=bool(given.get("held")),
        reason="Permission denied",
    )
    row = RunRow(
        run_id=RunId("4f2a7k9m4xw2"),
        workflow=str(given.get("workflow", "deploy-api")),
        definition="",
        created_at=NOW - DAY,
        updated_at=NOW - HOUR,
        head=Seq(7),
        summary=summary,
        by="ana",
    )
    return RunView(row, status)


def shows(row: RunView) -> str:
    """Return what a run shows, as far as it matters here."""
    return f"✗ {row.status} {row.row.workflow} build: it said: no".casefold()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "deploy",
        "DEPLOY failed",
        "-etl",
        '"it said: no"',
        '-"it said: yes"',
        '"deploy',
        "✗",
        "status:failed",
        "status:f",
        "status:paused,failed",
        "-status:paused,running",
        "status=FAILED",
        "workflow:API",
        "workflow=deploy-api",
        "-workflow=deploy",
        'why:"permission den"',
        "by:me",
        "by:an",
        "-by:ben",
        "age>23h",
        "age<1d1m",
        "age:2d",
        "started:yesterday",
        "ended:today",
        "ended<1h30m",
        "ended:2026-11-28",
        "changed<1h30m",
        "since:yesterday",
        "before:today",
        "took>22h",
        "took<=23h",
        "done>=50 done<50.5",
        "done=50%",
        "-is:fork",
        "run:4F2A status:failed deploy -zzz",
    ],
)
def test_a_filter_shows_what_it_says(text: str) -> None:
    """All terms hold, in any order and any case; one value of a term is enough."""
    assert parse(text, RUNS.fields, Reader("ana")).holds(run(), NOW, shows)


@pytest.mark.parametrize(
    "text",
    [
        "etl",
        "deploy zzz",
        "-deploy",
        '"api deploy"',
        "status:paused",
        "-status:running,failed",
        "workflow=deploy",
        "workflow=DEPLOY-API",
        "by:ben",
        "age<23h",
        "age:12h",
        "started:today",
        "ended:yesterday",
        "since:today",
        "before:yesterday",
        "took<1h",
        "done>50",
        "is:held",
        "is:asking",
    ],
)
def test_a_filter_leaves_out_the_rest(text: str) -> None:
    """One term that does not hold is enough."""
    assert not parse(text, RUNS.fields, Reader("ana")).holds(run(), NOW, shows)


def test_what_has_no_such_time_is_in_no_span_of_it() -> None:
    """A run that goes on has not ended; to ask for the contrary shows it."""
    going = run(status="running")

    assert not parse("ended<99w", RUNS.fields).holds(going, NOW, shows)
    assert parse("-ended<99w", RUNS.fields).holds(going, NOW, shows)


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("stattus:failed", 1, "no field 'stattus' (did you mean 'status'?); the fields are status, workflow"),
        ("deploy -dew<1h", 9, "no field 'dew'"),
        ("http://x", 1, "in quotes"),
        ("status:fial", 8, "'fial' is none of queued, running"),
        ("status:failed,", 15, "'status' of what? such as status:queued"),
        ("status:", 8, "of what?"),
        ("status<2", 7, "'status' takes no '<': such as status:queued"),
        ("took:1h", 5, "'took' takes no ':': such as took>10m"),
        ("took>1x", 6, "'1x' is no length of time: such as 30s, 10m, 2h, 1d12h"),
        ("took>5", 6, "'5' is no length of time"),
        ("ended:2026-13-01", 7, "is no day: such as today"),
        ("since:soon", 7, "neither a day nor a length"),
        ("done>half", 6, "'half' is no number"),
        ("done>nan", 6, "'nan' is no number"),
        ("is:tired", 4, "none of asking, held"),
    ],
)
def test_what_means_nothing_is_said_with_its_column(text: str, column: int, words: str) -> None:
    """And with what would mean something."""
    with pytest.raises(QueryFault) as fault:
        parse(text, RUNS.fields)

    assert fault.value.column == column
    assert words in fault.value.problem


@pytest.mark.parametrize(
    ("text", "before"), [("status:", ""), ("deploy -took>", "deploy "), ("zz status:failed,", "zz ")]
)
def test_what_is_not_yet_written_to_its_end_is_told_from_what_is_wrong(text: str, before: str) -> None:
    """So whoever types sees no fault flash by."""
    with pytest.raises(QueryFault) as fault:
        parse(text, RUNS.fields)

    assert fault.value.begun == len(before)
    with pytest.raises(QueryFault) as wrong:
        parse(f"{text} x", RUNS.fields)
    assert wrong.value.begun is None


@given(WORDS)
def test_every_text_is_a_filter_or_a_fault_within_it(text: str) -> None:
    """Nothing else comes of any of them, in any list."""
    for listing in LISTINGS:
        column = 1
        try:
            assert parse(text, listing.fields).source == text.strip()
        except QueryFault as fault:
            column = fault.column
        assert 1 <= column <= len(text) + 1


@given(st.lists(st.text("abcäß -éΣ7.✗", min_size=1, max_size=8), max_size=4), WORDS)
def test_words_alone_are_what_they_always_were(words: list[str], shown: str) -> None:
    """Each has to be somewhere in the row, whatever its case."""
    text = " ".join(word.lstrip("-") for word in " ".join(words).split())

    query = parse(text, NO_FIELDS)

    assert query.holds(shown, NOW, str.casefold) == all(
        word in shown.casefold() for word in text.casefold().split()
    )


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters='"'), min_size=1))
def test_a_quoted_text_is_found_as_it_is(text: str) -> None:
    """Whatever is in it, a sign and blanks included; and only where it is."""
    query = parse(quoted(text), RUNS.fields)

    assert query.holds(run(), NOW, lambda _: f"x{text}y".casefold())
    assert not text.strip() or not query.holds(run(), NOW, lambda _: "")


@given(st.floats(0, 1e9), st.sampled_from(["<", ">", "<=", ">="]))
def test_a_length_is_compared_as_numbers_are(took: float, sign: str) -> None:
    """To the second, in all its units."""
    seconds = round(took)
    days, rest = divmod(seconds, 86_400)
    hours, rest = divmod(rest, 3_600)

    assert length_of(f"{days}d{hours}h{rest}s") == seconds
    assert length_of(f"-{days}d{hours}h{rest}s") == -seconds
    query = parse(f"took{sign}{days}d{hours}h{rest}s", RUNS.fields)
    took_so_long = 23 * HOUR
    held = {
        "<": took_so_long < seconds,
        ">": took_so_long > seconds,
        "<=": took_so_long <= seconds,
        ">=": took_so_long >= seconds,
    }[sign]
    assert query.holds(run(), NOW, shows) is held


# -- what the store chooses by ----------------------------------------------------------------


STATUSES = st.sampled_from([status.value for status in RunStatus])
TESTS = st.sampled_from(
    [
        "status:failed",
        "-status:failed",
        "status:p,q",
        "status:i",
        "workflow=etl",
        "-workflow=etl",
        "workflow=etl,deploy-api",
        "workflow:e",
        "age<2h",
        "age>2h",
        "since:today",
        "before:today",
        "before:yesterday",
        "ended:today",
        "deploy",
        "is:held",
    ]
)


@given(st.lists(TESTS, max_size=3), STATUSES, st.booleans(), st.sampled_from(["etl", "deploy-api"]))
def test_the_store_leaves_out_nothing_that_a_filter_shows(
    tests: list[str], status: str, held: bool, workflow: str
) -> None:
    """What is passed down is wide enough: a run that a person has paused, or whose process died, is journalled otherwise."""
    seen = run(status=status, held=held, workflow=workflow)
    query = parse(" ".join(tests), RUNS.fields)
    asked = run_filter(query, NOW, 500)
    journalled = RunStatus.RUNNING if status == "interrupted" else seen.status

    if query.holds(seen, NOW, shows):
        assert not asked.statuses or journalled in asked.statuses
        assert asked.workflow in (None, workflow)
        assert asked.before is None or seen.row.created_at < asked.before
        assert seen.row.created_at >= begins_at(query, NOW)


def test_what_the_store_can_choose_by_is_passed_down() -> None:
    """So it looks at all there are, and not only at those that were read."""
    query = parse("status:failed workflow=etl before:today since:2026-11-01 denied", RUNS.fields)
    asked = run_filter(query, NOW, 500)

    assert (asked.workflow, asked.statuses, asked.top_only) == ("etl", (RunStatus.FAILED,), True)
    assert asked.before == datetime(2026, 11, 28, tzinfo=UTC).timestamp()
    assert begins_at(query, NOW) == datetime(2026, 11, 1, tzinfo=UTC).timestamp()

    marks = parse("type:pause,fail block=gate since:1d is:open status:running", CHECKPOINTS.fields)
    wanted = checkpoint_filter(marks, (), NOW, 500)
    assert wanted is not None
    assert set(wanted.kinds) == {CheckpointKind.PAUSE, CheckpointKind.FAILURE}
    assert (wanted.block, wanted.since, wanted.open_pauses_only) == ("gate", NOW - DAY, True)
    assert checkpoint_filter(marks, (CheckpointKind.WAVE,), NOW, 500) is None


def test_a_day_is_the_day_that_it_is_when_rows_are_looked_at() -> None:
    """A monitor stays open over midnight."""
    query = parse("ended:today", RUNS.fields)

    assert query.holds(run(), NOW, shows)
    assert not query.holds(run(), NOW + timedelta(hours=10).total_seconds(), shows)


# -- completing, and orders -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "choices"),
    [
        ("sta", "sta", ("status", "started")),
        ("stat", "status:", ()),
        ("deploy -wor", "deploy -workflow:", ()),
        ("to", "took>", ()),
        ("status:f", "status:failed", ()),
        ("status:failed,pa", "status:failed,paused", ()),
        ("status:r", "status:r", ("running", "rejected")),
        ("by:", "by:me", ()),
        ("is:h", "is:held", ()),
        ("nothing:x", "nothing:x", ()),
        ("zzz", "zzz", ()),
    ],
)
def test_tab_writes_what_is_certain(before: str, after: str, choices: tuple[str, ...]) -> None:
    """And says what it may become where that is more than one thing."""
    done = completed(before, RUNS.fields)

    assert (done.text, done.choices) == (after, choices)


@given(st.lists(st.integers(0, 5), max_size=20), st.booleans())
def test_equal_rows_stay_in_their_order(numbers: list[int], is_reversed: bool) -> None:
    """Also where an order is reversed: rows do not jump for nothing."""
    runs = [run(workflow=f"wf{number}") for number in numbers]
    by_name = next(sort for sort in RUNS.sorts if sort.name == "workflow")
    ordered = in_order(runs, by_name, NOW, is_reversed=is_reversed)

    names = [seen.row.workflow for seen in ordered]
    assert names == sorted(names, reverse=is_reversed)
    for name in set(names):
        mine = [id(seen) for seen in ordered if seen.row.workflow == name]
        assert mine == [id(seen) for seen in runs if seen.row.workflow == name]


@pytest.mark.parametrize("listing", LISTINGS, ids=lambda listing: listing.name)
def test_every_list_can_be_filtered_as_it_says(listing: Listing[Any]) -> None:
    """Each field takes its own example, and what is there without being saved is understood."""
    fields = listing.fields
    names = [name for field in fields for name in field.names]

    assert len(names) == len(set(names))
    for field in fields:
        assert parse(field.usage, fields, Reader("ana")).fields == {field.name}
        for choice in field.choices:
            assert parse(f"{field.name}:{choice}", fields)
    for text in listing.filters.values():
        assert parse(text, fields)
