"""MiniLM in the process of a command, for what is derived from a text's vector."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ricordo.settings import EmbeddingSettings
from ricordo.store.rows import Vector
from ricordo_services.app.embedding_models import open_models


@contextmanager
def encoding() -> Iterator[Callable[[str], Vector]]:
    """Load the model, give a function from a text to its vector, float32 [d], and let the model go.

    Raises:
        CheckpointMissing: the embedding model is not installed.
        OSError: the cache folder, where the built model is kept, cannot be written.
    """
    with asyncio.Runner() as runner:
        opening = open_models(EmbeddingSettings())
        batch = runner.run(opening.__aenter__()).batch

        async def one(text: str) -> Vector:
            vector: Vector = (await batch.encode([text]))[0]
            return vector

        def encode(text: str) -> Vector:
            return runner.run(one(text))

        try:
            yield encode
        finally:
            runner.run(opening.__aexit__(None, None, None))
