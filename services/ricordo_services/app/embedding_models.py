"""Opens the embedding models that the settings name."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Final, cast

import structlog

from ricordo.clock import Clock
from ricordo.language.annotations import E5
from ricordo.models.batcher import BatchLimits, EmbeddingBatcher
from ricordo.models.encoder import Encoder, ModelUnavailable, TokenCounter
from ricordo.models.llm.ollama_encoder import OllamaEncoder, open_if_present, open_ollama
from ricordo.models.onnx.e5_checkpoint import CheckpointMissing
from ricordo.models.onnx.network import Precision, native_precision
from ricordo.models.onnx.onnx_encoder import OnnxEncoder, OnnxModel, load_tokens, open_onnx
from ricordo.models.reader.answer_reader import AnswerReader
from ricordo.models.reader.text_reader import TextReader
from ricordo.resilience import evenly_spaced
from ricordo.settings import EmbeddingSettings
from ricordo.urls import bare
from ricordo_services.job_progress import Notify, served_at, waiting_for

_PROBE: Final = "Is the model there?"

_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Models:
    """The embedding models of a process.

    Attributes:
        batch: for many texts.
        query: for questions.
        statement: for texts that a caller waits for.
        fallback: for many texts in a long outage; None for none.
        fallback_query: for questions about what the fallback has encoded.
    """

    batch: Encoder
    query: Encoder
    statement: Encoder
    fallback: Encoder | None
    fallback_query: Encoder | None
    tokens: TokenCounter
    served: Sequence[OllamaEncoder] = ()

    @property
    def name(self) -> str:
        """The primary model's name."""
        return self.batch.model

    @property
    def problem(self) -> str:
        """Which models are being pulled, and how far; empty for none."""
        return "; ".join(filter(None, (one.problem for one in self.served)))

    @property
    def pulls(self) -> bool:
        """Whether a model is being pulled now."""
        return any(one.pulls for one in self.served)

    @property
    def counters(self) -> Mapping[str, int]:
        """The number of truncated texts, of models in process; servers do not report it."""
        here = [one for one in (self.batch, self.fallback) if isinstance(one, OnnxEncoder)]
        return {"truncated": sum(one.truncated for one in here)} if here else {}

    async def prepared(self) -> None:
        """Wait until the servers have their models, or cannot get them; a pull may take minutes.

        Raises:
            ModelSlow: a server hangs.
        """
        for one in self.served:
            await one.prepared()


def model_names(settings: EmbeddingSettings) -> tuple[str, ...]:
    """Return the names of the models, the primary first; none is loaded or connected for it."""
    return (settings.model,) if settings.fallback is None else (settings.model, settings.fallback)


def precision_in_process(settings: EmbeddingSettings) -> Precision | None:
    """Return the precision of the model in process; None where a server encodes."""
    if settings.provider != "onnx" and settings.fallback != E5:
        return None
    return native_precision() if settings.precision == "auto" else settings.precision


def describe_models(settings: EmbeddingSettings) -> Mapping[str, str | None]:
    """Return the embedding models and their server for a health report, without secrets."""
    primary, *fallback = model_names(settings)
    return {
        "model": primary,
        "fallback": fallback[0] if fallback else None,
        "precision": precision_in_process(settings),
        "model_server": None if settings.provider == "onnx" else bare(settings.ollama_url),
    }


@asynccontextmanager
async def open_models(settings: EmbeddingSettings) -> AsyncIterator[Models]:
    """Load or connect the models, and close them at the end.

    Raises:
        CheckpointMissing: the embedding model is not installed.
        OSError: the cache folder, where the built model is kept, cannot be written.
    """
    counter = await load_tokens()
    async with AsyncExitStack() as exits:

        async def in_process() -> OnnxModel:
            opening = open_onnx(settings.threads, precision_in_process(settings))
            return await exits.enter_async_context(opening)

        if settings.provider == "onnx":
            here = await in_process()
            yield Models(here.batch, here.query, here.statement, None, None, counter)
            return

        here_served: list[OllamaEncoder] = []

        async def served(model: str) -> Encoder:
            opening = open_ollama(settings.ollama_url, model, batch=settings.batch, pull=settings.pull)
            here_served.append(await exits.enter_async_context(opening))
            return here_served[-1]

        primary = await served(settings.model)
        fallback: Encoder | None = None
        fallback_query: Encoder | None = None
        if settings.fallback == E5:
            here = await in_process()
            fallback, fallback_query = here.batch, here.query
        elif settings.fallback is not None:
            fallback = fallback_query = await served(settings.fallback)
        yield Models(primary, primary, primary, fallback, fallback_query, counter, here_served)


async def wait_until_ready(
    settings: EmbeddingSettings, opening: Callable[[], Awaitable[Models]], notify: Notify
) -> Models:
    """Return the models once the primary one answers; a pull may take minutes.

    Raises:
        ModelUnavailable: the model does not answer within half a minute.
        CheckpointMissing, OSError: as `open_models`.
    """
    opened: list[Models] = []
    async with waiting_for(served_at(settings), notify, lambda: opened[0].problem if opened else ""):
        opened.append(await opening())
        await opened[0].prepared()
        await opened[0].batch.encode([_PROBE])
    return opened[0]


def embedding_batcher(
    settings: EmbeddingSettings, models: Models, clock: Clock, *, fallback: bool = True
) -> EmbeddingBatcher:
    """Return the embedding batcher, not yet started; with `fallback` that model serves in a long outage."""
    return EmbeddingBatcher(
        models.batch,
        clock,
        limiter=None
        if settings.provider == "onnx"
        else evenly_spaced(settings.requests_per_s, settings.replicas),
        fallback=models.fallback if fallback else None,
        limits=BatchLimits(
            batch=settings.batch,
            flush_after=settings.flush_after_ms / 1000,
            in_flight=settings.in_flight,
            queue=settings.queue,
            failures_to_open=settings.failures_to_open,
            open_for=settings.open_s,
            fallback_after=settings.fallback_after_s,
        ),
    )


async def open_reader(models: Models) -> TextReader:
    """Return the reader, which goes on from the states of `models`, those of the model in process.

    Raises:
        OSError: the cache folder, where the built network is kept, cannot be written.
    """
    return await asyncio.to_thread(TextReader, cast("OnnxEncoder", models.batch))


@asynccontextmanager
async def open_answer_reader(precision: Precision | None) -> AsyncIterator[AnswerReader]:
    """Load the reader of answers, which runs in process whatever encodes; it is ready at the first question.

    Raises:
        CheckpointMissing: the embedding model is not installed.
        OSError: the cache folder, where the built network is kept, cannot be written.
    """
    reader = await asyncio.to_thread(AnswerReader, precision or native_precision())
    try:
        try:
            await asyncio.to_thread(reader.load)
        except ModelUnavailable as error:  # it is tried again at each question, which says what is missing
            _log.warning("answers cannot be read for now", reason=str(error))
        yield reader
    finally:
        await asyncio.to_thread(reader.close)


@asynccontextmanager
async def open_former(
    settings: EmbeddingSettings, model: str, dimensions: int, in_process: Callable[[], Awaitable[Models]]
) -> AsyncIterator[Encoder | None]:
    """Yield the query encoder of a former model; None where it is neither installed nor on the server."""
    if model == E5:
        opened = await opened_if_installed(in_process, "memories of that model are found by words alone")
        yield None if opened is None else opened.query
    elif settings.provider == "ollama":
        async with open_if_present(settings.ollama_url, model, dimensions, batch=settings.batch) as held:
            yield held
    else:
        yield None


async def opened_if_installed(in_process: Callable[[], Awaitable[Models]], without: str) -> Models | None:
    """Return the model in process; None where it is not installed, which is logged with its consequence."""
    try:
        return await in_process()
    except CheckpointMissing as error:
        _log.warning("a model is not installed", model=E5, without=without, error=str(error))
        return None
