"""The embedding models of a measurement, which begins when they can be asked."""

import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from ricordo.models.encoder import ModelUnavailable
from ricordo.settings import EmbeddingSettings
from ricordo_lab.bench.options import BenchFailed
from ricordo_services.app.embedding_models import Models, open_models, wait_until_ready


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
            models = await wait_until_ready(
                settings, lambda: exits.enter_async_context(open_models(settings)), _tell
            )
        except ModelUnavailable as error:
            raise BenchFailed(f"{error}; nothing was measured: run it again when the model answers") from None
        yield models


def _tell(line: str) -> None:
    sys.stderr.write(f"ricordo: {line}\n")
    sys.stderr.flush()
