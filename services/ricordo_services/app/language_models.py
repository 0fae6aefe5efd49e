"""Opens the language models that the settings name, each behind its breaker and rate limit."""

import math
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import structlog

from ricordo.clock import Clock
from ricordo.models.encoder import ModelUnavailable
from ricordo.models.fact_extraction import FactExtractor, LlmFactExtractor, OllamaRelationReader
from ricordo.models.gliner_recogniser import GlinerMissing, GlinerRecogniser, open_gliner
from ricordo.models.llm_answers import LlmAnswers
from ricordo.models.llm_describer import LlmDescriber, OllamaMessageReader
from ricordo.models.ollama import OllamaReader
from ricordo.models.query_analyser import LlmQueryAnalyser, QueryAnalyser
from ricordo.models.throttle import Throttle
from ricordo.resilience import CircuitBreaker, evenly_spaced
from ricordo.runtime.health import Health
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.settings import (
    AnalyserSettings,
    AnsweringSettings,
    CondensingSettings,
    EnrichmentSettings,
    KnowledgeSettings,
)
from ricordo.settings.providers import LlmSettings
from ricordo.urls import bare

_log = structlog.stdlib.get_logger(__name__)


@asynccontextmanager
async def open_analyser(settings: AnalyserSettings, clock: Clock) -> AsyncIterator[QueryAnalyser]:
    """Connect the language model that analyses questions, with the rules behind it; or the rules alone."""
    if settings.provider == "rules":
        yield QueryAnalyser()
        return
    timeout = settings.budget_ms / 1000
    opening = OllamaReader.open(settings.ollama_url, settings.model, timeout=timeout, window=None)
    async with opening as reader:
        throttle = Throttle(
            _breaker(settings, clock),
            None,
            clock,
            gone="questions are analysed by rules for now",
            back="questions are analysed by the model again",
        )
        yield LlmQueryAnalyser(reader, throttle, settings.cache_size)


def enriching_model(settings: EnrichmentSettings) -> str | None:
    """Return the name of the language model that enriches; None for the rules alone."""
    return None if settings.provider == "rules" else settings.model


@asynccontextmanager
async def open_describer(
    settings: EnrichmentSettings, clock: Clock, *, patient: bool = False
) -> AsyncIterator[LlmDescriber | None]:
    """Connect the language model that enriches messages; None for the rules alone.

    A job is `patient`: it waits until the model is loaded, gives each answer all its time, and waits out an
    open breaker.
    """
    model = enriching_model(settings)
    if model is None:
        yield None
        return
    opening = OllamaMessageReader.open(settings.ollama_url, model, timeout=settings.budget_s, wait=patient)
    async with opening as reader:
        throttle = _throttle(
            settings,
            clock,
            budget=math.inf if patient else settings.budget_s,
            patience=2 * settings.open_s if patient else 0.0,
            gone="messages are enriched by rules while the model is unavailable",
            back="messages are enriched by the model again",
        )
        yield LlmDescriber(reader, throttle, settings.batch)


@asynccontextmanager
async def open_answers(settings: AnsweringSettings, clock: Clock) -> AsyncIterator[LlmAnswers | None]:
    """Connect the language model that writes answers; None for the rules alone."""
    if settings.provider == "rules":
        yield None
        return
    opening = OllamaReader.open(settings.ollama_url, settings.model, timeout=settings.budget_s)
    async with opening as reader:
        throttle = _throttle(
            settings,
            clock,
            gone="questions are answered by rules while the model is unavailable",
            back="questions are answered by the model again",
        )
        yield LlmAnswers(reader, throttle)


def condensing_throttle(settings: CondensingSettings, clock: Clock) -> Throttle:
    """Return the throttle of the model that condenses and draws insights; both uses share it."""
    return _throttle(
        settings,
        clock,
        gone="sentences are chosen, and insights drawn, without the model for a while",
        back="the model condenses and draws insights again",
    )


def has_fact_model(settings: KnowledgeSettings) -> bool:
    """Return whether a language model can be asked what the rules cannot tell."""
    return settings.provider != "rules"


@asynccontextmanager
async def open_fact_extractor(
    settings: KnowledgeSettings, clock: Clock, executor: CpuExecutor
) -> AsyncIterator[FactExtractor]:
    """Connect the language model that extracts facts, with the rules behind it; or the rules alone."""
    if not has_fact_model(settings):
        yield FactExtractor(executor)
        return
    async with AsyncExitStack() as exits:
        opening = OllamaRelationReader.open(settings.ollama_url, settings.model, timeout=settings.budget_s)
        reader = await exits.enter_async_context(opening)
        recogniser, lacking = await _open_recogniser(settings, exits)
        yield LlmFactExtractor(
            executor,
            reader,
            _fact_throttle(settings, clock, settings.model),
            recogniser=recogniser,
            entity_throttle=_fact_throttle(settings, clock, settings.gliner_model or "", limited=False),
            batch=settings.batch,
            missing=lacking,
        )


def show_fact_models(reader: FactExtractor, settings: KnowledgeSettings, health: Health) -> None:
    """Add the models of fact extraction, their figures and their trouble to a worker's health."""
    if not isinstance(reader, LlmFactExtractor):
        return
    health.counters = lambda: reader.counters
    health.problem = lambda: reader.problem
    health.models = {
        "relation_model": settings.model,
        "relation_server": bare(settings.ollama_url),
        "entity_model": reader.entities,
    }


def identity_throttle(settings: KnowledgeSettings, clock: Clock) -> Throttle:
    """Return the throttle of the model that resolves identities; it waits out an open breaker."""
    return _throttle(
        settings,
        clock,
        patience=2 * settings.open_s,
        gone=f"identities are not resolved for a while, without {settings.model}",
        back=f"{settings.model} resolves identities again",
    )


async def _open_recogniser(
    settings: KnowledgeSettings, exits: AsyncExitStack
) -> tuple[GlinerRecogniser | None, str]:
    """Return the entity recogniser, and why there is none although one is configured."""
    without = "the language model reads facts without GLiNER's entities"
    if settings.gliner_model is None:
        _log.info(without, model=settings.model)
        return None, ""
    opening = open_gliner(
        settings.gliner_model,
        labels=settings.gliner_labels,
        threshold=settings.gliner_threshold,
        onnx_file=settings.gliner_onnx,
    )
    try:
        return await exits.enter_async_context(opening), ""
    except GlinerMissing as error:
        _log.warning(without, model=settings.model, reason=str(error))
        return None, f"{settings.model} reads facts without entities: {error}"


def _throttle(
    settings: LlmSettings,
    clock: Clock,
    *,
    limited: bool = True,
    budget: float | None = None,
    patience: float = 0.0,
    gone: str,
    back: str,
) -> Throttle:
    return Throttle(
        _breaker(settings, clock),
        evenly_spaced(settings.requests_per_s, settings.replicas) if limited else None,
        clock,
        budget=settings.budget_s if budget is None else budget,
        patience=patience,
        gone=gone,
        back=back,
    )


def _fact_throttle(
    settings: KnowledgeSettings, clock: Clock, model: str, *, limited: bool = True
) -> Throttle:
    gone, back = f"rules alone read facts for a while, without {model}", f"{model} reads facts again"
    return _throttle(settings, clock, limited=limited, gone=gone, back=back)


def _breaker(settings: AnalyserSettings | LlmSettings, clock: Clock) -> CircuitBreaker:
    return CircuitBreaker(clock, settings.failures_to_open, settings.open_s, counted=ModelUnavailable)
