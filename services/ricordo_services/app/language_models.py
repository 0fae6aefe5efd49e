"""Opens the language models that the settings name, each behind its breaker and rate limit."""

import math
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TypeVar

import structlog
from aiolimiter import AsyncLimiter

from ricordo.clock import Clock
from ricordo.models.encoder import ModelUnavailable
from ricordo.models.fact_extraction import FactExtractor, LlmFactExtractor, OllamaRelationReader
from ricordo.models.gliner_recogniser import GlinerMissing, GlinerRecogniser, open_gliner
from ricordo.models.llm_describer import LlmDescriber, OllamaMessageReader
from ricordo.models.ollama.reader import OllamaReader
from ricordo.models.query_analyser import LlmQueryAnalyser, QueryAnalyser
from ricordo.models.throttle import Throttle
from ricordo.resilience import CircuitBreaker, evenly_spaced
from ricordo.runtime.health import Health
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.settings import (
    AnalyserSettings,
    EnrichmentSettings,
    KnowledgeSettings,
)
from ricordo.settings.providers import LlmSettings, ModelSettings
from ricordo.urls import bare

R = TypeVar("R", bound=OllamaReader)

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
        throttle = _throttle(settings, clock, "questions are analysed", settings.model)
        yield LlmQueryAnalyser(reader, throttle, settings.cache_size)


@asynccontextmanager
async def open_llm(
    kind: type[R],
    settings: LlmSettings,
    clock: Clock,
    use: str,
    *,
    pull: bool = True,
    wait_for_model: bool = False,
    wait_open_s: float = 0.0,
) -> AsyncIterator[tuple[R, Throttle] | None]:
    """Connect a language model, with a throttle that all of its uses share; None for the rules alone.

    Args:
        use: what it is for, such as "messages are enriched", for the log.
        wait_for_model: whether to wait until the model is loaded, to give each answer all its time, and to
            wait out an open breaker, as a job does.
        wait_open_s: seconds to wait for an open breaker, without `wait_for_model`.
    """
    if settings.provider == "rules":
        yield None
        return
    throttle = _throttle(
        settings,
        clock,
        use,
        settings.model,
        evenly_spaced(settings.requests_per_s, settings.replicas),
        budget=math.inf if wait_for_model else settings.budget_s,
        patience=2 * settings.open_s if wait_for_model else wait_open_s,
    )
    async with kind.open(
        settings.ollama_url, settings.model, timeout=settings.budget_s, pull=pull, wait=wait_for_model
    ) as reader:
        yield reader, throttle


@asynccontextmanager
async def open_describer(
    settings: EnrichmentSettings, clock: Clock, *, wait_for_model: bool = False
) -> AsyncIterator[LlmDescriber | None]:
    """Connect the language model that enriches messages; None for the rules alone."""
    opening = open_llm(
        OllamaMessageReader, settings, clock, "messages are enriched", wait_for_model=wait_for_model
    )
    async with opening as model:
        yield model and LlmDescriber(*model, settings.batch)


@asynccontextmanager
async def open_fact_extractor(
    settings: KnowledgeSettings, clock: Clock, executor: CpuExecutor
) -> AsyncIterator[FactExtractor]:
    """Connect the language model that extracts facts, with the rules behind it; or the rules alone."""
    async with AsyncExitStack() as exits:
        opening = open_llm(OllamaRelationReader, settings, clock, "facts are read")
        opened = await exits.enter_async_context(opening)
        if opened is None:
            yield FactExtractor(executor)
            return
        recogniser, lacking = await _open_recogniser(settings, exits)
        entities = settings.gliner_model or ""
        entity_throttle = _throttle(settings, clock, "facts are read", entities, budget=settings.budget_s)
        yield LlmFactExtractor(
            executor,
            *opened,
            recogniser=recogniser,
            entity_throttle=entity_throttle,
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
    settings: ModelSettings,
    clock: Clock,
    use: str,
    model: str,
    limiter: AsyncLimiter | None = None,
    **times: float,
) -> Throttle:
    breaker = CircuitBreaker(clock, settings.failures_to_open, settings.open_s, counted=ModelUnavailable)
    gone, back = f"{use} without {model} for now", f"{use} with {model} again"
    return Throttle(breaker, limiter, clock, gone=gone, back=back, **times)
