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
from ricordo_services.retrieval.recall_plan import LANGUAGES, RecallPlan, narrows

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


class MemoryCandidate(NamedTuple):
    """A memory that was found.

    Attributes:
        hit: its scores.
        model: of the vector by which it was compared; `LEXICAL` for none.
        fused: its fused score, [0, 1].
        example_similarity: max(0, cosine) with example statements that answer the question, [0, 1].
        example_bm25: BM25 with their words, as a share of the best, [0, 1].
    """

    hit: Hit
    model: str
    fused: float = 0.0
    example_similarity: float = 0.0
    example_bm25: float = 0.0


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Candidates by id.

    Attributes:
        unfocused: whether everything about a name or a time was requested, so that all are equally relevant.
        has_examples: whether some resemble example statements.
        unknown: the share of the content words searched for that no memory of the user holds, [0, 1].
    """

    candidates: Mapping[UUID, MemoryCandidate] = field(default_factory=dict)
    fallback: Fallback | None = None
    unfocused: bool = False
    has_examples: bool = False
    unknown: float = 0.0

    def merged_with(self, more: Mapping[UUID, MemoryCandidate]) -> "SearchResult":
        """Return this with the candidates of another search; of common ones, those of this one stay."""
        return replace(self, candidates={**more, **self.candidates})


@dataclass(frozen=True, slots=True)
class SearchProbe:
    """The query of one collection."""

    model: str
    vector: Vector | None
    terms: SparseVector

    @property
    def kind(self) -> str:
        """The model of its vector; `LEXICAL` without one."""
        return self.model if self.vector is not None else LEXICAL

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
    minimums: Minimums = field(default_factory=Minimums)

    @property
    def models(self) -> tuple[str, ...]:
        """All models, the primary first."""
        return (self.model, *self.others)

    async def find(self, tenant: str, plan: RecallPlan, *, strictly: bool = False) -> SearchResult:
        """Search; a filter read from the question that matches nothing is dropped.

        Args:
            strictly: whether what hardly resembles the question is left out under every profile.

        Raises:
            IndexUnavailable: the index does not answer.
        """
        drops_distant, scope = plan.ranking.drops_distant, plan.scope
        minimums = self.minimums if strictly or drops_distant else NO_MINIMUMS
        probes = await together([self._probe(tenant, model, plan, minimums) for model in self.models])
        found = SearchResult()
        queried = any(probe.has_query for probe in probes)
        unfocused = plan.unfocused and (strictly or not drops_distant)  # such a profile ranks by likeness
        if unfocused and (scope.about or not queried):
            found = await self._search_unfocused(tenant, plan, scope)
        if not found.candidates and (queried or not unfocused):
            found = await self._search(tenant, plan, probes, scope, minimums)
        if not found.candidates and scope.about:
            scope = replace(scope, about=())
            found = replace(await self._search(tenant, plan, probes, scope, minimums), fallback="entity")
        time = plan.analysis.time
        if time is not None and time.ahead and scope.start is None and scope.end is None:
            # All events of that time are requested, however dissimilar to the question.
            then = replace(scope, start=time.start, end=None if time.through >= LATEST else time.through)
            coming = await self._search(tenant, plan, probes, then, minimums)
            found = found.merged_with(coming.candidates)
        return found

    async def completed(self, tenant: str, plan: RecallPlan, found: SearchResult) -> SearchResult:
        """Return what was found with what resembles usual answers, and what supports requested facts.

        Raises:
            IndexUnavailable: the index does not answer.
        """
        scope = replace(plan.scope, about=()) if found.fallback == "entity" else plan.scope
        if plan.examples:
            found = await self._with_examples(tenant, plan, scope, found)
        return found if narrows(scope) else _with_evidence(found, plan.evidence)

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

    async def _with_examples(
        self, tenant: str, plan: RecallPlan, scope: Scope, found: SearchResult
    ) -> SearchResult:
        """Add the candidates found by example statements, for each predicate and model."""
        language = plan.analysis.language or "en"
        probes = [
            SearchProbe(model, one.vectors.get(model), query_terms(one.lexical_text, [language]))
            for one in plan.examples
            for model in self.models
        ]
        wanted = max(FEWEST, 3 * plan.request.limit)
        answers = await together([self._hits(tenant, probe, scope, wanted) for probe in probes])
        candidates = dict(found.candidates)
        for probe, answer in zip(probes, answers, strict=True):
            best = max((hit.bm25 for hit in answer), default=0.0)
            for hit in answer:
                # What is similar to the examples only is not compared with the question.
                former = candidates.get(hit.id) or MemoryCandidate(Hit(hit.id), probe.kind)
                similarity = max(former.example_similarity, hit.dense)
                share = max(former.example_bm25, hit.bm25 / best if best > 0 else 0.0)
                candidates[hit.id] = former._replace(example_similarity=similarity, example_bm25=share)
        return replace(found, candidates=candidates, has_examples=any(answers))

    async def holders(self, tenant: str, plan: RecallPlan, found: SearchResult, words: str) -> Sequence[UUID]:
        """Return further memories in the scope that hold one of some words; the rarest words count most.

        Raises:
            IndexUnavailable: the index does not answer.
        """
        terms = query_terms(words, [plan.analysis.language or "en", *LANGUAGES])
        models = self._encoding(plan)
        if (models and len(found.candidates) < FEWEST) or not len(terms.indices):  # all are candidates
            return ()
        # By words alone: to compare all meanings takes far longer.
        probes = [SearchProbe(model, None, terms) for model in models or self.models]
        answers = await together([self._hits(tenant, one, plan.scope, _HOLDERS) for one in probes])
        holding = (hit.id for hits in answers for hit in hits if hit.bm25 > 0)
        return list(dict.fromkeys(one for one in holding if one not in found.candidates))

    async def compare(
        self, tenant: str, plan: RecallPlan, ids: Sequence[UUID]
    ) -> Mapping[UUID, MemoryCandidate]:
        """Return some memories with their cosines to the question, and 0 where none can be measured.

        Raises:
            IndexUnavailable: the index does not answer.
        """
        scope = replace(plan.scope, ids=ids)
        models = self._encoding(plan)
        probes = (
            [SearchProbe(model, plan.question.vectors[model], _NO_WORDS) for model in models] if ids else []
        )
        answers = await together([self._hits(tenant, probe, scope, len(ids)) for probe in probes])
        kind = self.model if self.model in models else LEXICAL
        candidates = {one: MemoryCandidate(Hit(one), kind) for one in ids}
        for model, answer in zip(models, answers, strict=False):
            candidates |= {hit.id: MemoryCandidate(hit, model) for hit in answer}
        return candidates

    def _encoding(self, plan: RecallPlan) -> list[str]:
        """Return the models that have encoded the question."""
        return [model for model in self.models if model in plan.question.vectors]

    async def has_memories(self, tenant: str, user_id: str, models: Sequence[str]) -> bool:
        """Whether a user has memories with vectors of one of `models`, archived ones included.

        Raises:
            IndexUnavailable: the index does not answer.
        """
        scope = Scope(user_id=user_id, include_archived=True, include_uninformative=True)
        probes = [SearchProbe(model, None, _NO_WORDS) for model in models]
        # Finding one hit is a hundred times faster than counting all.
        return any(await together([self._hits(tenant, probe, scope, 1) for probe in probes]))

    async def _search_unfocused(self, tenant: str, plan: RecallPlan, scope: Scope) -> SearchResult:
        """Return the latest memories in the scope, and the latest important ones.

        All are equally close to the question; other signals rank them.
        """
        important = replace(scope, min_importance=max(scope.min_importance or 0.0, _IMPORTANT))
        searches = [
            self._search(
                tenant,
                plan,
                [SearchProbe(model, None, _NO_WORDS) for model in self.models],
                each,
                NO_MINIMUMS,
                unqueried=_LATEST,
            )
            for each in (scope, important)
        ]
        latest, heaviest = await together(searches)
        return replace(heaviest.merged_with(latest.candidates), unfocused=True)

    async def _search(
        self,
        tenant: str,
        plan: RecallPlan,
        probes: Sequence[SearchProbe],
        scope: Scope,
        minimums: Minimums,
        *,
        unqueried: int = _ALL_OF_A_TIME,
    ) -> SearchResult:
        searched = any(probe.has_query for probe in probes)
        wanted = plan.reach * max(FEWEST if searched else unqueried, 3 * plan.request.limit)
        active = [probe for probe in probes if probe.has_query or not searched]
        answers = await together([self._hits(tenant, probe, scope, wanted) for probe in active])
        if narrows(scope) or plan.analysis.time is not None:  # the filter, or the time, decides
            minimums = replace(minimums, semantic_score=-1.0, similarity=0.0)
        candidates: dict[UUID, MemoryCandidate] = {}
        for probe, hits in zip(active, answers, strict=True):
            new = [hit for hit in hits if hit.id not in candidates] if candidates else hits
            # By place: ids are hashed slowly. Those of the former models come behind.
            fused = self._fused(new, minimums, probe)
            of_probe = {
                new[at].id: MemoryCandidate(new[at], probe.kind, score) for at, score in fused.items()
            }
            candidates |= of_probe
        return SearchResult(candidates)

    async def _hits(self, tenant: str, probe: SearchProbe, scope: Scope, wanted: int) -> Sequence[Hit]:
        return await self.vectors.search(
            tenant, probe.model, scope, vector=probe.vector, terms=probe.terms, limit=wanted
        )

    async def _probe(self, tenant: str, model: str, plan: RecallPlan, minimums: Minimums) -> SearchProbe:
        """Return the probe of a collection, without words that most of its memories contain."""
        vector = plan.question.vectors.get(model)
        analysis = plan.analysis
        languages = dict.fromkeys((analysis.written_in or analysis.language or "en", *LANGUAGES))
        terms = query_terms(plan.question.lexical_text if self.hybrid else "", list(languages))
        if minimums.idf <= 0 or not 0 < len(terms.indices) <= _MOST_WEIGHED:
            return SearchProbe(model, vector, terms)
        rarities = await self.vectors.rarities(tenant, model, plan.request.user_id, terms)
        return SearchProbe(model, vector, drop_common_terms(terms, rarities, minimums.idf))

    def _fused(self, hits: Sequence[Hit], minimums: Minimums, probe: SearchProbe) -> dict[int, float]:
        """Return the fused scores by place in `hits`: ids are hashed slowly."""
        dense = probe.vector is not None
        # The closer of the memory alone and with the turn before it; the words of that turn count less.
        near = {place: max(hit.dense, hit.dense_window) for place, hit in enumerate(hits)} if dense else {}
        cosines = at_least(near, minimums.cosine(probe.model))
        worded = (hit.bm25 + _NEIGHBOURS * max(0.0, hit.bm25_window) for hit in hits)
        sparse = {place: score for place, score in enumerate(worded) if score > 0}
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


def _with_evidence(found: SearchResult, evidence: frozenset[UUID]) -> SearchResult:
    """Add the supporting memories of requested facts that the search has not found."""
    missing = evidence.difference(found.candidates)
    if not missing:
        return found
    model = next((one.model for one in found.candidates.values()), LEXICAL)
    return found.merged_with({one: MemoryCandidate(Hit(one), model) for one in missing})
