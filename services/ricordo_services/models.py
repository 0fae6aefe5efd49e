"""The embedding models of a process, by its settings."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from ricordo.adapters.ollama import open_ollama
from ricordo.adapters.onnx import open_minilm
from ricordo.ports.models import Encoder, TokenCounter
from ricordo.settings import EmbeddingSettings


@dataclass(frozen=True, slots=True)
class Models:
    """The embedding models of a process.

    Attributes:
        batch: encodes memories.
        query: encodes questions, and never waits behind memories.
        fallback: serves in a long outage; None for none.
        tokens: counts tokens.
        precision: of the primary's weights, such as `fp32`; `served` where its server decides.
    """

    batch: Encoder
    query: Encoder
    fallback: Encoder | None
    tokens: TokenCounter
    precision: str

    @property
    def name(self) -> str:
        """The primary model's name."""
        return self.batch.model

    @property
    def names(self) -> tuple[str, ...]:
        """All models' names, the primary first."""
        return (self.name,) if self.fallback is None else (self.name, self.fallback.model)


@asynccontextmanager
async def open_models(settings: EmbeddingSettings) -> AsyncIterator[Models]:
    """Load or connect the models, and close them at the end.

    Raises:
        CheckpointMissing: the embedding model is not installed.
        OSError: the cache folder, where the built model is kept, cannot be written.
    """
    async with AsyncExitStack() as exits:
        minilm = await exits.enter_async_context(open_minilm(cores=settings.threads))
        if settings.provider == "onnx":
            yield Models(minilm.batch, minilm.query, None, minilm.tokens, minilm.precision)
            return

        async def served(model: str) -> Encoder:
            opening = open_ollama(settings.ollama_url, model, batch=settings.batch)
            return await exits.enter_async_context(opening)

        primary = await served(settings.model)
        fallback: Encoder | None = None
        if settings.fallback is not None:
            is_minilm = settings.fallback == minilm.batch.model
            fallback = minilm.batch if is_minilm else await served(settings.fallback)
        yield Models(primary, primary, fallback, minilm.tokens, "served")
