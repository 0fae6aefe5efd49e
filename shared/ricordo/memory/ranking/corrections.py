"""Corrections come before what they correct."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from ricordo.memory.ranking import Ranked
from ricordo.memory.ranking.signals import Signals


def order_corrections(
    ranked: Sequence[Ranked], corrected_by: Mapping[UUID, Sequence[UUID]], limit: int | None = None
) -> list[Ranked]:
    """Return a ranking in which each correction stands before what it corrects.

    A correction that comes later, or was not found as it shares no word with the question, takes the place
    right before what it corrects, and the score of that; one that comes first stays where it is. Scores
    descend as they did.

    Args:
        ranked: the best first.
        corrected_by: of memories, what puts them right, be it by way of others, the latest first.
        limit: how many are returned; None for all.
    """
    if not corrected_by:
        return list(ranked[:limit])
    by_id = {one.id: one for one in ranked}
    ordered: dict[UUID, Ranked] = {}
    pending: set[UUID] = set()

    def place(one: Ranked) -> None:
        if one.id in ordered or one.id in pending:
            return
        pending.add(one.id)
        for each in corrected_by.get(one.id, ()):
            own = by_id.get(each) or Ranked(each, one.score, Signals())
            place(own._replace(score=max(own.score, one.score)))
        ordered[one.id] = one

    for one in ranked:
        place(one)
    return list(ordered.values())[:limit]
