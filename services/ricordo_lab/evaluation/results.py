"""The lines that evaluations yield, how they are printed, and what several evaluations share."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ricordo.language.annotations import E5
from ricordo.models.encoder import Encoder
from ricordo.settings import EmbeddingSettings
from ricordo_lab.console import print_line, progress
from ricordo_services.app.embedding_models import open_models

Matrix = NDArray[np.float32]
_TOGETHER: Final = 1_024  # texts that are encoded between two reports of progress


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


async def encoded(encoder: Encoder, texts: Sequence[str]) -> Matrix:
    """Return the vectors of `texts`, [n, d]; texts of similar length are encoded together.

    Raises:
        ModelUnavailable: the model cannot encode.
    """
    order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
    vectors = np.zeros((len(texts), encoder.dimensions), dtype=np.float32)
    for at in range(0, len(order), _TOGETHER):
        some = order[at : at + _TOGETHER]
        vectors[some] = await encoder.encode([texts[one] for one in some])
        progress(f"  encoded {at + len(some)} of {len(texts)}")
    return vectors


async def head_vectors(texts: Sequence[str], *, questions: bool = False) -> Matrix:
    """Return the vectors of texts or questions by the model that the heads read, [n, d]."""
    async with open_models(EmbeddingSettings(model=E5)) as models:
        return await encoded(models.query if questions else models.batch, texts)


def quantise(weights: Matrix, steps: int = 127) -> tuple[NDArray[np.int8], Matrix]:
    """Return weights [n, targets] in so many steps up and down, and the step of each target."""
    step = (np.maximum(np.abs(weights).max(axis=0), 1e-12) / steps).astype(np.float32)
    return np.rint(weights / step).astype(np.int8), step
