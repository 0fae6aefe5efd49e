"""Reads texts, on from what the encoder has just computed of them."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import structlog

from ricordo.language.reading import Reading
from ricordo.models.encoder import ModelUnavailable, Vectors
from ricordo.models.onnx.e5_checkpoint import installed_e5
from ricordo.models.onnx.onnx_encoder import OnnxEncoder
from ricordo.models.reader.decoding import DECODING_VERSION, read
from ricordo.models.reader.reader_network import ReaderNetwork

_TEXTS_PER_JOB: Final = 4
"""Few, so that the threads have the same to do; a text takes some milliseconds."""

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

    Raises:
        OSError: the cache folder cannot be written, where the built network is kept.
    """

    def __init__(self, encoder: OnnxEncoder) -> None:
        self._encoder = encoder
        self._network = ReaderNetwork(installed_e5(), encoder.precision)
        self.version = f"{self._network.version}-d{DECODING_VERSION}"
        encoder.keeps_states = True

    async def read(self, texts: Sequence[TextToRead]) -> list[Reading | None]:
        """Return what each text says, by its first 256 tokens; None where a run failed.

        Raises:
            ModelUnavailable: the encoder is closed.
        """
        jobs = [
            self._encoder.submit(partial(self._read_some, texts[start : start + _TEXTS_PER_JOB]))
            for start in range(0, len(texts), _TEXTS_PER_JOB)
        ]
        return [reading for some in await asyncio.gather(*jobs) for reading in some]

    def _read_some(self, texts: Sequence[TextToRead]) -> list[Reading | None]:
        return list(map(self._read, texts))

    def _read(self, one: TextToRead) -> Reading | None:
        network, spans = self._network, self._encoder.spans(one.text)
        try:
            found = network.run(self._encoder.states(one.text), one.previous)
        except ModelUnavailable as error:
            _log.warning("a text was not read", reason=str(error))
            return None
        return read(
            one.text, spans, found, certainty=network.regressions, least=network.least, version=self.version
        )
