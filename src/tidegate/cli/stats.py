"""`tidegate stats`: how much there is, how old it is, and how long people and machines took."""

import contextlib
from collections.abc import Mapping

import click

from tidegate.cli import options
from tidegate.cli.console import emit_json, say, table
from tidegate.cli.exits import Exit
from tidegate.cli.grammar import Command, not_empty
from tidegate.cli.times import age
from tidegate.cli.wiring import Reading, read_store
from tidegate.history.health import Health
from tidegate.history.spans import size, span
from tidegate.history.statistics import AnswerTimes, Figures, Totals
from tidegate.history.work import Done
from tidegate.model.vitals import Removals
from tidegate.safe_text import safe_line
from tidegate.settings import Settings

__all__ = ["stats"]

_WIDTH = 18
_AGES = {"under_1h": "< 1 h", "under_1d": "1-24 h", "under_7d": "1-7 d", "older": "> 7 d"}


@click.command(cls=Command)
@click.option("--workflow", "-w", metavar="NAME", callback=not_empty, help="Only runs of this one.")
@click.option("--prometheus", is_flag=True, help="The text format of Prometheus on standard output.")
@options.serves("--serve", help="Serve that text over HTTP at /metrics, until INT or TERM.")
@options.as_json
@options.store
@options.pass_settings
def stats(
    settings: Settings,
    workflow: str | None,
    prometheus: bool,
    serve_at: tuple[str, int] | None,
    as_json: bool,
) -> int:
    """Show how much there is, how old it is, and how long people and machines took.

    Runs are counted by workflow and status, those that blocks have started included. Human time is that in
    which a question of a run was open; machine time is the rest of the time from its first event to its newest,
    without that in which it had failed or was cancelled, until somebody let it go on. What was done in the last hour and the last day is counted for the runs that are still kept.

    Exit code: 0.
    """
    if prometheus + as_json + (serve_at is not None) > 1:
        raise click.UsageError("--prometheus, --serve and --json are different things; choose one")
    if serve_at is not None:
        return _serve(settings, serve_at, workflow)

    async def work(reading: Reading) -> int:
        totals = await reading.history.totals(workflow)
        if as_json:
            emit_json({"store": reading.url, **totals.as_json()})
        elif prometheus:
            # Here: nobody else needs it.
            from tidegate.history.exposition import exposition

            say(exposition(totals))
        else:
            _tell(reading, totals)
        return Exit.SUCCEEDED

    return read_store(settings, work)


def _serve(settings: Settings, where: tuple[str, int], workflow: str | None) -> int:
    # Here: nobody else needs it.
    from tidegate.cli.metrics import serve_store

    with contextlib.suppress(KeyboardInterrupt):  # That is how it ends.
        serve_store(settings, where, workflow)
    return Exit.SUCCEEDED


def _tell(reading: Reading, totals: Totals) -> None:
    _say_runs(totals)
    _say_questions(totals.all)
    _say_work(totals)
    _say_store(reading, totals)
    if len(totals.workflows) > 1:
        say()
        headings = ("WORKFLOW", "RUNS", "OPEN", "ANSWERED IN", "HUMAN", "MACHINE", "BY STATUS")
        table(headings, [_row(name, figures) for name, figures in totals.workflows.items()])


def _line(name: str, value: str) -> None:
    say(f"{name:<{_WIDTH}}{value}")


def _say_runs(totals: Totals) -> None:
    figures, of = totals.all, f" of {safe_line(totals.workflow)}" if totals.workflow is not None else ""
    parts = [f"{figures.runs:,}{of}"]
    if figures.nested:
        parts.append(f"{figures.nested:,} of them started by others")
    if figures.forks:
        parts.append(f"{figures.forks:,} of them forks")
    _line("runs", ", ".join(parts))
    if not figures.runs:
        return
    _line("by status", _counted(figures.by_status))
    _line("by age", _by_age(figures.by_age))
    if figures.oldest is not None and figures.newest is not None:
        _line("oldest, newest", f"{age(figures.oldest)} ago, {age(figures.newest)} ago")
    _line("human time", span(figures.human_seconds))
    _line("machine time", span(figures.machine_seconds))


def _say_questions(figures: Figures) -> None:
    text = f"{figures.open_pauses:,} open"
    if figures.oldest_open is not None:
        text += f", the oldest for {age(figures.oldest_open)}; {_by_age(figures.open_by_age)}"
    _line("questions", text)
    if figures.answered.count:
        _line("answered", f"{figures.answered.count:,}: {_percentiles(figures.answered)}")


def _percentiles(times: AnswerTimes) -> str:
    named = (("half", times.p50), ("90 %", times.p90), ("95 %", times.p95), ("99 %", times.p99))
    within = ", ".join(f"{name} within {span(seconds)}" for name, seconds in named)
    return f"{within}, the last after {span(times.longest)}"


def _say_work(totals: Totals) -> None:
    _line("last hour", _done(totals.work.hour))
    _line("last 24 hours", _done(totals.work.day))
    _line("leases", _leases(totals.health))
    queued = f"{totals.health.queued:,} runs"
    if totals.health.queued_since is not None:
        queued += f", the oldest for {age(totals.health.queued_since)}"
    _line("queued", queued)


def _done(done: Done) -> str:
    return f"{done.waves:,} waves, {done.blocks:,} blocks, {done.retries:,} retries"


def _leases(health: Health) -> str:
    parts = [f"{health.held:,} held"]
    if health.late:
        parts.append(f"{health.late:,} run out and not given back")
    if health.lost:
        parts.append(f"{health.lost:,} of processes that are gone")
    return ", ".join(parts)


def _say_store(reading: Reading, totals: Totals) -> None:
    store = totals.store
    _line("store", reading.url)
    free = f", {size(store.free_bytes)} of it free" if store.free_bytes else ""
    log = totals.health.log_bytes
    _line("size", f"{size(store.bytes)}{free}{'' if log is None else f'; its log (WAL) {size(log)}'}")
    if totals.is_large:
        _line("", f"That is large: `{reading.call} checkpoints prune --dry-run` says what could go")
    _line("events", f"{store.events:,}")
    _line(
        "values, output",
        f"{store.values:,} values in {size(store.value_bytes)}, {size(store.output_bytes)}",
    )
    _line("checkpoints", f"{store.checkpoints:,}, {store.pinned:,} pinned")
    _line("cleaned up", f"{age(store.cleaned_up_at)} ago" if store.cleaned_up_at is not None else "never")
    _say_removals(totals.removals)
    if totals.health.changed_at is not None:
        _line("changed", f"{age(totals.health.changed_at)} ago")
    if store.removing:
        _line("removing", f"{store.removing:,} runs that are gone have left something yet")
    if totals.orphans:
        _line("orphans", f"{_counted(totals.orphans)}: `{reading.call} checkpoints verify` says more")


def _say_removals(removals: Removals) -> None:
    text = f"{removals.total:,} runs"
    for last in removals.newest[:1]:
        text += f", the last one {age(last.at)} ago{f' by {safe_line(last.by)}' if last.by else ''}"
    _line("removed", text)


def _counted(named: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in named.items())


def _by_age(ages: Mapping[str, int]) -> str:
    return ", ".join(f"{_AGES[name]}: {count:,}" for name, count in ages.items())


def _row(name: str, figures: Figures) -> tuple[str, ...]:
    answered = figures.answered
    return (
        name,
        f"{figures.runs:,}",
        f"{figures.open_pauses:,}",
        f"{span(answered.p50)} (95 %: {span(answered.p95)})" if answered.count else "-",
        span(figures.human_seconds),
        span(figures.machine_seconds),
        _counted(figures.by_status),
    )
