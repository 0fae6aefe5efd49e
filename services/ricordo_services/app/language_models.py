"""Opens the language models that the settings name, each behind its breaker and rate limit."""

import math
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TypeVar

import structlog
from aiolimiter import AsyncLimiter

from ricordo.clock import Clock
from ricordo.models.encoder import ModelUnavailable
from ricordo.models.fact_extraction import FactExtractor, LlmFactExtractor, RelationReader
from ricordo.models.gliner_recogniser import GlinerMissing, GlinerRecogniser, open_gliner
from ricordo.models.llm.language_model import WINDOW, LanguageModel
from ricordo.models.llm_describer import LlmDescriber, MessageReader
from ricordo.models.query_analyser import LlmQueryAnalyser, QueryAnalyser
from ricordo.models.throttle import Throttle
from ricordo.resilience import CircuitBreaker, evenly_spaced
from ricordo.runtime.health import Health
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.settings import KnowledgeSettings, LlmSettings, Settings, StepSettings
from ricordo.urls import bare

R = TypeVar("R", bound=LanguageModel)

_log = structlog.stdlib.get_logger(__name__)


@asynccontextmanager
async def open_analyser(settings: Settings, clock: Clock) -> AsyncIterator[QueryAnalyser]:
    """Connect the language model that analyses questions, with the rules behind it; or the rules alone."""
    step = settings.analyser
    use = "questions are analysed"
    opening = open_llm(LanguageModel, step, settings.llm, clock, use, window=None, limited=False)
    async with opening as model:
        yield QueryAnalyser() if model is None else LlmQueryAnalyser(*model, step.cache_size)


@asynccontextmanager
async def open_llm(
    kind: type[R],
    step: StepSettings,
    usual: LlmSettings,
    clock: Clock,
    use: str,
    *,
    pull: bool = True,
    limited: bool = True,
    window: int | None = WINDOW,
    wait_for_model: bool = False,
    wait_open_s: float = 0.0,
) -> AsyncIterator[tuple[R, Throttle] | None]:
    """Connect a language model, with a throttle that all of its uses share; None for the rules alone.

    Args:
        use: what it is for, such as "messages are enriched", for the log.
        limited: whether the rate of requests is limited.
        wait_for_model: whether to wait until the model is loaded, to give each answer all its time, and to
            wait out an open breaker, as a job does.
        wait_open_s: seconds to wait for an open breaker, without `wait_for_model`.
    """
    if not step.llm or step.url is None:
        yield None
        return
    throttle = _throttle(
        usual,
        clock,
        use,
        step.llm,
        evenly_spaced(usual.requests_per_s, usual.replicas) if limited else None,
        budget=math.inf if wait_for_model else step.budget_s,
        patience=2 * usual.open_s if wait_for_model else wait_open_s,
    )
    key = None if step.key is None else step.key.get_secret_value()
    opening = kind.open(
        step.url, step.llm, key=key, timeout=step.budget_s, pull=pull, wait=wait_for_model, window=window
    )
    async with opening as reader:
        yield reader, throttle


@asynccontextmanager
async def open_describer(
    settings: Settings, clock: Clock, *, wait_for_model: bool = False
) -> AsyncIterator[LlmDescriber | None]:
    """Connect the language model that enriches messages; None for the rules alone."""
    step, use = settings.enrichment, "messages are enriched"
    opening = open_llm(MessageReader, step, settings.llm, clock, use, wait_for_model=wait_for_model)
    async with opening as model:
        yield model and LlmDescriber(*model, step.batch)


@asynccontextmanager
async def open_fact_extractor(
    settings: Settings, clock: Clock, executor: CpuExecutor
) -> AsyncIterator[FactExtractor]:
    """Connect the language model that extracts facts, with the rules behind it; or the rules alone."""
    step, usual, use = settings.knowledge, settings.llm, "facts are read"
    async with AsyncExitStack() as exits:
        opened = await exits.enter_async_context(open_llm(RelationReader, step, usual, clock, use))
        if opened is None:
            yield FactExtractor(executor)
            return
        recogniser, lacking = await _open_recogniser(step, exits)
        entity_throttle = _throttle(usual, clock, use, step.gliner_model or "", budget=step.budget_s)
        yield LlmFactExtractor(
            executor,
            *opened,
            recogniser=recogniser,
            entity_throttle=entity_throttle,
            batch=step.batch,
            missing=lacking,
        )


def show_fact_models(reader: FactExtractor, settings: KnowledgeSettings, health: Health) -> None:
    """Add the models of fact extraction, their figures and their trouble to a worker's health."""
    if not isinstance(reader, LlmFactExtractor):
        return
    health.counters = lambda: reader.counters
    health.problem = lambda: reader.problem
    health.models = {
        "relation_model": settings.llm,
        "relation_server": bare(settings.url or ""),
        "entity_model": reader.entities,
    }


async def _open_recogniser(
    settings: KnowledgeSettings, exits: AsyncExitStack
) -> tuple[GlinerRecogniser | None, str]:
    """Return the entity recogniser, and why there is none although one is configured."""
    without = "the language model reads facts without GLiNER's entities"
    if settings.gliner_model is None:
        _log.info(without, model=settings.llm)
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
        _log.warning(without, model=settings.llm, reason=str(error))
        return None, f"{settings.llm} reads facts without entities: {error}"


def _throttle(
    settings: LlmSettings,
    clock: Clock,
    use: str,
    model: str,
    limiter: AsyncLimiter | None = None,
    **times: float,
) -> Throttle:
    breaker = CircuitBreaker(clock, settings.failures_to_open, settings.open_s, counted=ModelUnavailable)
    gone, back = f"{use} without {model} for now", f"{use} with {model} again"
    return Throttle(breaker, limiter, clock, gone=gone, back=back, **times)
