"""What benchmarks found, as sections of a page: a table and a plot of each."""

from collections.abc import Mapping, Sequence
from typing import Final

from ricordo_lab.bench.fading import DECAY
from ricordo_lab.bench.knowing import EXTRACT, FACTS, GRAPH, SLEEP, YEAR
from ricordo_lab.bench.lasting import SOAK
from ricordo_lab.bench.lines import (
    Section,
    columns,
    fields_of,
    named,
    of_the_result,
    percentiles,
    values_of,
)
from ricordo_lab.bench.markdown import chart, pairs, shown, table
from ricordo_lab.bench.options import Line
from ricordo_lab.bench.sharing import FAIRNESS


def section(lines: Sequence[Line]) -> str:
    """Return the section of a benchmark.

    Args:
        lines: what it said, the machine first, its result last.
    """
    machine, *found = lines
    name = str(found[-1]["bench"])
    return "\n\n".join(block for block in (*SECTIONS[name](found), _where(machine)) if block)


def _where(machine: Line) -> str:
    others = machine.get("others_percent")  # former records lack it
    beside = "" if others is None else f" and others at {shown(others)} % of the processors"
    return (
        f"On {shown(machine['cores'])} cores ({shown(machine['processor'])}, Python {machine['python']}), "
        f"load {shown(machine['load_before'])}{beside} before it, a million additions in "
        f"{shown(machine['million_additions_ms'])} ms."
    )


_STARTUP: Final[Section] = of_the_result(
    {
        "first_start_s": "first start, s",
        "start_s": "next start, s",
        "stop_s": "stop, s",
        "memory_mb": "memory of all processes, MB",
    }
)


_EMBEDDING: Final[Section] = of_the_result(
    {
        "model": "model",
        "precision": "precision",
        "tokens_per_text": "tokens a text",
        "texts_per_second": "texts/s, in batches",
        "texts_per_second_one_by_one": "one by one",
        "ratio_to_one_by_one": "ratio",
        "cpu_ms_per_text": "CPU of a text, in batches, ms",
    }
)


def _queue(lines: Sequence[Line]) -> Sequence[str]:
    overhead, acceptance, comparison = (
        [line for line in lines if line.get("part") == part]
        for part in ("overhead", "acceptance", "comparison")
    )
    return [
        "Overhead at half load, texts arriving by chance:",
        columns(
            {
                "model": "model",
                "requests_per_second": "bucket, requests/s",
                "texts_per_second_handed_in": "texts/s handed in",
                "texts_per_request": "texts a request",
                "latency_p50_ms": "hand-in to answer: p50, ms",
                "latency_p95_ms": "p95, ms",
                "overhead_p50_ms": "of which overhead: p50, ms",
                "overhead_p95_ms": "p95, ms",
            },
            overhead,
        ),
        "Acceptance, without a bucket:",
        columns(
            {
                "queue": "room of the queue",
                "handed_in_per_second": "handed in/s",
                "encoded_per_second": "encoded/s",
                "accepted_per_second": "accepted/s",
                "queued_at_the_end": "queued at the end",
                "callers_waiting_at_the_end": "callers waiting",
                "answered": "answered at last",
                "loop_late_p99_ms": "event loop late: p99, ms",
                "loop_late_max_ms": "at most, ms",
            },
            acceptance,
        ),
        chart(
            "Texts queued while 1,000 a second are handed in: with room for all, and with the usual room",
            ("s", _instants(acceptance[0])),
            ("texts", [values_of(line["queued"]) for line in acceptance]),
            "line",
        ),
        "A request for many against a request for each:",
        columns(
            {
                "requests_per_second": "bucket, requests/s",
                "in_flight": "requests at a time",
                "request_ms": "a request takes, ms",
                "texts_per_request": "texts a request",
                "texts_per_second": "texts/s, in batches",
                "texts_per_second_one_by_one": "one by one",
                "ratio_to_one_by_one": "ratio",
            },
            comparison,
        ),
    ]


def _ingest(lines: Sequence[Line]) -> Sequence[str]:
    *runs, result = lines
    spent = {name: value for name, value in result.items() if name.startswith("cpu_ms_")}
    parts = {"alone": "model alone", "workers": "workers, model included"}
    names = [parts.get(name.removeprefix("cpu_ms_"), name.removeprefix("cpu_ms_")) for name in spent]
    return [
        pairs(
            {
                "messages": result["messages"],
                "processes with workers": result["processes"],
                "events remembered per second": result["events_per_second"],
                "texts per second, the model alone": result["texts_per_second_alone"],
                "ratio": result["ratio"],
                "ratio of each run": [run["ratio"] for run in runs],
                "the same ratio of processor time": result["cpu_ratio"],
                "published per second, each acknowledged after its fsync": result["published_per_second"],
                "memory of all processes afterwards, MB": result["memory_mb"],
                **{
                    f"CPU per message, ms: {name}": value
                    for name, value in zip(names, spent.values(), strict=True)
                },
            }
        ),
        chart("CPU per message", ("of", names), ("ms", [list(spent.values())]), "bar"),
    ]


def _backlog(lines: Sequence[Line]) -> Sequence[str]:
    result = lines[-1]
    rates = [rate for name in ("rate_at_first", "rate_at_the_end") if (rate := fields_of(result[name]))]
    return [
        _progress(result),
        named(
            "memory, MB",
            {
                "before": "before",
                "fullest": "at the fullest",
                "after": "after",
                "growth_percent": "growth, %",
            },
            {
                "of the workers": result["memory_mb_of_workers"],
                "of all processes": result["memory_mb_of_all"],
            },
        ),
        named(
            "recall",
            {
                "questions": "questions",
                "p50_ms": "p50, ms",
                "p95_ms": "p95, ms",
                "incomplete": "incomplete",
                "failed": "failed",
            },
            {"before": result["recall_before"], "during": result["recall_during"]},
        ),
        columns(
            {
                "stored": "memories stored",
                "messages": "messages",
                "events_per_second": "events remembered per second",
                "texts_per_second_alone": "texts per second, the model alone",
                "ratio": "ratio",
                "cpu_ratio": "ratio of processor time",
            },
            rates,
        ),
        _growth(result),
        _meanwhile("Events remembered per second", "events/s", result["events_per_second_by_tenth"]),
        _meanwhile("Recall, 95th percentile", "ms", result.get("recall_p95_ms_by_tenth")),
        _meanwhile("Memory of the workers", "MB", result["memory_mb_of_workers_by_tenth"]),
    ]


def _meanwhile(title: str, unit: str, by_tenth: object) -> str:
    tenths = values_of(by_tenth)
    across = ("tenth of the time", list(range(1, len(tenths) + 1)))
    return chart(f"{title} while the backlog lasts", across, (unit, [tenths]), "line")


def _progress(result: Line) -> str:
    absent = values_of(result["not_reached"])
    return (
        f"{shown(result['remembered'])} of {shown(result['messages'])} messages, of {shown(result['users'])} "
        f"users, remembered in {shown(result['seconds'])} s."
        + (f" Not reached within the limit: {shown(absent)}." if absent else "")
    )


def _growth(result: Line) -> str:
    return (
        f"The last of these rates to the first: {shown(result['events_per_second_last_to_first'])}; "
        f"of the ratios: {shown(result['ratio_last_to_first'])}."
    )


def _recall(lines: Sequence[Line]) -> Sequence[str]:
    *sizes, result = lines
    parts = list(dict.fromkeys(name for one in sizes for name in fields_of(one["within"])))
    rows = [
        [one["memories"], one["questions"], one["p50_ms"], one["p95_ms"], one["memory_mb"]]
        + [fields_of(one["within"]).get(part) for part in parts]
        for one in sizes
    ]
    head = ["memories of the user", "questions", "p50, ms", "p95, ms", "memory of all processes, MB"]
    medians = (f"{part}: median, ms" for part in parts)
    return [
        table([*head, *medians], rows),
        f"p95 of the last to the first: {shown(result['p95_last_to_first'])}.",
        percentiles("Recall", "memories of the user", values_of(result["sizes"]), result),
    ]


def _index(lines: Sequence[Line]) -> Sequence[str]:
    *sizes, result = lines
    wanted = {
        "memories": "memories",
        "users": "users",
        "p50_ms": "p50, ms",
        "p95_ms": "p95, ms",
        "p50_cpu_ms": "CPU: p50, ms",
        "p95_cpu_ms": "p95, ms",
        "p95_ms_beside_writes": "p95 beside writes, ms",
        "written_per_s": "written/s",
        "disk_mb": "on disk, MB",
    }
    return [
        columns(wanted, sizes),
        f"p95 of the largest user to the smallest: {shown(result['p95_last_to_first'])}.",
        percentiles(
            "Vector search",
            "memories (users)",
            [f"{shown(one['memories'])} ({shown(one['users'])})" for one in sizes],
            result,
        ),
    ]


def _working(lines: Sequence[Line]) -> Sequence[str]:
    wanted = {
        "read": "read",
        "reads": "reads",
        "p50_ms": "in the worker: p50, ms",
        "p95_ms": "p95, ms",
        "p50_ms_over_nats": "over NATS: p50, ms",
        "p95_ms_over_nats": "p95, ms",
    }
    return [columns(wanted, lines[:-1])]


_ANALYSE: Final[Section] = of_the_result(
    {
        "questions": "questions",
        "p50_ms": "p50, ms",
        "p95_ms": "p95, ms",
        "p50_cpu_ms": "CPU: p50, ms",
        "p95_cpu_ms": "p95, ms",
        "p95_ms_of_messages": "of messages: p95, ms",
        "ms_of_the_longest": "of the longest, ms",
    }
)


def _enrich(lines: Sequence[Line]) -> Sequence[str]:
    result = lines[-1]
    spent = {name.removeprefix("us_"): value for name, value in result.items() if name.startswith("us_")}
    return [
        table(
            ["messages per second of one core", *(f"{part}, µs" for part in spent)],
            [[result["messages_per_second"], *spent.values()]],
        ),
        chart("Enrichment of a message", ("part", list(spent)), ("µs", [list(spent.values())]), "bar"),
    ]


def _instants(line: Line) -> Sequence[object]:
    """Return when the samples of a line were taken."""
    every = line["sample_s"]
    assert isinstance(every, int | float)  # noqa: S101 - a number, as it was said
    return [round((number + 1) * every, 3) for number in range(len(values_of(line["queued"])))]


SECTIONS: Final[Mapping[str, Section]] = {
    "startup": _STARTUP,
    "embedding": _EMBEDDING,
    "queue": _queue,
    "ingest": _ingest,
    "backlog": _backlog,
    "fairness": FAIRNESS,
    "recall": _recall,
    "working": _working,
    "index": _index,
    "analyse": _ANALYSE,
    "enrich": _enrich,
    "extract": EXTRACT,
    "graph": GRAPH,
    "facts": FACTS,
    "sleep": SLEEP,
    "decay": DECAY,
    "year": YEAR,
    "soak": SOAK,
}
"""How each benchmark is shown, by its name."""
