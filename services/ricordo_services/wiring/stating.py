"""Who reads facts for knowledge: the rules, and beside them a language model where one is asked for."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import structlog

from ricordo.clock import Clock
from ricordo.models.encoder import ModelUnavailable
from ricordo.models.fact_extraction import ModelStatementReader, RulesStatementReader
from ricordo.models.gliner import GlinerMissing, open_gliner
from ricordo.models.ollama import open_relation_reader
from ricordo.models.relating import EntityRecogniser
from ricordo.models.stating import StatementReader
from ricordo.models.throttle import Throttle
from ricordo.resilience import Bucket, CircuitBreaker, evenly
from ricordo.runtime.cpu_executor import Beside
from ricordo.runtime.health import Health
from ricordo.settings import KnowledgeSettings
from ricordo.urls import bare

_log = structlog.stdlib.get_logger(__name__)


@asynccontextmanager
async def open_statement_reader(
    settings: KnowledgeSettings, clock: Clock, beside: Beside
) -> AsyncIterator[StatementReader]:
    """Connect the language model that reads facts, with the rules behind it; or the rules alone.

    Args:
        settings: which models, and in what measure they are asked.
        clock: measures budget and outages.
        beside: where texts are read.
    """
    rules = RulesStatementReader(beside)
    if settings.provider == "rules":
        yield rules
        return
    async with AsyncExitStack() as exits:
        opening = open_relation_reader(settings.ollama_url, settings.model, timeout=settings.budget_s)
        reader = await exits.enter_async_context(opening)
        recogniser, lacking = await _recogniser(settings, exits)
        yield ModelStatementReader(
            rules,
            beside,
            reader,
            _throttle(settings, clock, settings.model, evenly(settings.requests_per_s)),
            recogniser=recogniser,
            throttle_of_entities=_throttle(settings, clock, settings.gliner_model or ""),
            batch=settings.batch,
            lacking=lacking,
        )


def show(reader: StatementReader, settings: KnowledgeSettings, health: Health) -> None:
    """Have the health of a worker show by which models it reads, what they do, and what hampers them."""
    if not isinstance(reader, ModelStatementReader):
        return
    health.figures = lambda: reader.figures
    health.trouble = lambda: reader.trouble
    health.works_by = {
        "relation_model": settings.model,
        "relation_server": bare(settings.ollama_url),
        "entity_model": reader.entities,
    }


async def _recogniser(
    settings: KnowledgeSettings, exits: AsyncExitStack
) -> tuple[EntityRecogniser | None, str]:
    """Return what names entities, and why there is none although one is asked for."""
    if settings.gliner_model is None:
        _log.info("the language model reads facts without GLiNER's entities", model=settings.model)
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
        _log.warning(
            "the language model reads facts without GLiNER's entities",
            model=settings.model,
            reason=str(error),
        )
        return None, f"{settings.model} reads facts without entities: {error}"


def _throttle(
    settings: KnowledgeSettings, clock: Clock, model: str, bucket: Bucket | None = None
) -> Throttle:
    return Throttle(
        CircuitBreaker(clock, settings.failures_to_open, settings.open_s, counted=ModelUnavailable),
        bucket,
        clock,
        budget=settings.budget_s,
        gone=f"rules alone read facts for a while, without {model}",
        back=f"{model} reads facts again",
    )
