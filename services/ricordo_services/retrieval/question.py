"""The first step of a recall: what is asked, by whom, when, and in what words it is searched for."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from time import perf_counter

import numpy as np

from ricordo.clock import Clock
from ricordo.index.port import IndexUnavailable
from ricordo.language.query_analysis.analysis import QueryAnalysis
from ricordo.language.query_analysis.query_parser import with_question_vector
from ricordo.language.query_analysis.relatives import AskedRelative, relative_by_ties
from ricordo.language.query_analysis.requested_predicates import MODEL, answer_examples
from ricordo.language.query_analysis.search_terms import (
    is_for_a_time,
    is_only_time,
    match_speakers,
    without_speaker_names,
)
from ricordo.language.temporal.moments import find_zone, offset_name
from ricordo.messages.enumerations import Degradation
from ricordo.messages.queries import RecallRequest
from ricordo.models.encoder import Encoder, ModelUnavailable
from ricordo.models.query_analyser import QueryAnalyser, Question
from ricordo.runtime.tasks import together
from ricordo.store.database import StoreUnavailable
from ricordo.store.recall_queries import UserProfile
from ricordo.store.rows import Vector

FEW_WORDS = 5
"""So many words of an answer are searched for with the question that leans on it."""


class Outcome:
    """What a recall could not ask, and how many milliseconds each part took."""

    def __init__(self) -> None:
        self.degraded: set[Degradation] = set()
        self.timings_ms: dict[str, float] = {}

    def part(self, name: str = "") -> "OutcomePart":
        """Return the context of a part: a store or an index that is away ends it, and is recorded.

        Args:
            name: under which its duration is recorded; of a part that runs twice, the last.
        """
        return OutcomePart(self, name, perf_counter())


@dataclass(frozen=True, slots=True)
class OutcomePart:
    """A part of a recall, as a context."""

    outcome: Outcome
    name: str
    began: float

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, _: object, error: BaseException | None, __: object) -> bool:
        """Record the duration and what was away; any other error is raised."""
        if self.name:
            self.outcome.timings_ms[self.name] = round((perf_counter() - self.began) * 1000, 3)
        if isinstance(error, StoreUnavailable):
            self.outcome.degraded.add(Degradation.ROWS)
        elif isinstance(error, IndexUnavailable):
            self.outcome.degraded.add(Degradation.VECTORS)
        else:
            return False
        return True


@dataclass(frozen=True, slots=True)
class EarlierTalk:
    """What a question leans on: what was asked before, and the words that answered; empty for nothing.

    Where nothing was asked before in a conversation, `told` is whom its turns name.
    """

    question: str = ""
    told: str = ""

    @property
    def text(self) -> str:
        """All of it."""
        return f"{self.question} {self.told}".strip()

    def added_to(self, text: str) -> str:
        """Return a text that is searched for with the words that answered, where they are few: a name."""
        return f"{text} {self.told}".strip() if len(self.told.split()) <= FEW_WORDS else text


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """An analysed and encoded question.

    Attributes:
        text: with the question that it leans on after it.
        asked: the question alone, and `earlier` what it leans on.
        names_only_time: whether the question alone asks for all of a time.
        search_text: the question as it is encoded; empty if it names only a time.
        lexical_text: the words that BM25 searches for.
        relative: whom the question names by ties to the user.
        vectors: of the search text, float32 [d], unit norm, by available model.
    """

    text: str
    asked: str
    earlier: EarlierTalk
    now: datetime
    zone: tzinfo
    analysis: QueryAnalysis
    names_only_time: bool
    search_text: str
    lexical_text: str
    relative: AskedRelative | None
    vectors: Mapping[str, Vector] = field(default_factory=dict)


@dataclass(slots=True)
class FormerModels:
    """The former embedding models, and those that are unavailable for queries."""

    names: tuple[str, ...] = ()
    unavailable: tuple[str, ...] = ()

    def record(self, models: Mapping[str, Vector]) -> None:
        """Record the models that encoded a question."""
        self.unavailable = tuple(name for name in self.names if name not in models)

    @property
    def problem(self) -> str:
        """What is impaired, and what to do about it; empty for nothing."""
        if not self.unavailable:
            return ""
        return (
            f"{', '.join(self.unavailable)}, of which there are memories still, cannot be asked: these are "
            "found by words alone, until `ricordo backfill --only vectors` has encoded them anew and the "
            "workers are started again"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionReader:
    """Analyses and encodes questions.

    Attributes:
        encoders: of questions, the primary first.
        within_s: timeout of each in seconds; words and facts still answer without one.
    """

    analyser: QueryAnalyser
    clock: Clock
    encoders: Sequence[Encoder]
    former: FormerModels = field(default_factory=FormerModels)
    within_s: float = 1.5

    async def __call__(
        self, request: RecallRequest, earlier: EarlierTalk, profile: UserProfile, outcome: Outcome
    ) -> AskedQuestion:
        """Return what a request asks for, by the profile of its user and what it leans on."""
        with outcome.part("analyse"):
            question = await self._analysed(request, earlier, profile, outcome)
        if not question.search_text:
            return question
        with outcome.part("encode"):
            found = await together(
                [encoded(one, [question.search_text], self.within_s) for one in self.encoders]
            )
            pairs = zip(self.encoders, found, strict=True)
            vectors = {encoder.model: vector[0] for encoder, vector in pairs if vector is not None}
            self.former.record(vectors)
        analysis = with_question_vector(question.analysis, question.text, vectors.get(MODEL))
        return replace(question, vectors=vectors, analysis=analysis)

    async def _analysed(
        self, request: RecallRequest, earlier: EarlierTalk, profile: UserProfile, outcome: Outcome
    ) -> AskedQuestion:
        asked, text = request.query, f"{request.query} {earlier.question}".strip()
        now = request.now or self.clock.now()
        zone = find_zone(
            request.timezone or profile.timezone or offset_name(now) or profile.utc_offset or "UTC"
        )
        question = Question(
            text=text,
            now=now.astimezone(UTC),
            zone=zone,
            language=request.language,
            known_names=profile.names,
        )
        understanding = await self.analyser.understand(question)
        if understanding.degraded:
            outcome.degraded.add(Degradation.ANALYSER)
        analysis, own_time = understanding.analysis, understanding.analysis.time
        if asked != text:  # "and in April?" asks for its own time
            own_time = (await self.analyser.understand(replace(question, text=asked))).analysis.time
            analysis = replace(analysis, time=own_time or analysis.time)
        names_only_time = own_time is not None and is_for_a_time(analysis)
        search_text = lexical_text = ""
        if not (names_only_time and is_only_time(analysis)):
            speakers = match_speakers(analysis.entities, profile.speakers)
            search_text = earlier.added_to(without_speaker_names(text, speakers))
            lexical_text = earlier.added_to(without_speaker_names(analysis.semantic_query, speakers))
        return AskedQuestion(
            text=text,
            asked=asked,
            earlier=earlier,
            now=question.now,
            zone=zone,
            analysis=analysis,
            names_only_time=names_only_time,
            search_text=search_text,
            lexical_text=lexical_text,
            relative=relative_by_ties(asked, analysis)
            or (relative_by_ties(text, analysis) if text != asked else None),
        )


async def encoded(encoder: Encoder, texts: Sequence[str], within_s: float) -> Vector | None:
    """Return the vectors of texts, float32 [n, d]; None if the model does not answer in time."""
    try:
        async with asyncio.timeout(within_s):
            return await encoder.encode(texts)
    except (ModelUnavailable, TimeoutError):
        return None


@dataclass(frozen=True, slots=True)
class ExampleStatements:
    """Typical statements that answer a question: "abito a Torino" for "dove abito?".

    Attributes:
        vectors: the mean of their vectors, float32 [d], unit norm, by available model.
    """

    lexical_text: str
    vectors: Mapping[str, Vector]


@dataclass(frozen=True, slots=True)
class ExampleEncoder:
    """Example statements that answer a question; those of a predicate are encoded on first use.

    Attributes:
        within_s: timeout of a model in seconds; without its vector, only words are searched for.
    """

    encoders: Sequence[Encoder] = ()
    within_s: float = 1.5
    _vectors: dict[tuple[str, str, str], Vector] = field(default_factory=dict)

    async def __call__(self, analysis: QueryAnalysis) -> Sequence[ExampleStatements]:
        """Return example statements to search for; none if the question contains more than a predicate."""
        if not analysis.requested.bare:
            return ()
        wanted = [(name, answer_examples(name, analysis.language)) for name in analysis.requested.names]
        known = [(name, one) for name, one in wanted if one is not None]
        vectors = await together(
            [self._encoded(name, analysis.language, one.sentences) for name, one in known]
        )
        return [ExampleStatements(one.words, found) for (_, one), found in zip(known, vectors, strict=True)]

    async def _encoded(self, predicate: str, language: str, sentences: Sequence[str]) -> Mapping[str, Vector]:
        """Return the mean vector of the examples by available model."""
        found: dict[str, Vector] = {}
        for encoder in self.encoders:
            key = encoder.model, language, predicate
            if key not in self._vectors:
                if (vectors := await encoded(encoder, list(sentences), self.within_s)) is None:
                    continue
                self._vectors[key] = _mean(vectors)
            found[encoder.model] = self._vectors[key]
        return found


def _mean(vectors: Vector) -> Vector:
    """Return the mean of vectors [n, d] at unit norm, float32 [d]."""
    mean: Vector = vectors.mean(axis=0)
    norm = float(np.linalg.norm(mean))
    return (mean / norm).astype(np.float32) if norm > 0 else mean
