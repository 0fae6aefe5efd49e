"""What benchmarks of knowledge found, as sections of a page: facts, the graph, asking, sleep, a year."""

from collections.abc import Sequence
from typing import Final

from ricordo_lab.bench.lines import Section, columns, of_the_result
from ricordo_lab.bench.markdown import shown, table
from ricordo_lab.bench.options import Line

EXTRACT: Final[Section] = of_the_result(
    {
        "messages_per_second": "messages per second of one core",
        "stating_percent": "of which state facts, %",
        "facts_per_message": "facts a message",
        "p95_us": "a message: p95, µs",
        "ms_of_the_longest": "of the longest, ms",
    }
)

GRAPH: Final[Section] = of_the_result(
    {
        "facts": "facts",
        "written_per_second_of_one_user": "written/s, of one user",
        "users": "of so many users",
        "written_per_second_of_many_users": "written/s",
        "written_again_per_second": "written again/s",
        "read_per_second": "read/s",
        "ms_to_remove_some": "removing twenty, ms",
    }
)


def _facts(lines: Sequence[Line]) -> Sequence[str]:
    *found, result = lines
    told = (
        f"{shown(result['facts'])} facts, told in {shown(result['messages'])} messages within "
        f"{shown(result['told_in_s'])} s; each way of asking {shown(result['questions'])} times, "
        f"{shown(result['runs'])} times over."
    )
    return [
        told,
        columns(
            {"asked": "asked", "p50_ms": "p50, ms", "p95_ms": "p95, ms", "p95_ms_of_each_run": "of each run"},
            found,
        ),
    ]


FACTS: Final[Section] = _facts


def _sleep(lines: Sequence[Line]) -> Sequence[str]:
    result = lines[-1]
    told = (
        f"{shown(result['memories'])} memories of two users, {shown(result['compressed'])} of them condensed "
        f"into {shown(result['syntheses'])} syntheses within {shown(result['pass_s'])} s, which were found "
        f"{shown(result['indexed_s'])} s later; {shown(result['questions'])} details asked for."
    )
    rows = {
        "tokens of a context, asked for a detail": "tokens",
        "tokens of a context, asked broadly": "broad_tokens",
        "details that the context tells": "answered",
        "details whose message a recall shows": "recalled",
    }
    values = [[name, result[f"{of}_before"], result[f"{of}_after"]] for name, of in rows.items()]
    return [told, table(["", "before", "after"], values)]


SLEEP: Final[Section] = _sleep


def _year(lines: Sequence[Line]) -> Sequence[str]:
    *found, result = lines
    lived = (
        f"{shown(result['users'])} users, {shown(result['days'])} days, {shown(result['messages_a_day'])} "
        f"messages of each a day."
    )
    wanted = {
        "run": "",
        "long_ago": "what mattered months ago, among the first five",
        "lately": "what happened lately, among the first five",
        "memories": "memories",
        "hot": "in the hot index",
        "context_tokens": "tokens of a context",
        "seconds": "lived in, s",
    }
    asked = f"Asked {shown(result['long_ago_asked'])} and {shown(result['lately_asked'])} times."
    return [lived, columns(wanted, found), asked]


YEAR: Final[Section] = _year
