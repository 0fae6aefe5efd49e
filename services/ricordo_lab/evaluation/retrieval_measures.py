"""Measures of retrieval: how much of the evidence of a question was returned, and at which ranks."""

import math
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from ricordo_lab.evaluation.results import Row

CUTOFFS: Final = (1, 3, 5, 10, 25, 50)
NDCG_AT: Final = 10


@dataclass(frozen=True, slots=True)
class Measured:
    """The measures of one question, or the mean of many.

    Attributes:
        fraction: by cutoff, the share of the evidence among the first that many, [0, 1].
        any: by cutoff, whether (or how often) some of the evidence is.
        all: by cutoff, whether (or how often) all of it is.
        ndcg: normalised discounted cumulative gain of the first ten (Järvelin & Kekäläinen 2002), [0, 1].
    """

    fraction: tuple[float, ...]
    any: tuple[float, ...]
    all: tuple[float, ...]
    ndcg: float

    def at(self, cutoff: int) -> float:
        """Return the share of the evidence among the first that many, one of `CUTOFFS`."""
        return self.fraction[CUTOFFS.index(cutoff)]


def measure(found: Sequence[str], evidence: Collection[str]) -> Measured:
    """Measure one answer."""
    hits = [one in evidence for one in found]
    counts = [sum(hits[:cutoff]) for cutoff in CUTOFFS]
    best = sum(1 / math.log2(place + 2) for place in range(min(NDCG_AT, len(evidence))))
    gained = sum(hit / math.log2(place + 2) for place, hit in enumerate(hits[:NDCG_AT]))
    return Measured(
        fraction=tuple(count / len(evidence) for count in counts),
        any=tuple(float(count > 0) for count in counts),
        all=tuple(float(count == len(evidence)) for count in counts),
        ndcg=gained / best,
    )


def mean(several: Sequence[Measured]) -> Measured:
    """Return the mean over questions, of which there is at least one."""

    def column(rows: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
        return tuple(sum(values) / len(rows) for values in zip(*rows, strict=True))

    return Measured(
        fraction=column([one.fraction for one in several]),
        any=column([one.any for one in several]),
        all=column([one.all for one in several]),
        ndcg=sum(one.ndcg for one in several) / len(several),
    )


def row(table: str, name: str, several: Sequence[Measured]) -> Row:
    """Return the mean over questions as a row of a table."""
    measured = mean(several)
    by_cutoff = {
        f"{kind}@{cutoff}": round(values[place], 4)
        for kind, values in asdict(measured).items()
        if isinstance(values, tuple)
        for place, cutoff in enumerate(CUTOFFS)
    }
    found = {"table": table, "name": name, "questions": len(several)}
    return Row({**found, **by_cutoff, "ndcg@10": round(measured.ndcg, 4)})
