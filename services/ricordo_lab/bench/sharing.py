"""What a benchmark found of users who share the workers, as a section of a page."""

from collections.abc import Sequence
from typing import Final

from ricordo_lab.bench.lines import Section, columns, fields_of, named, values_of
from ricordo_lab.bench.options import Line


def _fairness(lines: Sequence[Line]) -> Sequence[str]:
    lanes = [fields_of(lane) for lane in values_of(lines[-1]["lanes"])]
    wanted = {"messages": "messages", "p50_s": "p50, s", "p95_s": "p95, s", "max_s": "longest, s"}
    waits = {
        f"{said}, {when}": lane[f"{field}{part}"]
        for lane in lanes
        for said, field in (("remembered", ""), ("in the history", "in_history_"))
        for when, part in ((f"alone, before {lane['lane']}", "alone"), (f"beside {lane['lane']}", "beside"))
    }
    return [
        columns(
            {
                "lane": "import on",
                "messages": "messages",
                "seconds": "watched for, s",
                "published_s": "published for, s",
                "imported": "remembered of it",
                "imported_per_second": "a second",
            },
            lanes,
        ),
        named("another's message is", wanted, waits),
        named(
            "memory of the workers, MB",
            {
                "before": "before",
                "fullest": "at the fullest",
                "after": "after",
                "growth_percent": "growth, %",
            },
            {str(lane["lane"]): lane["memory_mb_of_workers"] for lane in lanes},
        ),
    ]


FAIRNESS: Final[Section] = _fairness
