"""Hybrid search for the candidates of an analysed question, with fallbacks for filters that match nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple
from uuid import UUID

from ricordo.index.port import Hit, Scope, VectorIndex
from ricordo.language.query_analysis.analysis import Fallback
from ricordo.language.temporal.moments import LATEST
from ricordo.language.tokenization import content_words
from ricordo.memory.ranking.bm25 import SparseVector, drop_common_terms, query_terms
from ricordo.memory.ranking.fusion import NO_MINIMUMS, Minimums, at_least, by_rank, reciprocal_rank, weighted
from ricordo.runtime.tasks import together
from ricordo.store.rows import Vector
from ricordo_services.retrieval.search_request import LANGUAGES, SearchRequest, narrows, scope_of

FEWEST = 100  # candidates of each search
_IMPORTANT = 0.45  # a passing remark has 0.22, and more if it recurs
_ALL_OF_A_TIME = 500  # candidates of a question that names only a time
_LATEST = 200  # of one that names only a time or a name, and as many important ones
_MOST_WEIGHED = 64  # words whose rarity is looked up; a longer text is searched for unchanged
_HOLDERS = 16  # memories that hold a word of the best candidates
_NEIGHBOURS = 0.5  # weight of the words of the turn before, relative to the memory's own
_NO_WORDS = query_terms("", LANGUAGES)
LEXICAL: Final = ""
"""In place of a model, for hits of BM25 alone."""


class ExampleScore(NamedTuple):
    """Similarity of a memory to the example statements that answer a question.

    Attributes:
        semantic: max(0, cosine) with the examples, [0, 1].
        lexical: BM25 with their words, as a share of the best, [0, 1].
    """

    semantic: float
    lexical: float


@dataclass(frozen=True, slots=True)
class Found:
    """Candidates by id, with the fused score of each in [0, 1].

    Attributes:
        unknown: the share of the content words searched for that no memory of the user holds, [0, 1].
        unfocused: whether everything about a name or a time was requested, so that all are equally relevant.
    """

    hits: dict[UUID, Hit]
    fused: dict[UUID, float]
    fallback: Fallback | None = None
    models: Mapping[UUID, str] = field(default_factory=dict)
    unfocused: bool = False
    example_scores: Mapping[UUID, ExampleScore] = field(default_factory=dict)
    unknown: float = 0.0

    def merged_with(self, more: "Found") -> "Found":
        """Return this with the hits of another search; for common hits, the scores of this one stay."""
        return replace(
            self,
            hits=more.hits | self.hits,
            fused=more.fused | self.fused,
            models={**more.models, **self.models},
        )


@dataclass(frozen=True, slots=True)
class SearchProbe:
    """The query of one collection."""

    model: str
    vector: Vector | None
    terms: SparseVector

    @property
    def has_query(self) -> bool:
        """Whether it searches for anything but the scope."""
        return self.vector is not None or len(self.terms.indices) > 0


@dataclass(frozen=True, slots=True)
class Search:
    """Hybrid search by intent."""

    vectors: VectorIndex
    model: str
    fusion: str = "rrf"
    hybrid: bool = True
    others: tuple[str, ...] = ()

    async def find(
        self, tenant: str, request: SearchRequest, minimums: Minimums, *, archived: bool = False
    ) -> Found:
        """Search; a filter read from the question that matches nothing is dropped.

        Args:
            archived: whether to search the archive too.

        Raises:
            IndexUnavailable: the index does not answer.
        """
        scope = scope_of(request)
        if archived:
            scope = replace(scope, include_archived=True)
        models = (self.model, *self.others)
        probes = await together([self._probe(tenant, model, request, minimums) for model in models])
        found = Found({}, {})
        queried = any(probe.has_query for probe in probes)
        if request.unfocused and (scope.about or not queried):
            found = await self._search_unfocused(tenant, request, scope)
        if not found.hits and (queried or not request.unfocused):
            found = await self._search(tenant, request, probes, scope, minimums)
        if not found.hits and scope.about:
            scope = replace(scope, about=())
            found = replace(await self._search(tenant, request, probes, scope, minimums), fallback="entity")
        time = request.analysis.time
        if time is not None and time.ahead and scope.start is None and scope.end is None:
            # All events of that time are requested, however dissimilar to the question.
            then = replace(scope, start=time.start, end=None if time.through >= LATEST else time.through)
            found = found.merged_with(await self._search(tenant, request, probes, then, minimums))
        if request.examples:
            found = await self._with_examples(tenant, request, scope, found)
        return found if narrows(scope) else _with_evidence(found, request.evidence)

    async def known_words(
        self, tenant: str, user_id: str, text: str, language: str | None
    ) -> Mapping[str, bool]:
        """Return whether any informative memory of the user contains each content word of a text.

        Raises:
            IndexUnavailable: the index does not answer.
        """
        own = language or "en"
        words = list(dict.fromkeys(content_words(text, own)))[:_MOST_WEIGHED]
        terms = {word: query_terms(word, [own, *LANGUAGES]).indices.tolist() for word in words}
        every = sorted({term for one in terms.values() for term in one})
        if not every:
            return {}
        found = await self.vectors.present_terms(tenant, self.model, user_id, every)
        return {word: any(term in found for term in one) for word, one in terms.items()}

    async def _with_examples(self, tenant: str, request: SearchRequest, scope: Scope, found: Found) -> Found:
        """Add the candidates found by example statements, for each predicate and model."""
        languages = list(dict.fromkeys((request.analysis.language or "en", *LANGUAGES)))
        probes = [
            SearchProbe(model, one.vectors.get(model), query_terms(one.lexical_text, languages[:1]))
            for one in request.examples
            for model in (self.model, *self.others)
        ]
        wanted = max(FEWEST, 3 * request.limit)
        answers = await together([self._hits(tenant, probe, scope, wanted) for probe in probes])
        scores: dict[UUID, ExampleScore] = {}
        hits, models = dict(found.hits), dict(found.models)
        for probe, answer in zip(probes, answers, strict=True):
            best = max((hit.bm25 for hit in answer), default=0.0)
            for hit in answer:
                lexical = hit.bm25 / best if best > 0 else 0.0
                former = scores.get(hit.id, ExampleScore(0.0, 0.0))
                scores[hit.id] = ExampleScore(max(former.semantic, hit.dense), max(former.lexical, lexical))
                if hit.id not in hits:
                    hits[hit.id] = Hit(hit.id)  # similar to the examples, not to the question
                    models[hit.id] = probe.model if probe.vector is not None else LEXICAL
        fused = {one: found.fused.get(one, 0.0) for one in hits}
        return replace(found, hits=hits, fused=fused, models=models, example_scores=scores)

    async def holders(self, tenant: str, request: SearchRequest, found: Found, words: str) -> Sequence[UUID]:
        """Return further memories in the scope that hold one of some words; the rarest words count most.

        Raises:
            IndexUnavailable: the index does not answer.
        """
        terms = query_terms(words, [request.analysis.language or "en", *LANGUAGES])
        models = [one for one in (self.model, *self.others) if one in request.vectors]
        if (models and len(found.hits) < FEWEST) or not len(terms.indices):  # all are candidates
            return ()
        # By words alone: to compare all meanings takes far longer.
        probes = [SearchProbe(model, None, terms) for model in models or (self.model, *self.others)]
        answers = await together([self._hits(tenant, one, scope_of(request), _HOLDERS) for one in probes])
        holding = (hit.id for hits in answers for hit in hits if hit.bm25 > 0)
        return list(dict.fromkeys(one for one in holding if one not in found.hits))

    async def compare(self, tenant: str, request: SearchRequest, ids: Sequence[UUID]) -> Found:
        """Return some memories with their cosines to the question, and 0 where none can be measured.

        Raises:
            IndexUnavailable: the index does not answer.
        """
        scope = replace(scope_of(request), ids=ids)
        models = [one for one in (self.model, *self.others) if one in request.vectors]
        probes = [SearchProbe(model, request.vectors[model], _NO_WORDS) for model in models] if ids else []
        answers = await together([self._hits(tenant, probe, scope, len(ids)) for probe in probes])
        hits = {one: Hit(one) for one in ids}
        kinds = dict.fromkeys(ids, self.model if self.model in models else LEXICAL)
        for model, answer in zip(models, answers, strict=False):
            hits |= {hit.id: hit for hit in answer}
            kinds |= dict.fromkeys((hit.id for hit in answer), model)
        return Found(hits, dict.fromkeys(hits, 0.0), models=kinds)

    async def has_memories(self, tenant: str, user_id: str, models: Sequence[str]) -> bool:
        """Whether a user has memories with vectors of one of `models`, archived ones included.

        Raises:
            IndexUnavailable: the index does not answer.
        """
        scope = Scope(user_id=user_id, include_archived=True, include_uninformative=True)
        probes = [SearchProbe(model, None, _NO_WORDS) for model in models]
        # Finding one hit is a hundred times faster than counting all.
        return any(await together([self._hits(tenant, probe, scope, 1) for probe in probes]))

    async def _search_unfocused(self, tenant: str, request: SearchRequest, scope: Scope) -> Found:
        """Return the latest memories in the scope, and the latest important ones.

        All are equally close to the question; other signals rank them.
        """
        important = replace(scope, min_importance=max(scope.min_importance or 0.0, _IMPORTANT))
        models = (self.model, *self.others)
        searches = [
            self._search(
                tenant,
                request,
                [SearchProbe(model, None, _NO_WORDS) for model in models],
                each,
                NO_MINIMUMS,
                unqueried=_LATEST,
            )
            for each in (scope, important)
        ]
        latest, heaviest = await together(searches)
        return replace(heaviest.merged_with(latest), unfocused=True)

    async def _search(
        self,
        tenant: str,
        request: SearchRequest,
        probes: Sequence[SearchProbe],
        scope: Scope,
        minimums: Minimums,
        *,
        unqueried: int = _ALL_OF_A_TIME,
    ) -> Found:
        searched = any(probe.has_query for probe in probes)
        wanted = request.reach * max(FEWEST if searched else unqueried, 3 * request.limit)
        active = [probe for probe in probes if probe.has_query or not searched]
        answers = await together([self._hits(tenant, probe, scope, wanted) for probe in active])
        if narrows(scope) or request.analysis.time is not None:  # the filter, or the time, decides
            minimums = replace(minimums, semantic_score=-1.0, similarity=0.0)
        found = Found({}, {})
        for probe, hits in zip(active, answers, strict=True):
            found = self._joined(found, probe, hits, minimums)
        return found

    async def _hits(self, tenant: str, probe: SearchProbe, scope: Scope, wanted: int) -> Sequence[Hit]:
        return await self.vectors.search(
            tenant, probe.model, scope, vector=probe.vector, terms=probe.terms, limit=wanted
        )

    def _joined(self, found: Found, probe: SearchProbe, hits: Sequence[Hit], minimums: Minimums) -> Found:
        """Add the hits of one collection, fused by their own ranks."""
        new = [hit for hit in hits if hit.id not in found.hits] if found.hits else hits
        scores = self._fused(new, minimums, probe)
        by_id = {new[place].id: new[place] for place in scores}
        fused = dict(zip(by_id, scores.values(), strict=True))
        kind = probe.model if probe.vector is not None else LEXICAL
        return Found(by_id, fused, models=dict.fromkeys(by_id, kind)).merged_with(found)

    async def _probe(
        self, tenant: str, model: str, request: SearchRequest, minimums: Minimums
    ) -> SearchProbe:
        """Return the probe of a collection, without words that most of its memories contain."""
        vector = request.vectors.get(model)
        analysis = request.analysis
        languages = dict.fromkeys((analysis.written_in or analysis.language or "en", *LANGUAGES))
        terms = query_terms(request.lexical_text if self.hybrid else "", list(languages))
        if minimums.idf <= 0 or not 0 < len(terms.indices) <= _MOST_WEIGHED:
            return SearchProbe(model, vector, terms)
        rarities = await self.vectors.rarities(tenant, model, request.user_id, terms)
        return SearchProbe(model, vector, drop_common_terms(terms, rarities, minimums.idf))

    def _fused(self, hits: Sequence[Hit], minimums: Minimums, probe: SearchProbe) -> dict[int, float]:
        """Return the fused scores by place in `hits`: ids are hashed slowly."""
        dense = probe.vector is not None
        near = enumerate(map(closeness, hits)) if dense else ()
        cosines = at_least(dict(near), minimums.cosine(probe.model))
        sparse = {place: share for place, hit in enumerate(hits) if (share := wording(hit)) > 0}
        if self.fusion == "weighted":
            fused = weighted(cosines, sparse)
        else:
            rankings = [by_rank(cosines)] if dense else []
            rankings += [by_rank(sparse)] if self.hybrid else []
            fused = reciprocal_rank(rankings, candidates=max(len(cosines), len(sparse)))
        fused = at_least(fused, minimums.similarity)
        if minimums.similarity > 0:
            return fused
        return fused | {place: 0.0 for place in range(len(hits)) if place not in fused}


def _with_evidence(found: Found, evidence: frozenset[UUID]) -> Found:
    """Add the supporting memories of requested facts that the search has not found."""
    missing = evidence.difference(found.hits)
    if not missing:
        return found
    model = next(iter(found.models.values()), LEXICAL)
    hits = {one: Hit(one) for one in missing}
    return found.merged_with(Found(hits, dict.fromkeys(missing, 0.0), models=dict.fromkeys(missing, model)))


def closeness(hit: Hit) -> float:
    """Return the higher cosine of the memory alone and of the memory with the turn before it."""
    return max(hit.dense, hit.dense_window)


def wording(hit: Hit) -> float:
    """Return the BM25 score of the memory plus the weighted score of the turn before it."""
    return hit.bm25 + _NEIGHBOURS * max(0.0, hit.bm25_window)
