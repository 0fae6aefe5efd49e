"""Which texts are similar: a function of two vectors alone, whoever computes it, in whatever batch."""

from collections.abc import Collection, Mapping
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

DIGITS: Final = 4
"""Decimals of a cosine; what is finer is noise of the encoder."""


def similar_pairs(
    vectors: Mapping[UUID, NDArray[np.float32]], compared: Collection[UUID], threshold: float
) -> dict[tuple[UUID, UUID], float]:
    """Return the pairs of some texts with any others whose cosine reaches the threshold, with the cosine.

    Args:
        vectors: float32 [d] each, of one model, by text; one without direction is similar to nothing.
        compared: keys of `vectors`: the texts of which all pairs are returned.
        threshold: the least cosine, above 0; both are compared to `DIGITS` decimals.

    Returns:
        The cosines, rounded, by pair: the smaller id first.
    """
    ids = list(vectors)
    if not ids:
        return {}
    matrix = np.stack([vectors[one] for one in ids]).astype(np.float64)
    # Not a product of matrices, whose sums depend on how many are multiplied, and which would take all cores.
    lengths = np.sqrt(np.einsum("nd,nd->n", matrix, matrix))
    units = matrix / np.where(lengths > 0, lengths, np.inf)[:, np.newaxis]
    places = {one: place for place, one in enumerate(ids)}
    pairs: dict[tuple[UUID, UUID], float] = {}
    for one in compared:
        cosines = np.round(np.einsum("nd,d->n", units, units[places[one]]), DIGITS)
        for place in np.flatnonzero(cosines >= round(threshold, DIGITS)).tolist():
            if ids[place] != one:
                pairs[min(one, ids[place]), max(one, ids[place])] = float(cosines[place])
    return pairs
