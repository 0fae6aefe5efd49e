"""What a benchmark said, taken apart for tables and plots."""

from collections.abc import Callable, Mapping, Sequence

from ricordo_lab.bench.markdown import chart, table
from ricordo_lab.bench.options import Line

Section = Callable[[Sequence[Line]], Sequence[str]]
"""Takes the lines of a benchmark, and returns the blocks of its section."""


def of_the_result(wanted: Mapping[str, str]) -> Section:
    """Return what shows fields of the last line, by their headings, as a table of one row."""
    return lambda lines: [columns(wanted, lines[-1:])]


def columns(wanted: Mapping[str, str], lines: Sequence[Line]) -> str:
    """Return a table with a row for each line and a column for each of its fields that is named."""
    return table(list(wanted.values()), [[line[name] for name in wanted] for line in lines])


def named(of: str, wanted: Mapping[str, str], rows: Mapping[str, object]) -> str:
    """Return a table with a row for each object of `rows`, by its name."""
    values = [[name, *(fields_of(row)[field] for field in wanted)] for name, row in rows.items()]
    return table([of, *wanted.values()], values)


def percentiles(title: str, across: str, places: Sequence[object], result: Line) -> str:
    """Return a plot of the 50th and the 95th percentile at each of `places`."""
    values = [values_of(result["p50_ms"]), values_of(result["p95_ms"])]
    return chart(f"{title}: p50 below, p95 above", (across, places), ("ms", values), "line")


def values_of(value: object) -> Sequence[object]:
    """Return the values of a field that is a list; none of any other."""
    return list(value) if isinstance(value, list | tuple) else []


def fields_of(value: object) -> Mapping[str, object]:
    """Return the fields of a field that is an object; none of any other."""
    return value if isinstance(value, Mapping) else {}
