"""What was counted, in the text format that Prometheus reads.

One page of text, for its file collector or whatever asks for it: nothing listens here.
What a store holds is the same whoever asks; how long it took is what one process has seen.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from tidegate.history.latencies import BOUNDS, Histogram, Latencies
from tidegate.history.statistics import AnswerTimes, Figures, Totals

__all__ = ["exposition", "process_exposition"]

_QUANTILES: Final = {"0.5": "p50", "0.9": "p90", "0.95": "p95", "0.99": "p99"}


class _Sample(NamedTuple):
    """One value, with what tells it from the others of its name."""

    value: float
    labels: Mapping[str, str] = {}
    suffix: str = ""


class _Metric(NamedTuple):
    """A name with all its values."""

    name: str
    kind: str
    help: str
    samples: Iterable[_Sample]


def exposition(totals: Totals) -> str:
    """Return *totals* as a page of metrics. Labels hold names of workflows; as many as there are."""
    return _page((*_of_workflows(totals), *_of_store(totals)))


def process_exposition(latencies: Latencies, *, running: int, held: int, readable: bool) -> str:
    """Return what one process has seen of its store as a page of metrics.

    Args:
        latencies: How long it took.
        running: How many blocks run in the process.
        held: How many of its runs wait because the store cannot be written.
        readable: Whether the store could be read for this page.
    """
    return _page(_of_process(latencies, running, held, readable=readable))


def _page(metrics: Iterable[_Metric]) -> str:
    return "\n".join(line for metric in metrics for line in _lines(metric))


def _lines(metric: _Metric) -> Iterator[str]:
    yield f"# HELP tidegate_{metric.name} {metric.help}"
    yield f"# TYPE tidegate_{metric.name} {metric.kind}"
    for sample in metric.samples:
        labels = ",".join(f'{name}="{_escaped(value)}"' for name, value in sample.labels.items())
        braces = f"{{{labels}}}" if labels else ""
        yield f"tidegate_{metric.name}{sample.suffix}{braces} {_number(sample.value)}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else repr(float(value))


# -- of each workflow -------------------------------------------------------------------------


def _of_workflows(totals: Totals) -> Iterator[_Metric]:
    every = totals.workflows
    yield _Metric("runs", "gauge", "Runs by workflow and status.", _by_status(every))
    yield _each("runs_nested", "Runs that a block of another run has started.", every, "nested")
    yield _each("runs_forked", "Runs that go on from a point of another run.", every, "forks")
    yield _each("open_pauses", "Questions that wait for an answer.", every, "open_pauses")
    yield _Metric(
        "oldest_open_pause_seconds",
        "gauge",
        "How long the question has waited that has waited longest.",
        [
            _Sample(max(0.0, totals.at - figures.oldest_open), {"workflow": name})
            for name, figures in every.items()
            if figures.oldest_open is not None
        ],
    )
    # Gauges, not counters: what is removed from the store is no longer in them.
    yield _each("human_seconds", "Time in which a question of a run was open.", every, "human_seconds")
    yield _each("machine_seconds", "All other time of runs.", every, "machine_seconds")
    yield from _of_work(totals)
    yield _Metric(
        "time_to_answer_seconds", "summary", "How long answered questions had waited.", _answered(every)
    )


_DONE: Final = {
    "waves": "Waves that were completed in the last hour.",
    "blocks": "Attempts that succeeded in the last hour.",
    "retries": "Attempts that failed in the last hour and were made again by themselves.",
}


def _of_work(totals: Totals) -> Iterator[_Metric]:
    # Gauges over an hour, not counters: what is removed from the store is no longer counted.
    for field, text in _DONE.items():
        samples = [
            _Sample(getattr(done, field), {"workflow": name}) for name, done in totals.work.workflows.items()
        ]
        yield _Metric(f"{field}_last_hour", "gauge", text, samples)


def _by_status(every: Mapping[str, Figures]) -> Iterator[_Sample]:
    for name, figures in every.items():
        for status, how_many in figures.by_status.items():
            yield _Sample(how_many, {"workflow": name, "status": str(status)})


def _each(name: str, text: str, every: Mapping[str, Figures], field: str) -> _Metric:
    samples = [
        _Sample(getattr(figures, field), {"workflow": workflow}) for workflow, figures in every.items()
    ]
    return _Metric(name, "gauge", text, samples)


def _answered(every: Mapping[str, Figures]) -> Iterator[_Sample]:
    for name, figures in every.items():
        yield from _summary(figures.answered, {"workflow": name})


def _summary(times: AnswerTimes, labels: Mapping[str, str]) -> Iterator[_Sample]:
    if times.count:
        for quantile, name in _QUANTILES.items():
            yield _Sample(getattr(times, name), {**labels, "quantile": quantile})
    yield _Sample(times.total, labels, "_sum")
    yield _Sample(times.count, labels, "_count")


# -- of the store -----------------------------------------------------------------------------

_STORE: Final = {
    "bytes": ("store_bytes", "All that the store takes, what is free in it included."),
    "free_bytes": ("store_free_bytes", "What nothing fills in it."),
    "value_bytes": ("store_value_bytes", "Values, as kept."),
    "output_bytes": ("store_output_bytes", "Output, as kept."),
    "events": ("events", "Events of all journals."),
    "values": ("values", "Values that are kept by their content."),
    "checkpoints": ("checkpoints", "Checkpoints on the list."),
    "pinned": ("checkpoints_pinned", "Checkpoints that somebody wants kept."),
    "removing": ("runs_removing", "Removed runs of which something is left."),
}


def _of_store(totals: Totals) -> Iterator[_Metric]:
    for field, (name, text) in _STORE.items():
        yield _Metric(name, "gauge", text, [_Sample(getattr(totals.store, field))])
    if totals.store.cleaned_up_at is not None:
        text = "When somebody cleaned up last, in seconds since 1970 UTC."
        yield _Metric("cleaned_up_timestamp_seconds", "gauge", text, [_Sample(totals.store.cleaned_up_at)])
    yield from _of_health(totals)
    kinds = [_Sample(how_many, {"kind": kind}) for kind, how_many in totals.orphans.items()]
    yield _Metric("orphans", "gauge", "Things without an owner, or that miss what they need.", kinds)


def _of_health(totals: Totals) -> Iterator[_Metric]:
    health = totals.health
    states = {"held": health.held, "late": health.late, "lost": health.lost}
    leases = [_Sample(how_many, {"state": state}) for state, how_many in states.items()]
    text = "Leases: of processes that live, run out and not given back, of processes that are gone."
    yield _Metric("leases", "gauge", text, leases)
    yield _Metric(
        "queued_runs", "gauge", "Runs on top that nobody has begun to drive.", [_Sample(health.queued)]
    )
    waited = 0.0 if health.queued_since is None else max(0.0, totals.at - health.queued_since)
    text = "How long the run has waited for a driver that has waited longest; 0: none waits."
    yield _Metric("oldest_queued_run_seconds", "gauge", text, [_Sample(waited)])
    if health.log_bytes is not None:
        text = "What is written and not yet in the store's own file."
        yield _Metric("store_log_bytes", "gauge", text, [_Sample(health.log_bytes)])
    if health.changed_at is not None:
        text = "When something changed last, in seconds since 1970 UTC."
        yield _Metric("store_changed_timestamp_seconds", "gauge", text, [_Sample(health.changed_at)])
    text = "Runs on top that were removed so far."
    yield _Metric("runs_removed_total", "counter", text, [_Sample(totals.removals.total)])


# -- of a process -----------------------------------------------------------------------------


def _of_process(latencies: Latencies, running: int, held: int, *, readable: bool) -> Iterator[_Metric]:
    yield _Metric(
        "store_readable", "gauge", "1 if the store could be read for this page.", [_Sample(int(readable))]
    )
    yield _Metric("running_blocks", "gauge", "Blocks that run in this process.", [_Sample(running)])
    text = "Runs of this process that wait because the store cannot be written."
    yield _Metric("held_runs", "gauge", text, [_Sample(held)])
    yield _by_operation("store_save_seconds", "How long saves took until they were durable.", latencies.saves)
    yield _by_operation("store_load_seconds", "How long loads took.", latencies.loads)
    text = "How long it took to have the state of a run that was not in memory."
    yield _Metric("restore_seconds", "histogram", text, _buckets(latencies.restores, {}))
    text = "Saves and loads that failed; a conflict is decided again and loses nothing."
    failed = [
        _Sample(how_often, {"operation": operation, "error": error})
        for operation, error, how_often in latencies.failures()
    ]
    yield _Metric("store_errors_total", "counter", text, failed)


def _by_operation(name: str, text: str, histograms: Mapping[str, Histogram]) -> _Metric:
    samples = [
        sample
        for operation, histogram in sorted(histograms.items())
        for sample in _buckets(histogram, {"operation": operation})
    ]
    return _Metric(name, "histogram", text, samples)


def _buckets(histogram: Histogram, labels: Mapping[str, str]) -> Iterator[_Sample]:
    ends = (*(repr(bound) for bound in BOUNDS), "+Inf")
    for end, how_many in zip(ends, histogram.up_to(), strict=True):
        yield _Sample(how_many, {**labels, "le": end}, "_bucket")
    yield _Sample(histogram.total, labels, "_sum")
    yield _Sample(histogram.count, labels, "_count")
