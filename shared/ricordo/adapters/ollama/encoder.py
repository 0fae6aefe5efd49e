"""An embedding model on an Ollama server."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import numpy as np
import structlog

from ricordo.adapters.ollama.server import OllamaServer, connect
from ricordo.ports.models import ModelUnavailable, Vectors

# So that a worker can start, and its messages wait, while the server is away.
KNOWN_DIMENSIONS = {
    "all-minilm": 384,
    "bge-m3": 1024,
    "mxbai-embed-large": 1024,
    "nomic-embed-text": 768,
    "paraphrase-multilingual": 768,
}

_LOOK_S = 5.0  # for which a server is asked what it holds
_PROBE = "How long is a vector of this model?"

_log = structlog.stdlib.get_logger(__name__)


class OllamaEncoder:
    """An `Encoder`; what the server truncates, it truncates at the model's own window.

    Args:
        server: where the model is.
        model: its name there, which is also the name of its vectors.
        dimensions: of its vectors; an answer of another length is an error.
        batch: texts in a request at the most.
    """

    def __init__(self, server: OllamaServer, model: str, dimensions: int, batch: int = 32) -> None:
        self.model = model
        self.dimensions = dimensions
        self._server = server
        self._batch = batch

    async def encode(self, texts: Sequence[str]) -> Vectors:
        """Encode texts, one request after the other.

        Returns:
            float32 [n, dimensions], unit norm, in the order of `texts`.

        Raises:
            ModelUnavailable: the server is away, too slow, or answers nonsense.
        """
        parts = [np.empty((0, self.dimensions), dtype=np.float32)]
        for start in range(0, len(texts), self._batch):
            part = texts[start : start + self._batch]
            answer = _normalised(self.model, await self._server.embed(self.model, part))
            expected = (len(part), self.dimensions)
            if answer.shape != expected:
                raise ModelUnavailable(
                    f"{self.model} answered vectors of shape {answer.shape}, not {expected}"
                )
            parts.append(answer)
        return np.concatenate(parts)


@asynccontextmanager
async def open_ollama(
    url: str,
    model: str,
    *,
    dimensions: int | None = None,
    batch: int = 32,
    timeout: float = 30.0,
    pull: bool = True,
) -> AsyncIterator[OllamaEncoder]:
    """Connect to an Ollama server, and have it fetch the model where it is missing.

    A server that is away stops nobody here: the encoder says so whenever it is asked. Only the vectors of a
    model that is not known by name are measured, by asking it.

    Args:
        url: of the server, such as `http://127.0.0.1:11434`.
        model: name of an embedding model, such as `paraphrase-multilingual`.
        dimensions: of its vectors; needed for no model that answers now or is in `KNOWN_DIMENSIONS`.
        batch: texts in a request at the most.
        timeout: seconds that an answer may take.
        pull: fetch a missing model; that may take minutes.

    Raises:
        ModelUnavailable: the length of the model's vectors could not be found out.
    """
    async with connect(url, timeout) as server:
        if pull:
            await _pull_missing(server, model)
        length = dimensions or KNOWN_DIMENSIONS.get(model.partition(":")[0])
        yield OllamaEncoder(server, model, length or await _measured(server, model), batch)


@asynccontextmanager
async def open_held(
    url: str, model: str, dimensions: int, *, batch: int = 32
) -> AsyncIterator[OllamaEncoder | None]:
    """Connect to a model that an Ollama server holds; None where it does not, and it is not fetched.

    A server that is away may hold it: the encoder says so whenever it is asked.

    Args:
        url: of the server.
        model: its name there.
        dimensions: of its vectors.
        batch: texts in a request at the most.
    """
    async with connect(url, _LOOK_S) as server:
        try:
            held = await server.has(model)
        except ModelUnavailable:
            held = True
    if not held:
        _log.warning("the server does not hold a former model", model=model)
        yield None
        return
    async with open_ollama(url, model, dimensions=dimensions, batch=batch, pull=False) as encoder:
        yield encoder


async def _pull_missing(server: OllamaServer, model: str) -> None:
    try:
        if not await server.has(model):
            _log.info("pulling a model", model=model)
            await server.pull(model)
    except ModelUnavailable as error:
        _log.warning("model could not be pulled", model=model, error=str(error))


async def _measured(server: OllamaServer, model: str) -> int:
    length: int = _normalised(model, await server.embed(model, [_PROBE])).shape[1]
    return length


def _normalised(model: str, answer: Sequence[Sequence[float]]) -> Vectors:
    try:
        raw = np.array(answer, dtype=np.float32)
    except ValueError as error:
        raise ModelUnavailable(f"{model} answered vectors of unlike lengths") from error
    if raw.ndim != 2:
        raise ModelUnavailable(f"{model} answered no vectors")
    norms = np.linalg.norm(raw, axis=1, keepdims=True)
    if not np.isfinite(norms).all() or not norms.all():
        raise ModelUnavailable(f"{model} answered vectors without a direction")
    vectors: Vectors = raw / norms
    return vectors
