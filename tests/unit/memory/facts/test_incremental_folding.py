"""What is folded as it comes is what is folded from all there is, whatever comes late."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from random import Random
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.language.facts.vocabulary import USER
from ricordo.memory.facts import (
    PREDICATES,
    Entity,
    Evidence,
    Fact,
    FactChanges,
    Folding,
    MessageContribution,
    Partition,
    entities,
    fold,
    normalise,
    partitions_for,
    partitions_of,
)
from ricordo.memory.facts.slot_histories import REACH, TooLateError

START = datetime(2026, 1, 1, tzinfo=UTC)


def said(value: str, number: int, *, predicate: str = "lives_in", subject: str = "user") -> Evidence:
    return Evidence(subject, predicate, value, f"m-{number}", START + timedelta(days=number))


@dataclass
class Follower:
    """Keeps up with what changes, and reads again what comes too late, as a ledger does."""

    folding: Folding
    told: list[Evidence] = field(default_factory=list)
    facts: dict[UUID, Fact] = field(default_factory=dict)
    entities: dict[str, Entity] = field(default_factory=dict)
    reread: list[Partition] = field(default_factory=list)

    @classmethod
    def reaching(cls, reach: int = REACH) -> "Follower":
        return cls(Folding("acme", "u-1", reach=reach))

    def learn(self, *new: Evidence) -> FactChanges:
        self.told += new
        for part in {part for row in new for part in partitions_of(row)}:
            rows = _of(part, new)
            if not self.folding.reaches(part, rows):
                self.reread += [part] if self.folding.reaches(part, ()) else []
                self.folding.forget(part)
                self.facts = {key: fact for key, fact in self.facts.items() if not _is_of(part, fact)}
                rows = _of(part, self.told)
            self.folding.add(part, rows, asked={row.message_id for row in new})
        changes = self.folding.take_changes()
        self.facts |= {fact.id: fact for fact in changes.facts}
        for gone in changes.gone:
            del self.facts[gone]
        self.entities |= {one.key: one for one in changes.entities}
        return changes


def _is_of(part: Partition, fact: Fact) -> bool:
    """Whether a part is the one that makes a fact, and not only one in which it has a say."""
    subject = normalise(fact.subject)
    about = partitions_for(subject, fact.predicate, normalise(fact.object))
    return part in about and part.entity == ("" if subject == USER else subject)


def _of(part: Partition, rows: Iterable[Evidence]) -> list[Evidence]:
    return [row for row in rows if part in partitions_of(row)]


def _fold(rows: Iterable[Evidence]) -> tuple[Fact, ...]:
    return fold(rows, tenant="acme", user_id="u-1")


def _placed(row: Evidence) -> Evidence:
    """Give a message its instant, which some share."""
    return replace(row, at=START + timedelta(days=int(row.message_id[2:]) * 3 // 4))


ROWS = st.builds(
    Evidence,
    subject=st.sampled_from(("user", "user", "user", "Nora", "nora", "User", "")),
    predicate=st.sampled_from(("lives_in", "lives_in", "lives_in", "likes", "dislikes", "friend", "none")),
    object=st.sampled_from(("Rome", "rome", "Milan", "Nora", "user", " ")),
    message_id=st.integers(0, 19).map("m-{}".format),
    at=st.just(START),
    polarity=st.sampled_from(("holds", "holds", "holds", "began", "past", "denied")),
    kind=st.sampled_from(("said",) * 9 + ("verified", "unverified", "rejected")),
    valid_from=st.sampled_from((None, None, None, START - timedelta(days=9), START + timedelta(days=4))),
    valid_to=st.sampled_from((None, None, None, None, START + timedelta(days=2))),
    position=st.integers(0, 2),
).map(_placed)


WORDS = st.builds(
    Evidence,
    subject=st.sampled_from(("user", "user", "Nora")),
    predicate=st.sampled_from(("lives_in", "lives_in", "likes")),
    object=st.sampled_from(("Rome", "Milan", "Turin")),
    message_id=st.integers(0, 19).map("m-{}".format),
    at=st.just(START),
    polarity=st.sampled_from(("holds", "holds", "denied")),
    kind=st.sampled_from(("said", "said", "verified", "unverified", "rejected", "restored")),
    valid_from=st.sampled_from((None, None, START - timedelta(days=9), START + timedelta(days=4))),
).map(_placed)
"""Mostly what the user says, and takes back; what is `restored` was rejected at some instant."""
CORRECTIONS = st.builds(
    lambda row, right: [replace(row, kind="rejected"), replace(row, object=right, kind="verified")],
    WORDS,
    st.sampled_from(("Rome", "Milan", "Turin")),
)
SETTLED = st.lists(
    st.one_of(
        st.lists(WORDS, min_size=1, max_size=2),
        CORRECTIONS,
        st.builds(
            lambda row, day: [replace(row, kind="restored", valid_to=START + timedelta(days=day))],
            WORDS,
            st.integers(0, 14),
        ),
    ),
    max_size=20,
).map(lambda found: [row for rows in found for row in rows])


@given(
    st.one_of(st.lists(ROWS, max_size=50), SETTLED),
    st.sampled_from((1, 2, 5, REACH)),
    st.integers(1, 4),
    st.integers(0, 20),
    st.randoms(use_true_random=False),
)
def test_in_any_order_and_batches_it_is_the_fold_of_all(
    evidence: Sequence[Evidence], reach: int, size: int, swaps: int, chance: Random
) -> None:
    rows: dict[str, list[Evidence]] = defaultdict(list)
    for row in evidence:
        rows[row.message_id].append(row)
    order = sorted(rows, key=lambda one: rows[one][0].at)
    for _ in range(swaps if order else 0):
        here, there = (chance.randrange(len(order)) for _ in range(2))
        order[here], order[there] = order[there], order[here]
    follower = Follower.reaching(reach)
    for start in range(0, len(order), size):
        batch = order[start : start + size]
        changes = follower.learn(*(row for one in batch for row in rows[one]))
        facts = _fold(follower.told)
        assert set(follower.facts.values()) == set(facts)
        assert all(changes.facts.count(fact) == 1 for fact in changes.facts)
        known = [row for row in follower.told if row.predicate in PREDICATES]
        assert follower.entities == {one.key: one for one in entities(known)}
        for one in batch:
            if all(row.kind != "verified" for row in rows[one]):  # what a user confirms is told, too
                supported = tuple(fact for fact in facts if one in fact.message_ids)
                found = changes.contributions.get(one, MessageContribution())
                assert found.supported == supported
                first = tuple(fact for fact in supported if fact.message_ids[0] == one)
                assert set(found.new) <= set(first)
                if all(row.kind != "verified" for row in known):
                    assert found.new == first
                assert set(found.new).isdisjoint(found.reinforced)
                assert all(not fact.current for fact in found.superseded)
                assert {fact for fact in supported if fact.disputed} <= set(found.disputed)
                assert all(fact.disputed for fact in found.disputed)
    assert follower.folding.facts() == _fold(evidence)


def test_only_what_has_changed_is_told() -> None:
    follower = Follower.reaching()
    for number in range(30):
        follower.learn(said("Rome" if number % 2 else "Milan", number))
    changes = follower.learn(said("Turin", 30), said("tea", 30, predicate="likes"))
    assert sorted((fact.object, fact.current) for fact in changes.facts) == [
        ("Rome", False),
        ("Turin", True),
        ("tea", True),
    ]
    assert changes.gone == ()


def test_a_row_takes_its_place_as_long_as_those_after_it_can_be_taken_back() -> None:
    follower = Follower.reaching(reach=4)
    follower.learn(
        *(said("Rome" if number % 3 else "Milan", number) for number in range(100) if number != 97)
    )
    follower.learn(said("Bari", 97))
    follower.learn(said("Bari", 5, predicate="likes"))
    assert follower.reread == []
    follower.learn(said("Turin", 3))
    assert follower.reread == [Partition(predicate="lives_in")]
    assert set(follower.facts.values()) == set(_fold(follower.told))


def test_what_comes_too_late_is_refused() -> None:
    folding, part = Folding("acme", "u-1", reach=1), Partition(predicate="lives_in")
    folding.add(part, [said("Rome", number) for number in range(1, 9)])
    assert not folding.reaches(part, [said("Milan", 0)])
    with pytest.raises(TooLateError):
        folding.add(part, [said("Milan", 0)])
