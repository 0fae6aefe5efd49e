"""Opens the language models that the settings name, each behind its breaker and rate limit."""

import math
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import structlog
from aiolimiter import AsyncLimiter

from ricordo.clock import Clock
from ricordo.models.encoder import ModelUnavailable
from ricordo.models.fact_extraction import FactExtractor
from ricordo.models.gliner_recogniser import GlinerMissing, open_gliner
from ricordo.models.llm.language_model import LanguageModel
from ricordo.models.llm_describer import LlmDescriber
from ricordo.models.throttle import Throttle
from ricordo.resilience import CircuitBreaker, evenly_spaced
from ricordo.runtime.health import Health
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.settings import KnowledgeSettings, LlmSettings, Settings, StepSettings
from ricordo.urls import bare

_log = structlog.stdlib.get_logger(__name__)


@asynccontextmanager
async def open_llm(
    step: StepSettings,
    usual: LlmSettings,
    clock: Clock,
    use: str,
    *,
    pull: bool = True,
    limited: bool = True,
    wait_for_model: bool = False,
) -> AsyncIterator[LanguageModel | None]:
    """Connect the language model of a step; None for the rules alone.

    Args:
        use: what it is for, such as "messages are enriched", for the log.
        limited: whether the rate of requests is limited.
        wait_for_model: whether to wait until the model is loaded, to give each answer all its time, and to
            wait out an open breaker, as a job does.
    """
    if not step.llm or step.url is None:
        yield None
        return
    throttle = _throttle(
        usual,
        clock,
        f"{use} by {step.llm}",
        evenly_spaced(usual.requests_per_s, usual.replicas) if limited else None,
        budget=math.inf if wait_for_model else step.budget_s,
        patience=2 * usual.open_s if wait_for_model else 0.0,
    )
    opening = LanguageModel.open(
        step.url,
        step.llm,
        throttle,
        key=None if step.key is None else step.key.get_secret_value(),
        timeout=step.budget_s,
        pull=pull,
        wait=wait_for_model,
    )
    async with AsyncExitStack() as exits:
        try:
            model = await exits.enter_async_context(opening)
        except ModelUnavailable as error:  # its library is not installed
            _log.warning(f"{use} by the rules alone", reason=str(error))
            model = None
        yield model


@asynccontextmanager
async def open_describer(
    settings: Settings, clock: Clock, *, wait_for_model: bool = False
) -> AsyncIterator[LlmDescriber | None]:
    """Connect the language model that enriches messages; None for the rules alone."""
    step, use = settings.enrichment, "messages are enriched"
    async with open_llm(step, settings.llm, clock, use, wait_for_model=wait_for_model) as model:
        yield model and LlmDescriber(model, step.batch)


@asynccontextmanager
async def open_fact_extractor(
    settings: Settings, clock: Clock, executor: CpuExecutor
) -> AsyncIterator[FactExtractor]:
    """Connect what extracts facts beside the reader: a language model, and GLiNER, where they are set."""
    step, usual, use = settings.knowledge, settings.llm, "facts are read"
    async with AsyncExitStack() as exits:
        model = await exits.enter_async_context(open_llm(step, usual, clock, use))
        recogniser, missing = None, ""
        if step.gliner_model is not None:
            use = f"entities are recognised by {step.gliner_model}"
            opening = open_gliner(
                step.gliner_model,
                _throttle(usual, clock, use, budget=step.budget_s),
                labels=step.gliner_labels,
                threshold=step.gliner_threshold,
                onnx_file=step.gliner_onnx,
            )
            try:
                recogniser = await exits.enter_async_context(opening)
            except GlinerMissing as error:
                missing = f"facts are read without GLiNER's entities: {error}"
                _log.warning(missing)
        yield FactExtractor(executor, model, recogniser=recogniser, batch=step.batch, missing=missing)


def show_fact_models(reader: FactExtractor, settings: KnowledgeSettings, health: Health) -> None:
    """Add the models of fact extraction, their figures and their trouble to a worker's health."""
    if not settings.llm and settings.gliner_model is None:
        return
    health.counters = lambda: reader.counters
    health.problem = lambda: reader.problem
    server = {"relation_model": settings.llm, "relation_server": bare(settings.url or "")}
    health.models = {**(server if settings.llm else {}), "entity_model": reader.entities}


def _throttle(
    settings: LlmSettings,
    clock: Clock,
    use: str,
    limiter: AsyncLimiter | None = None,
    **times: float,
) -> Throttle:
    breaker = CircuitBreaker(clock, settings.failures_to_open, settings.open_s, counted=ModelUnavailable)
    return Throttle(clock, use, breaker, limiter, **times)
