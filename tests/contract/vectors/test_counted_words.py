"""Counting a user's words once gives every score that counting them at each search would give."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fixtures.eventually import eventually
from tests.support.factories import DIMENSIONS, point, unit_vector
from tests.support.memory_index import MemoryVectorIndex
from tests.support.vector_searches import ALL, LAWS, MODEL, WORDS, filled, searched, words

from ricordo.index.port import Hit, Point, Scope
from ricordo.index.qdrant import edge_shard
from ricordo.index.qdrant.candidates import IndexQuery
from ricordo.index.qdrant.edge import EdgeVectorIndex
from ricordo.index.qdrant.edge_shard import Shard, opened

NAMES = "abcdefghij"
TEXTS = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)


@st.composite
def written(draw: st.DrawFn) -> list[Point]:
    """Draw points of two users, some of which will replace others."""
    return [
        point(
            name,
            user_id="u-1" if name < "h" else "u-2",
            text=draw(TEXTS),
            before=draw(TEXTS),
            archived=draw(st.booleans()),
        )
        for name in draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=6, unique=True))
    ]


@dataclass(frozen=True)
class Change:
    how: str
    points: Sequence[Point]


CHANGES = st.lists(
    st.builds(
        Change,
        st.sampled_from(("write", "write", "refilter", "delete", "delete another's", "count")),
        written(),
    ),
    max_size=12,
)


@pytest.fixture(scope="module", autouse=True)
def shard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shard]:
    """A shard that counts three memories at a time, as all here; each example has a tenant of its own."""
    shard = Shard(opened(tmp_path_factory.mktemp("counted") / "shard", DIMENSIONS))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(edge_shard, "_PAGE", 3)
        patched.setattr(edge_shard, "_COUNTED_FROM", 1)
        yield shard
    shard.close()


@dataclass(frozen=True)
class Twins:
    """A shard and the reference, to which the same happens."""

    shard: Shard
    reference: MemoryVectorIndex
    tenant: str

    async def change(self, change: Change) -> None:
        points = change.points
        match change.how:
            case "write":
                self.shard.write(self.tenant, points)
                await self.reference.upsert(self.tenant, MODEL, points)
            case "refilter":
                facets = [one.facets for one in points]
                self.shard.refilter(self.tenant, facets)
                await self.reference.refilter(self.tenant, MODEL, facets)
            case "count":
                self.shard.count_words(self.tenant, "u-1")
            case _:
                tenant = self.tenant if change.how == "delete" else f"{self.tenant}-2"
                self.shard.delete(tenant, [one.id for one in points])
                await self.reference.delete(tenant, MODEL, [one.id for one in points])

    async def compare(self, asked: str) -> None:
        """Search both for words and by meaning, with the archived and without."""
        for scope in (ALL, Scope(user_id="u-1")):
            found = self.shard.search(self.tenant, scope, IndexQuery(unit_vector(5), words(asked)), 100)
            expected = await searched(
                self.reference, scope, vector=unit_vector(5), terms=words(asked), tenant=self.tenant
            )
            assert {hit.id for hit in found} == {hit.id for hit in expected}
            assert np.allclose(_scores(found), _scores(expected), atol=1e-3)
        weights = await self.reference.rarities(self.tenant, MODEL, "u-1", words(asked))
        assert self.shard.rarities(self.tenant, "u-1", words(asked)) == pytest.approx(weights, rel=1e-4)


@settings(LAWS, max_examples=30)
@given(changes=CHANGES, later=CHANGES, asked=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4))
async def test_whatever_is_written_meanwhile_scores_equal_the_reference(
    shard: Shard, changes: list[Change], later: list[Change], asked: list[str]
) -> None:
    twins = Twins(shard, MemoryVectorIndex(), f"t-{uuid4()}")
    await twins.reference.prepare(MODEL, DIMENSIONS)
    for change in changes:
        await twins.change(change)
    while shard.count_words(twins.tenant, "u-1"):
        pass
    for change in later:
        await twins.change(change)
    assert not shard.uncounted(twins.tenant, "u-1")
    await twins.compare(" ".join(asked))


async def test_a_point_that_is_written_twice_at_once_counts_once(shard: Shard) -> None:
    twins = Twins(shard, MemoryVectorIndex(), "twice")
    await twins.reference.prepare(MODEL, DIMENSIONS)
    shard.count_words(twins.tenant, "u-1")
    said = [point("a", text="cat bird"), point("a", text="cat"), point("b", text="dog")]
    await twins.change(Change("write", said))
    await twins.compare("cat bird dog")


async def test_a_point_that_changes_hands_has_its_words_counted_anew(shard: Shard) -> None:
    twins = Twins(shard, MemoryVectorIndex(), "hands")
    await twins.reference.prepare(MODEL, DIMENSIONS)
    said = [point("a", text="cat"), point("b", text="cat dog", user_id="u-2")]
    await twins.change(Change("write", said))
    shard.count_words(twins.tenant, "u-1")
    await twins.change(Change("refilter", [point("b", user_id="u-1")]))
    assert shard.uncounted(twins.tenant, "u-1")
    await twins.compare("cat dog")


def _scores(hits: Sequence[Hit]) -> list[tuple[float, ...]]:
    return [hit[1:] for hit in sorted(hits)]


async def test_only_who_has_many_memories_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge_shard, "_COUNTED_FROM", 3)
    index = EdgeVectorIndex(tmp_path)
    await filled(index, *(point(f"p-{n}", text="word") for n in range(2)))
    await searched(index, terms=words("word"))
    assert not index.counting
    await filled(index, *(point(f"q-{n}", text="word") for n in range(2)))
    before = await searched(index, terms=words("word"))
    assert index.counting
    await eventually(lambda: not index.counting)
    after = await searched(index, terms=words("word"))
    assert np.allclose(_scores(after), _scores(before))
    await index.close()


async def test_closing_does_not_wait_until_all_is_counted(tmp_path: Path) -> None:
    index = EdgeVectorIndex(tmp_path)
    await filled(index, *(point(f"p-{n}", text="word") for n in range(300)))
    await searched(index, terms=words("word"))
    assert index.counting
    await index.close()
    assert not index.counting
