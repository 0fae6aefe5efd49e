"""What an evaluation found, as text, as JSON and as Markdown."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Final

from ricordo_lab.evaluation.measures import CUTOFFS, Measured

_HEAD: Final = ("R@5", "R@10", "R@25", "R@50", "any@10", "all@10", "nDCG@10", "questions")
_TEN: Final = CUTOFFS.index(10)


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement.

    Attributes:
        table: what it is compared with.
        name: what was measured.
        measured: the mean.
        questions: of how many.
    """

    table: str
    name: str
    measured: Measured
    questions: int

    def cells(self) -> list[str]:
        """Return the figures under the table's head."""
        found = self.measured
        figures = (*found.fraction, found.any[_TEN], found.all[_TEN], found.ndcg)
        return [*(f"{figure:.3f}" for figure in figures), str(self.questions)]

    def line(self) -> dict[str, object]:
        """Return the row for JSON."""
        measured = asdict(self.measured)
        by_cutoff = {
            f"{name}@{cutoff}": round(values[place], 4)
            for name, values in measured.items()
            if isinstance(values, tuple)
            for place, cutoff in enumerate(CUTOFFS)
        }
        told = {"table": self.table, "name": self.name, "questions": self.questions}
        return {**told, **by_cutoff, "ndcg@10": round(self.measured.ndcg, 4)}


def text(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the tables, line by line, for a terminal."""
    width = max(len(row.name) for row in rows)
    for table, of_it in groupby(rows, key=lambda row: row.table):
        yield ""
        yield f"{table:{width}}  " + "  ".join(f"{name:>7}" for name in _HEAD)
        for row in of_it:
            yield f"{row.name:{width}}  " + "  ".join(f"{cell:>7}" for cell in row.cells())


def markdown(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the tables, and R@10 of each as a plot, line by line, for a page of documentation."""
    for table, of_it in groupby(rows, key=lambda row: row.table):
        listed = list(of_it)
        yield ""
        yield f"| {table} | " + " | ".join(_HEAD) + " |"
        yield "|---|" + "---:|" * len(_HEAD)
        for row in listed:
            yield f"| {row.name} | " + " | ".join(row.cells()) + " |"
        yield ""
        yield from _plot(table, listed)


def _plot(table: str, rows: Sequence[Row]) -> Iterator[str]:
    """Yield a bar chart that pages of Markdown draw (Mermaid)."""
    names = ", ".join(f'"{row.name}"' for row in rows)
    figures = ", ".join(f"{row.measured.fraction[_TEN]:.3f}" for row in rows)
    yield "```mermaid"
    yield "xychart-beta horizontal"
    yield f'    title "R@10 by {table}"'
    yield f"    x-axis [{names}]"
    yield '    y-axis "R@10" 0 --> 1'
    yield f"    bar [{figures}]"
    yield "```"
