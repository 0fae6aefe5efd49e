"""Which memories stay when a user has too many."""

import datetime as dt
import random
from dataclasses import replace
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from ricordo.memory.retention import Candidate, Strategy, memories_to_prune, retention_score

NOW = dt.datetime(2026, 2, 1, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)
STRATEGIES: tuple[Strategy, ...] = ("importance_weighted", "fifo", "recency")

instants = st.integers(-30, 900).map(lambda days: NOW - days * DAY)
candidates = st.builds(
    Candidate,
    id=st.uuids(),
    importance=st.sampled_from((0.0, 0.2, 0.2, 0.9, 1.0)) | st.floats(0, 1),
    created_at=instants,
    stored_at=instants,
    last_accessed=st.none() | instants,
    protected=st.sampled_from((False, False, False, True)),
)
memories = st.lists(candidates, max_size=20, unique_by=lambda one: one.id)
limits, strategies = st.integers(0, 25), st.sampled_from(STRATEGIES)


def one(number: int, importance: float = 0.5, days: float = 0) -> Candidate:
    said = NOW - days * DAY
    return Candidate(UUID(int=number), importance, said, said)


def test_each_strategy_lets_another_one_go() -> None:
    weighty = replace(one(1, 0.9, days=300), stored_at=NOW - 2 * DAY)
    first_in = replace(one(2, 0.8, days=100), stored_at=NOW - 200 * DAY)
    forgotten = replace(one(3, 0.1, days=200), stored_at=NOW - DAY)
    used = replace(one(4, 0.7, days=400), stored_at=NOW - 3 * DAY, last_accessed=NOW)
    all_of_them = [weighty, first_in, forgotten, used]
    gone = [memories_to_prune(all_of_them, 3, NOW, strategy) for strategy in STRATEGIES]
    assert gone == [[forgotten.id], [first_in.id], [weighty.id]]


@given(memories, limits, strategies)
def test_as_many_stay_as_may_and_the_protected_always(
    found: list[Candidate], limit: int, strategy: Strategy
) -> None:
    gone = memories_to_prune(found, limit, NOW, strategy)
    protected = sum(each.protected for each in found)
    assert len(found) - len(gone) == min(len(found), max(limit, protected))
    assert len(set(gone)) == len(gone)
    assert not {each.id for each in found if each.protected} & set(gone)


@given(memories, limits, strategies)
def test_nobody_goes_who_is_worth_more_than_who_stays(
    found: list[Candidate], limit: int, strategy: Strategy
) -> None:
    gone = set(memories_to_prune(found, limit, NOW, strategy))
    free = [each for each in found if not each.protected]
    stays = [retention_score(each, NOW, strategy) for each in free if each.id not in gone]
    goes = [retention_score(each, NOW, strategy) for each in free if each.id in gone]
    assert max(goes, default=0) <= min(stays, default=float("inf"))


@given(memories, limits, strategies, st.randoms(use_true_random=False))
def test_the_order_in_which_they_are_found_does_not_matter(
    found: list[Candidate], limit: int, strategy: Strategy, chance: random.Random
) -> None:
    shuffled = found.copy()
    chance.shuffle(shuffled)
    assert memories_to_prune(shuffled, limit, NOW, strategy) == memories_to_prune(found, limit, NOW, strategy)
