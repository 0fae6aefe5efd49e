"""The lines that evaluations yield, and how they are printed."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby

import numpy as np
from numpy.typing import NDArray

from ricordo_lab.console import print_line

Matrix = NDArray[np.float32]


class NamedFigures(dict[str, object]):
    """Named figures, printed one a line; None is printed as undefined."""


class Row(dict[str, object]):
    """A row of a table; consecutive rows with the same keys and the same `table` are one table."""


class Miss(dict[str, object]):
    """An item that was not understood as labelled, printed in one line."""


def print_results(results: Iterable[NamedFigures | Row | Miss], *, as_json: bool) -> None:
    """Print lines as they come: JSON objects, or text for people."""
    if as_json:
        for result in results:
            print_line(json.dumps(result, default=str, ensure_ascii=False))
        return
    for kind, group in groupby(results, key=_kind):
        if kind[0] is Row:
            for line in _table([*group]):
                print_line(line)
            continue
        for result in group:
            if isinstance(result, Miss):
                print_line("  " + ", ".join(f"{name} {value}" for name, value in result.items()))
                continue
            for name, value in result.items():
                print_line(f"{name:24} {'undefined' if value is None else value}")


def _kind(result: NamedFigures | Row | Miss) -> tuple[object, ...]:
    return type(result), result.get("table"), *result


def _table(rows: Sequence[NamedFigures | Row | Miss]) -> Iterator[str]:
    """Yield a table with aligned columns, the title before it."""
    names = [name for name in rows[0] if name != "table"]
    cells = [names, *([str(row[name]) for name in names] for row in rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(names))]
    if title := rows[0].get("table"):
        yield f"\n{title}"
    for first, *others in cells:
        padded = (f"{cell:>{width}}" for cell, width in zip(others, widths[1:], strict=True))
        yield "  ".join(chain([f"{first:{widths[0]}}"], padded))
