"""Rankings whose scores do not compare, because each goes by the cosines of its own embedding model."""

from collections.abc import Sequence
from itertools import accumulate

from ricordo.memory.ranking import Ranked
from ricordo.memory.ranking.fusion import reciprocal_rank


def merged(rankings: Sequence[Sequence[Ranked]], limit: int) -> list[Ranked]:
    """Merge rankings by reciprocal rank: the first of each, then the second of each, and so on.

    A score is raised to the best of those that come after it, so that scores descend as they do elsewhere,
    and none is lowered. Whoever is in two rankings comes with the score and the signals of the former.

    Args:
        rankings: each best first; of equal ranks, what is in the former comes first.
        limit: how many are returned.
    """
    by_id = {one.id: one for ranking in reversed(rankings) for one in ranking}
    order = list(reciprocal_rank([[one.id for one in ranking] for ranking in rankings]))[:limit]
    raised = list(accumulate((by_id[one].score for one in reversed(order)), max))[::-1]
    return [by_id[one]._replace(score=score) for one, score in zip(order, raised, strict=True)]
