"""The embedding models of a measurement, which begins when they can be asked."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

from ricordo.ports.models import ModelUnavailable
from ricordo.settings import EmbeddingSettings
from ricordo_services.bench.options import BenchFailed
from ricordo_services.models import Models, open_models

_TRIAL: Final = "Is the model there?"


@asynccontextmanager
async def ready_models(settings: EmbeddingSettings) -> AsyncIterator[Models]:
    """Open the models; where a server is pulling one, wait until it holds it, which may take minutes.

    Raises:
        BenchFailed: the model does not answer.
        CheckpointMissing: the embedding model is not installed.
        OSError: see `open_models`.
    """
    async with AsyncExitStack() as exits:
        try:
            models = await exits.enter_async_context(open_models(settings))
            await models.prepared()
            await models.batch.encode([_TRIAL])
        except ModelUnavailable as error:
            raise BenchFailed(str(error)) from None
        yield models
