"""Reads texts, on from what the encoder has just computed of them."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import structlog

from ricordo.cache_folder import default_cache_folder
from ricordo.language.reading import Reading
from ricordo.models.encoder import ModelUnavailable, Vectors
from ricordo.models.onnx.e5_checkpoint import E5Checkpoint
from ricordo.models.onnx.network import Precision
from ricordo.models.onnx.onnx_encoder import OnnxEncoder
from ricordo.models.reader.decoding import DECODING_VERSION, read
from ricordo.models.reader.reader_network import ReaderNetwork, ReaderWeights, States

_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class TextToRead:
    """A text to read.

    Attributes:
        previous: the stored vector of the turn before, float32 [384]; None for none.
    """

    text: str
    previous: Vectors | None = None


class TextReader:
    """Reads texts on the threads of an encoder.

    The reading of a text follows from it and the vector of the turn before, to the bit.
    """

    def __init__(self, encoder: OnnxEncoder, checkpoint: E5Checkpoint, network: ReaderNetwork) -> None:
        self.version = f"{network.version}-d{DECODING_VERSION}"
        self._encoder = encoder
        self._tokens = checkpoint.tokens(default_cache_folder())
        self._prefix = checkpoint.text.prefix
        self._network = network
        encoder.keeps_states = True

    async def read(self, texts: Sequence[TextToRead]) -> list[Reading | None]:
        """Return what each text says, by its first 256 tokens; None where a run failed."""
        return list(await asyncio.gather(*map(self._one, texts)))

    async def _one(self, text: TextToRead) -> Reading | None:
        try:
            return await self._encoder.submit(partial(self._read, text))
        except ModelUnavailable as error:
            _log.warning("a text was not read", reason=str(error))
            return None

    def _read(self, one: TextToRead) -> Reading:
        _, spans = self._tokens.spans(one.text, self._prefix)
        found = self._network.run(States(self._encoder.states(one.text), one.previous))
        network = self._network
        return read(
            one.text, spans, found, certainty=network.regressions, least=network.least, version=self.version
        )


async def load_reader(
    encoder: OnnxEncoder, checkpoint: E5Checkpoint, precision: Precision, cache_folder: Path | None = None
) -> TextReader:
    """Return the reader whose weights the package has, building its file if there is no intact one.

    Raises:
        OSError: the cache folder cannot be written.
    """

    def load() -> TextReader:
        folder, weights = cache_folder or default_cache_folder(), ReaderWeights.shipped()
        return TextReader(encoder, checkpoint, ReaderNetwork.opened(checkpoint, weights, folder, precision))

    return await asyncio.to_thread(load)
