"""The models of a process, by its settings."""

import math
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Final

import structlog

from ricordo.clock import Clock
from ricordo.models.analyser import QueryAnalyser
from ricordo.models.analyser_choice import ModelAnalyser, RulesAnalyser
from ricordo.models.batcher import BatchLimits, EmbeddingBatcher
from ricordo.models.describing import Describer
from ricordo.models.encoder import Encoder, ModelUnavailable, TokenCounter, Vectors
from ricordo.models.llm_describing import ModelDescriber
from ricordo.models.ollama import (
    OllamaEncoder,
    open_held,
    open_message_reader,
    open_ollama,
    open_question_reader,
)
from ricordo.models.onnx import (
    DIMENSIONS,
    MODEL,
    CheckpointMissing,
    MiniLm,
    MiniLmEncoder,
    MiniLmTokens,
    load_tokens,
    open_minilm,
)
from ricordo.resilience import CircuitBreaker, evenly
from ricordo.settings import AnalyserSettings, EmbeddingSettings, EnrichmentSettings
from ricordo.urls import bare
from ricordo_services.progress.waiting import Tell, served_at, waiting_for

_TRIAL: Final = "Is the model there?"

_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Models:
    """The embedding models of a process.

    Attributes:
        batch: encodes memories.
        query: encodes questions, and never waits behind memories.
        fallback: serves in a long outage; None for none.
        tokens: counts tokens.
        precision: of the primary's weights, such as `fp32`; `served` where its server decides.
        served: those of them that are on a server.
    """

    batch: Encoder
    query: Encoder
    fallback: Encoder | None
    tokens: TokenCounter
    precision: str
    served: Sequence[OllamaEncoder] = ()

    @property
    def name(self) -> str:
        """The primary model's name."""
        return self.batch.model

    @property
    def trouble(self) -> str:
        """Which models are being pulled, and how far; empty for none."""
        return "; ".join(filter(None, (one.trouble for one in self.served)))

    @property
    def pulls(self) -> bool:
        """Whether a model is being pulled now."""
        return any(one.pulls for one in self.served)

    @property
    def figures(self) -> Mapping[str, int]:
        """What the models count: texts of which the end was not read. A server truncates without a word."""
        here = [one for one in (self.batch, self.fallback) if isinstance(one, MiniLmEncoder)]
        return {"truncated": sum(one.truncated for one in here)} if here else {}

    async def prepared(self) -> None:
        """Wait until the servers hold their models, or cannot get them; that may take minutes.

        Raises:
            ModelSlow: a server hangs.
        """
        for one in self.served:
            await one.prepared()


def model_names(settings: EmbeddingSettings) -> tuple[str, ...]:
    """Return the names of the models, the primary first; none is loaded or connected for it."""
    if settings.provider == "onnx":
        return (MODEL,)
    return (settings.model,) if settings.fallback is None else (settings.model, settings.fallback)


def works_by(settings: EmbeddingSettings) -> Mapping[str, str | None]:
    """Return what the health of a worker says of its embedding models: nothing secret."""
    primary, *fallback = model_names(settings)
    return {
        "model": primary,
        "fallback": fallback[0] if fallback else None,
        "model_server": None if settings.provider == "onnx" else bare(settings.ollama_url),
    }


async def dimensions(
    settings: EmbeddingSettings, models: Callable[[], Awaitable[Models]]
) -> Mapping[str, int]:
    """Return the length of each model's vectors; `models` are asked only where no one else knows."""
    if settings.provider == "onnx":
        return {MODEL: DIMENSIONS}
    opened = await models()
    return {one.model: one.dimensions for one in (opened.batch, opened.fallback) if one is not None}


@asynccontextmanager
async def open_models(
    settings: EmbeddingSettings, tokens: MiniLmTokens | None = None
) -> AsyncIterator[Models]:
    """Load or connect the models, and close them at the end. MiniLM is loaded only where it encodes.

    Args:
        settings: which models.
        tokens: the tokenizer, where it is loaded already.

    Raises:
        CheckpointMissing: the embedding model is not installed.
        OSError: the cache folder, where the built model is kept, cannot be written.
    """
    counter = tokens or await load_tokens()
    async with AsyncExitStack() as exits:

        async def minilm() -> MiniLm:
            opening = open_minilm(cores=settings.threads, tokens=counter, precision=settings.precision)
            return await exits.enter_async_context(opening)

        if settings.provider == "onnx":
            here = await minilm()
            yield Models(here.batch, here.query, None, counter, here.precision)
            return

        here_served: list[OllamaEncoder] = []

        async def served(model: str) -> Encoder:
            opening = open_ollama(settings.ollama_url, model, batch=settings.batch, pull=settings.pull)
            here_served.append(await exits.enter_async_context(opening))
            return here_served[-1]

        primary = await served(settings.model)
        fallback: Encoder | None = None
        if settings.fallback is not None:
            is_minilm = settings.fallback == MODEL
            fallback = (await minilm()).batch if is_minilm else await served(settings.fallback)
        yield Models(primary, primary, fallback, counter, "served", here_served)


async def ready_to_encode(
    settings: EmbeddingSettings, opening: Callable[[], Awaitable[Models]], tell: Tell
) -> Models:
    """Return the models once the primary one answers; where its server pulls it, that may take minutes.

    Args:
        settings: which models.
        opening: loads or connects them.
        tell: told what is waited for, if it takes longer than a moment, and how far it is.

    Raises:
        ModelUnavailable: the model does not answer within half a minute.
        CheckpointMissing, OSError: see `open_models`.
    """
    opened: list[Models] = []
    async with waiting_for(served_at(settings), tell, lambda: opened[0].trouble if opened else ""):
        opened.append(await opening())
        await opened[0].prepared()
        await opened[0].batch.encode([_TRIAL])
    return opened[0]


def batcher_of(
    settings: EmbeddingSettings, models: Models, clock: Clock, *, fallback: bool = True
) -> EmbeddingBatcher:
    """Return the embedding batcher, not yet at work.

    Args:
        settings: in what measure the model is asked.
        models: the primary one, and its fallback.
        clock: measures.
        fallback: whether the fallback serves in a long outage; else texts wait.
    """
    limits = BatchLimits(
        batch=settings.batch,
        flush_after=settings.flush_after_ms / 1000,
        in_flight=settings.in_flight,
        queue=settings.queue,
        fallback_after=settings.fallback_after_s,
    )
    breaker, spare_breaker = (
        CircuitBreaker(clock, settings.failures_to_open, settings.open_s, counted=ModelUnavailable)
        for _ in range(2)
    )
    remote = settings.provider != "onnx"
    return EmbeddingBatcher(
        models.batch,
        clock,
        breaker=breaker,
        bucket=evenly(settings.requests_per_s) if remote else None,
        fallback=models.fallback if fallback else None,
        fallback_breaker=spare_breaker,
        limits=limits,
    )


@asynccontextmanager
async def open_former(
    settings: EmbeddingSettings, model: str, dimensions: int, minilm: Callable[[], Awaitable[Models]]
) -> AsyncIterator[Encoder | None]:
    """Yield what encodes questions by a former model; None where nobody here can.

    Nothing is fetched for it: MiniLM is installed or not, an Ollama server holds a model or not.

    Args:
        settings: of the present models.
        model: the former one's name.
        dimensions: of its vectors.
        minilm: loads MiniLM.
    """
    if model == MODEL:
        yield await installed(minilm, "what it has encoded is found by words alone")
    elif settings.provider == "ollama":
        async with open_held(settings.ollama_url, model, dimensions, batch=settings.batch) as held:
            yield held
    else:
        yield None


@dataclass(frozen=True, slots=True)
class LateMiniLm:
    """MiniLM, loaded once somebody encodes by it."""

    load: Callable[[], Awaitable[Models]]
    model: str = MODEL
    dimensions: int = DIMENSIONS

    async def encode(self, texts: Sequence[str]) -> Vectors:
        """Encode texts; see `Encoder.encode`."""
        return await (await self.load()).batch.encode(texts)


async def installed(minilm: Callable[[], Awaitable[Models]], without: str) -> Encoder | None:
    """Return what encodes questions by MiniLM; None where it is not installed, which is logged.

    Args:
        minilm: loads it.
        without: what that costs, for the log.
    """
    try:
        return (await minilm()).query
    except CheckpointMissing as error:
        _log.warning("MiniLM is not installed", model=MODEL, without=without, error=str(error))
        return None


@asynccontextmanager
async def open_analyser(settings: AnalyserSettings, clock: Clock) -> AsyncIterator[QueryAnalyser]:
    """Connect the language model that reads questions, with the rules behind it; or the rules alone."""
    if settings.provider == "rules":
        yield RulesAnalyser()
        return
    breaker = CircuitBreaker(clock, settings.failures_to_open, settings.open_s, counted=ModelUnavailable)
    opening = open_question_reader(settings.ollama_url, settings.model, budget=settings.budget_ms / 1000)
    async with opening as reader:
        yield ModelAnalyser(reader, breaker, settings.remembered)


def enriching_model(settings: EnrichmentSettings) -> str | None:
    """Return the name of the language model that enriches; None where the rules do it alone."""
    return None if settings.provider == "rules" else settings.model


@asynccontextmanager
async def open_describer(
    settings: EnrichmentSettings, clock: Clock, *, patient: bool = False
) -> AsyncIterator[Describer | None]:
    """Connect the language model that enriches messages; None where the rules do it alone.

    Args:
        settings: which model, and in what measure it is asked.
        clock: measures budget and outages.
        patient: nobody waits for what is read: begin when the model is loaded, take all the time of each
            answer, and wait out an open breaker.
    """
    model = enriching_model(settings)
    if model is None:
        yield None
        return
    breaker = CircuitBreaker(clock, settings.failures_to_open, settings.open_s, counted=ModelUnavailable)
    opening = open_message_reader(settings.ollama_url, model, timeout=settings.budget_s, wait=patient)
    async with opening as reader:
        yield ModelDescriber(
            reader,
            breaker,
            evenly(settings.requests_per_s),
            clock,
            batch=settings.batch,
            budget=math.inf if patient else settings.budget_s,
            patience=2 * settings.open_s if patient else 0.0,
        )
