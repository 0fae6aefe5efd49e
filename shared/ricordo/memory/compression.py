"""Sleep: which memories are old and weak enough to be condensed, and which of them go together.

What goes together is a function of the set: the groups are the same in whatever order the memories are read.
"""

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from ricordo.language.annotations import Role
from ricordo.language.informative import INFORMATIVE
from ricordo.language.small_talk import tells_something
from ricordo.memory.model import Memory, Source
from ricordo.memory.ranking.profiles import BudgetProfile

AGE: Final = dt.timedelta(days=90)
"""How old a memory must be at the least."""
WORTH: Final = 3.0
"""The budget score below which it is weak."""
FEWEST: Final = 3
MOST: Final = 20
"""Memories of a group."""
ALIKE: Final = 0.5
"""The least cosine of each member of a group with the middle one; for MiniLM."""
BLOCK: Final = 512
"""Memories that are compared with each other at once: a megabyte of cosines."""

_DAY: Final = dt.timedelta(days=1)
_BUDGET: Final = BudgetProfile()

Cosines: TypeAlias = NDArray[np.int16]

_READ: Final = 1_000  # characters of a text in which it is looked whether it tells anything


@dataclass(frozen=True, slots=True, eq=False)
class CompressionCandidate:
    """A memory as far as grouping looks at it.

    Attributes:
        created_at: when it was said, aware.
        language: of it; different ones never go together.
        about: whom it is about, folded: of its participants those who do not say it.
        vector: float32 [d], unit norm, of the same model in all.
    """

    id: UUID
    created_at: dt.datetime
    language: str
    about: tuple[str, ...]
    vector: NDArray[np.float32]


Period: TypeAlias = Callable[[CompressionCandidate], tuple[int, ...]]


def compression_cutoff(now: dt.datetime) -> dt.datetime:
    """Return the moment before which a memory must have been said."""
    return now - AGE


def is_weak(memory: Memory, now: dt.datetime) -> bool:
    """Say whether a memory may be condensed: older than 90 days and of a budget score below 3.

    Never what the user holds on to (pinned, verified, corrected), what was condensed before, what no message
    is behind (summaries, reflections, syntheses, extracts of documents), what expires by itself, and what an
    assistant, a tool or the system said, or tells nothing: that is no memory of the user's life. What is in
    the archive is condensed like the rest: most of what is weak lies there.

    Args:
        memory: enriched.
        now: aware.
    """
    return (
        memory.message_id is not None
        and memory.role == Role.USER
        and memory.informative >= INFORMATIVE
        and not (memory.pinned or memory.verified or memory.compressed)
        and memory.source != Source.USER_CORRECTION
        and memory.expires_at is None
        and memory.created_at < compression_cutoff(now)
        and budget_score(memory, now) < WORTH
    )


def budget_score(memory: Memory, now: dt.datetime) -> float:
    """Return the budget score of a memory."""
    numbers = (
        (now - memory.created_at) / _DAY,
        memory.access_count,
        memory.importance,
        memory.token_count,
    )
    return float(_BUDGET.worth(*map(np.float64, numbers)))


def subjects_of(participants: Iterable[str], speaker: str) -> tuple[str, ...]:
    """Return whom a memory is about, folded: its participants but for who says it."""
    folded = dict.fromkeys(one.casefold() for one in participants)
    return tuple(one for one in folded if one != speaker.casefold())


def group_memories(
    memories: Iterable[CompressionCandidate], alike: float = ALIKE
) -> list[tuple[CompressionCandidate, ...]]:
    """Say which memories are condensed together, each in one group at the most.

    First by language and by whom they are about: of several, the one that most of all memories are about.
    Then by meaning: again and again the memory that most others are like, with the nearest of these, as long
    as there are three in all. Those of the same quarter of a year go first; who finds no company there is
    looked at among those of the year, then among all. Of more than 512, only those near in time are compared,
    so that n memories take n * 512 comparisons, and space for 512².

    Args:
        memories: in any order.
        alike: the least cosine with the middle one, to three digits.

    Returns:
        Groups of 3 to 20 memories, each in the order of time. Who has condensed the first of them and groups
        what is left goes on where it was, unless memories about several people, or more than 512 in a
        quarter, make others meet.
    """
    ordered = sorted(memories, key=_place)
    found: list[tuple[CompressionCandidate, ...]] = []
    for left in _by_entity(ordered):
        for period in (_quarter, _year, _all_time):
            left = _grouped(left, period, alike, found)  # noqa: PLW2901 - what is left after each
    return found


def _place(memory: CompressionCandidate) -> tuple[dt.datetime, UUID]:
    return memory.created_at, memory.id


def _by_entity(ordered: Sequence[CompressionCandidate]) -> list[list[CompressionCandidate]]:
    known = Counter(name for one in ordered for name in one.about)
    apart: dict[tuple[str, str], list[CompressionCandidate]] = defaultdict(list)
    for one in ordered:
        name = min(one.about, key=lambda each: (-known[each], each), default="")
        apart[one.language, name].append(one)
    return list(apart.values())


def _quarter(memory: CompressionCandidate) -> tuple[int, ...]:
    said = memory.created_at.astimezone(dt.UTC)
    return said.year, (said.month - 1) // 3


def _year(memory: CompressionCandidate) -> tuple[int, ...]:
    return (memory.created_at.astimezone(dt.UTC).year,)


def _all_time(_: CompressionCandidate) -> tuple[int, ...]:
    return ()


def _grouped(
    ordered: Sequence[CompressionCandidate],
    period: Period,
    alike: float,
    found: list[tuple[CompressionCandidate, ...]],
) -> list[CompressionCandidate]:
    """Add to `found` the groups within each period; return those who are in none, in their order."""
    if len(ordered) < FEWEST:
        return list(ordered)
    apart: dict[tuple[int, ...], list[CompressionCandidate]] = defaultdict(list)
    for one in ordered:
        apart[period(one)].append(one)
    left: list[CompressionCandidate] = []
    for within in apart.values():
        for start in range(0, len(within), BLOCK):
            block = within[start : start + BLOCK]
            taken: set[int] = set()
            for star in _stars(_cosines(block), round(alike * 1000)):
                found.append(tuple(block[at] for at in star))
                taken.update(star)
            left += [one for at, one in enumerate(block) if at not in taken]
    return left


def _cosines(block: Sequence[CompressionCandidate]) -> Cosines:
    """Return the cosine of each with each, in thousandths: int16 [n, n]."""
    vectors = np.stack([one.vector for one in block])
    cosines: Cosines = np.rint((vectors @ vectors.T) * 1000).astype(np.int16)
    return cosines


def _stars(cosines: Cosines, least: int) -> Iterator[list[int]]:
    """Yield groups of places, each sorted: a middle one, of most company first, and the nearest to it."""
    near = cosines >= least
    np.fill_diagonal(near, val=True)
    company = near.sum(axis=1)
    while company.size and company.max() >= FEWEST:
        middle = int(company.argmax())  # of equals, the earliest
        around = np.flatnonzero(near[middle])
        distant = np.where(around == middle, np.int16(-2_000), -cosines[middle, around])
        star = sorted(around[np.argsort(distant, kind="stable")[:MOST]].tolist())
        yield star
        company -= near[:, star].sum(axis=1)
        near[star, :] = False
        near[:, star] = False
        company[star] = 0


def is_worth_condensing(contents: Sequence[tuple[str, str]]) -> bool:
    """Say whether most of what was said tells something, and is no greeting, thanks or "sounds good".

    Args:
        contents: texts, each with its language.
    """
    telling = sum(tells_something(text[:_READ], language) for text, language in contents)
    return 2 * telling > len(contents)
