"""An embedding model on an Ollama server."""

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Final

import numpy as np
import structlog

from ricordo.models.encoder import ModelUnavailable, Vectors
from ricordo.models.llm.ollama_server import ModelMissing, OllamaServer, connect
from ricordo.models.llm.preparation import Preparation

# Lets a worker start, and its messages wait, while the server is down.
KNOWN_DIMENSIONS = {
    "all-minilm": 384,
    "bge-m3": 1024,
    "mxbai-embed-large": 1024,
    "nomic-embed-text": 768,
    "paraphrase-multilingual": 768,
}

_LIST_TIMEOUT_S = 5.0
_PULL_AGAIN_S: Final = 60.0  # after a failed pull
_PROBE = "How long is a vector of this model?"
_LONGEST_TEXT: Final = 16_384
_LONG_WORD: Final = re.compile(r"(\S{200})\S+")
"""Ollama's tokenizer takes a time that grows with the square of a word: ten seconds for 4,000 letters."""

_log = structlog.stdlib.get_logger(__name__)


@dataclass(slots=True, eq=False)
class OllamaEncoder:
    """An encoder; the server truncates texts at the model's window without a notice, and we long words.

    Attributes:
        model: its name there, which is also the name of its vectors.
        dimensions: of its vectors; an answer of another length is an error.
        preparation: pulls the model if it is missing; None for no pull.
    """

    server: OllamaServer
    model: str
    dimensions: int
    batch: int = 32
    preparation: Preparation | None = None

    @property
    def problem(self) -> str:
        """The progress of a pull; empty otherwise."""
        return self._missing_reason() if self.pulls else ""

    @property
    def pulls(self) -> bool:
        """Whether the model is being pulled."""
        return self.preparation is not None and self.preparation.pulls

    async def prepared(self) -> None:
        """Wait until the server has the model, or cannot get it; this may take minutes.

        Raises:
            ModelSlow: the server hangs.
        """
        if self.preparation is not None:
            await self.preparation.answered()

    async def encode(self, texts: Sequence[str]) -> Vectors:
        """Encode texts, one request after the other.

        Returns:
            float32 [n, dimensions], unit norm, in the order of `texts`.

        Raises:
            ModelUnavailable: the server is down, too slow, or answers nonsense.
        """
        parts = [np.empty((0, self.dimensions), dtype=np.float32)]
        for start in range(0, len(texts), self.batch):
            part = texts[start : start + self.batch]
            answer = _normalised(self.model, await self._embedded(part))
            if len(answer) != len(part):
                raise ModelUnavailable(f"{self.model} answered {len(answer)} vectors for {len(part)} texts")
            if answer.shape[1] != self.dimensions:
                raise ModelUnavailable(
                    f"{self.model} answered vectors of {answer.shape[1]} numbers, and had or should have "
                    f"{self.dimensions}: what Ollama holds by that name is another model; pull the right one "
                    "again, or name the other one by a name of its own"
                )
            parts.append(answer)
        return np.concatenate(parts)

    async def _embedded(self, part: Sequence[str]) -> Sequence[Sequence[float]]:
        try:
            short = [_LONG_WORD.sub(r"\1", text[:_LONGEST_TEXT]) for text in part]
            return await self.server.embed(self.model, short)
        except ModelMissing as error:
            if self.preparation is not None:
                self.preparation.begin()
            raise ModelUnavailable(self._missing_reason()) from error

    def _missing_reason(self) -> str:
        by_hand = f"`ollama pull {self.model}` there"
        if self.preparation is None:
            return f"the Ollama server does not have {self.model}: {by_hand}"
        if progress := self.preparation.progress:
            advice = "" if self.preparation.pulls else f"; {by_hand}, if the name is right"
            return f"the Ollama server does not have {self.model}, {progress}{advice}"
        return f"the Ollama server does not have {self.model}: it is asked to pull it"


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
    """Connect to an Ollama server, which pulls a missing model in the background.

    Only for a model of unknown dimensions the pull is awaited, as its vectors are measured by encoding a
    text.

    Args:
        url: of the server, such as `http://127.0.0.1:11434`.
        model: name of an embedding model, such as `paraphrase-multilingual`.
        dimensions: of its vectors; not needed if the model answers now or is in `KNOWN_DIMENSIONS`.
        timeout: seconds per answer.

    Raises:
        ModelUnavailable: the dimensions could not be measured.
    """
    async with AsyncExitStack() as exits:
        server = await exits.enter_async_context(connect(url, timeout))
        preparation = None
        if pull:
            fetching = Preparation(server, model, load=False, pause=_PULL_AGAIN_S)
            preparation = await exits.enter_async_context(fetching)
        length = dimensions or KNOWN_DIMENSIONS.get(model.partition(":")[0])
        if length is None:
            if preparation is not None:
                await preparation.answered()
            length = await _measured(server, model)
        yield OllamaEncoder(server, model, length, batch, preparation)


@asynccontextmanager
async def open_if_present(
    url: str, model: str, dimensions: int, *, batch: int = 32
) -> AsyncIterator[OllamaEncoder | None]:
    """Connect to a model if an Ollama server has it, else yield None; nothing is pulled.

    A server that is down may have it.
    """
    async with connect(url, _LIST_TIMEOUT_S) as server:
        try:
            present = await server.has(model)
        except ModelUnavailable:
            present = True
    if not present:
        _log.warning("the server does not have a former model", model=model)
        yield None
        return
    async with open_ollama(url, model, dimensions=dimensions, batch=batch, pull=False) as encoder:
        yield encoder


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
