"""One embedding model's points in Qdrant's engine: how they are written, and how they are searched.

Everything here blocks, and holds the interpreter while it lasts; one thread calls it.
"""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final
from uuid import UUID

import qdrant_edge as edge

from ricordo.index.port import Facets, Hit, IndexUnavailable, Point, Scope
from ricordo.index.qdrant import candidates
from ricordo.index.qdrant.conditions import (
    ONE_LENGTH,
    OWNER,
    TENANT,
    TEXT_TERMS,
    WINDOW_TERMS,
    corpus,
    in_scope,
    of_tenant,
    owner,
    payload,
)
from ricordo.index.qdrant.edge_requests import (
    INDEXES,
    Question,
    asked,
    config,
    filter_of,
    id_of,
    latest,
    one_of,
    point_of,
    told,
)
from ricordo.index.qdrant.frequencies import Corpora, Spoken, Words
from ricordo.memory.ranking.bm25 import SparseVector

COUNTED_FROM: Final = 2_000
"""Memories of a user from which on it pays to keep the frequencies of the user's words."""

_PAGE: Final = 64  # memories whose words are counted at a time: some milliseconds
_WORDS: Final = [TEXT_TERMS, WINDOW_TERMS]


class Shard:
    """An open shard.

    Args:
        shard: of the engine.
        counted_from: memories of a user from which on the frequencies of the user's words are kept.
        page: memories whose words are counted at a time.
    """

    def __init__(self, shard: edge.EdgeShard, *, counted_from: int = COUNTED_FROM, page: int = _PAGE) -> None:
        self._shard = shard
        self._counted_from = counted_from
        self._page = page
        self._corpora = Corpora()

    def write(self, tenant: str, points: Sequence[Point]) -> None:
        """Write points, replacing those of the same ids."""
        written = list({point.id: point for point in points}.values())
        before = self._spoken([point.id for point in written])
        self._update(edge.UpdateOperation.upsert_points([point_of(tenant, point) for point in written]))
        self._corpora.replace(before, [_spoken(tenant, point) for point in written] if self._corpora else ())

    def refilter(self, tenant: str, facets: Sequence[Facets]) -> None:
        """Write what differs: each key that is written is indexed anew, at a tenth of a millisecond."""
        held = self._shard.retrieve([one.id for one in facets], with_payload=True, with_vector=False)
        before = {id_of(record.id): record.payload or {} for record in held}
        for one in facets:
            old, new = before.get(one.id, {}), payload(tenant, one)
            if old.get(TENANT) != tenant:  # no point, or not of this tenant
                continue
            changed = {key: value for key, value in new.items() if old.get(key) != value}
            if changed:
                self._update(edge.UpdateOperation.set_payload([one.id], changed))
            if gone := [key for key in old if key not in new]:
                self._update(edge.UpdateOperation.delete_payload([one.id], gone))
            if OWNER in changed:
                self._corpora.clear()

    def delete(self, tenant: str, ids: Sequence[UUID]) -> None:
        """Remove points of the tenant."""
        before = self._spoken(ids)
        self._update(edge.UpdateOperation.delete_points_by_filter(filter_of(of_tenant(tenant, ids))))
        self._corpora.replace([one for one in before if one.whose.startswith(owner(tenant, ""))], ())

    def search(self, tenant: str, scope: Scope, probe: candidates.Probe, limit: int) -> list[Hit]:
        """Find candidates with all their scores; see `VectorIndex.search`."""
        within = in_scope(tenant, scope)
        if not probe.signals:
            return candidates.unscored(latest(self._shard, within, limit))
        whose = owner(tenant, scope.user_id)
        question = Question(probe, filter_of(corpus(tenant, scope.user_id)), self._corpora.complete(whose))
        found = self._asked(question, probe.naming, filter_of(within), limit)
        ids = candidates.named(found)
        if again := probe.lacking(found, limit, len(ids)):
            found |= self._asked(question, again, one_of(ids), len(ids), chosen=True)
        return candidates.hits(ids, found)

    def rarities(self, tenant: str, user_id: str, terms: SparseVector) -> Mapping[int, float]:
        """Return the IDF of terms over the texts of a user; see `VectorIndex.rarities`."""
        if (counted := self._corpora.complete(owner(tenant, user_id))) is not None:
            held = counted.weighed(TEXT_TERMS, terms)
            return dict(zip(held.indices.tolist(), held.weights.tolist(), strict=True))
        return told(self._shard, filter_of(corpus(tenant, user_id)), terms.indices.tolist())

    def count(self, tenant: str, scope: Scope) -> int:
        """Count the points in `scope`."""
        return self._shard.count(edge.CountRequest(filter=filter_of(in_scope(tenant, scope)), exact=True))

    def uncounted(self, tenant: str, user_id: str) -> bool:
        """Whether a user has so many memories that the user's words should be counted, and they are not."""
        if self._corpora.complete(owner(tenant, user_id)) is not None:
            return False
        request = edge.CountRequest(filter=filter_of(corpus(tenant, user_id)), exact=False)
        return self._shard.count(request) >= self._counted_from

    def count_words(self, tenant: str, user_id: str) -> bool:
        """Count the words of some more of a user's memories, in the order of their ids.

        Returns:
            Whether there are more.
        """
        counted = self._corpora.begun(owner(tenant, user_id))
        if counted.counted_below is None:
            return False
        records, following = self._shard.scroll(
            edge.ScrollRequest(
                offset=counted.counted_below,
                limit=self._page,
                filter=filter_of(corpus(tenant, user_id)),
                with_payload=False,
                with_vector=_WORDS,
            )
        )
        counted.change([_words(record) for record in records], 1)
        counted.counted_below = None if following is None else id_of(following)
        return following is not None

    def flush(self) -> None:
        """Write to disk what so far stands in the engine's log only."""
        self._shard.flush()

    def close(self) -> None:
        """Release; what is not flushed stands in the engine's log."""
        self._shard.close()

    def _asked(
        self,
        question: Question,
        signals: Sequence[str],
        within: edge.Filter,
        limit: int,
        *,
        chosen: bool = False,
    ) -> dict[str, candidates.Scores]:
        found = asked(self._shard, question.requests(signals, within, limit, chosen=chosen))
        return {signal: found.get(signal, {}) for signal in signals}

    def _update(self, operation: edge.UpdateOperation) -> None:
        try:
            self._shard.update(operation)
        except Exception:
            self._corpora.clear()  # nobody knows how much of it was written
            raise

    def _spoken(self, ids: Sequence[UUID]) -> list[Spoken]:
        """Return the points of some ids, if anybody's words are counted."""
        if not self._corpora:
            return []
        held = self._shard.retrieve(list(ids), with_payload=[OWNER], with_vector=_WORDS)
        return [Spoken(str((one.payload or {}).get(OWNER)), id_of(one.id), _words(one)) for one in held]


def opened(path: Path, dimensions: int) -> edge.EdgeShard:
    """Open the shard in `path`, or make it.

    Raises:
        IndexUnavailable: another process has it open, or it holds vectors of another length.
        Exception: the engine's own, where the folder cannot be written.
    """
    if not path.exists():
        _create(path, config(dimensions))
    try:
        shard = _loaded(path, dimensions)
    except Exception as error:
        if "WouldBlock" in str(error):
            raise IndexUnavailable(f"another process has the vector index in {path} open") from error
        if "expected vector size" in str(error):
            raise IndexUnavailable(f"{path} cannot be opened ({error}): {ONE_LENGTH}") from error
        raise
    missing = set(INDEXES) - set(shard.info().payload_schema)
    for key in sorted(missing):  # of a former version, or none yet
        shard.update(edge.UpdateOperation.create_field_index(key, INDEXES[key]))
    return shard


def _loaded(path: Path, dimensions: int) -> edge.EdgeShard:
    try:
        return edge.EdgeShard.load(str(path), config(dimensions))
    except Exception as error:
        if "datatype Float16, but got Float32" not in str(error):
            raise
    # Made by a former version: it finds the same, and takes longer.
    return edge.EdgeShard.load(str(path), config(dimensions, edge.VectorStorageDatatype.Float32))


def _create(path: Path, made_as: edge.EdgeConfig) -> None:
    """Make a shard aside and move it in place, so that one half made is never used."""
    aside = path.with_name(f"{path.name}.partial")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    edge.EdgeShard.create(str(aside), made_as).close()
    aside.rename(path)


def _spoken(tenant: str, point: Point) -> Spoken:
    words = Words(point.text_terms.indices.tolist(), point.window_terms.indices.tolist())
    return Spoken(owner(tenant, point.facets.user_id), point.id, words)


def _words(record: edge.Record) -> Words:
    vectors = record.vector if isinstance(record.vector, dict) else {}
    text, window = (
        one.indices if isinstance(one := vectors.get(name), edge.SparseVector) else [] for name in _WORDS
    )
    return Words(text, window)
