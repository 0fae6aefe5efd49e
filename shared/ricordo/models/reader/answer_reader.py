"""Judges which passage answers a question, and with which of its words.

The encoder's network reads a question and a passage together (a cross-encoder: Nogueira and Cho 2019), its
upper layers learned anew on questions about chats, many of which nothing answers.
"""

import asyncio
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

import numpy as np

from ricordo.machine import usable_cores
from ricordo.models.encoder import ModelUnavailable
from ricordo.models.onnx.cached_file import cached_file
from ricordo.models.onnx.e5_checkpoint import installed_e5
from ricordo.models.onnx.network import Precision, Session
from ricordo.models.reader.heads import ANSWERS, BOUNDS
from ricordo.models.reader.question_pairs import Passage, paired
from ricordo.models.reader.reader_network import Floats, shipped_weights

_GRAPH_VERSION: Final = 1  # increased with each change of the graph
_AT_ONCE: Final = 2
"""Passages that are read at the same time; more than two gain little for a single question."""
_LONGEST: Final = 40
"""The most tokens of the words that answer."""


class Verdict(NamedTuple):
    """What is known of a passage.

    Attributes:
        probability: that it answers the question, [0, 1].
        words: the characters of its text that do so most likely.
    """

    probability: float
    words: tuple[int, int]


class AnswerReader:
    """Reads questions and passages on threads of its own, by the weights that the package has.

    Raises:
        CheckpointMissing: the package with the encoder is not installed.
        OSError: the cache folder cannot be written, where the built file is kept.
    """

    def __init__(self, precision: Precision) -> None:
        checkpoint = installed_e5()
        version, tensors = shipped_weights("answers.npz")
        self._of_logit, self._of_likeness, self._bias = tensors["calibration"].tolist()

        def build() -> bytes:
            from ricordo.models.reader.reader_graphs import AnswerGraph  # noqa: PLC0415 - a cold start only

            weights, layers = {**checkpoint.weights(), **tensors}, range(checkpoint.layers)
            return AnswerGraph(weights, layers, precision, checkpoint.outliers).build()

        file = cached_file(f"answers-{version}-{precision}-v{_GRAPH_VERSION}", build)
        self._session = Session(version, file)
        self.load = self._session.load
        self._tokens = checkpoint.tokens()
        self._sides = checkpoint.question, checkpoint.text
        self._vocabulary = checkpoint.vocabulary()
        self._threads = ThreadPoolExecutor(min(_AT_ONCE, usable_cores()), thread_name_prefix="answers")

    def close(self) -> None:
        """Wait for what is being read, and end the threads."""
        self._threads.shutdown(wait=True, cancel_futures=True)

    async def judge(
        self, question: str, passages: Sequence[Passage], likeness: Sequence[float]
    ) -> Sequence[Verdict]:
        """Return what is known of each passage, in their order.

        Args:
            likeness: cosine similarity of question and passage by the embedding model, [-1, 1] each.

        Raises:
            ModelUnavailable: the reader is closed, or a run failed.
        """
        loop = asyncio.get_running_loop()
        try:
            runs = [
                loop.run_in_executor(self._threads, self._one, question, *each)
                for each in zip(passages, likeness, strict=True)
            ]
        except RuntimeError as error:
            raise ModelUnavailable("the reader of answers is closed") from error
        return await asyncio.gather(*runs)

    def _one(self, question: str, passage: Passage, likeness: float) -> Verdict:
        """Judge a passage alone: in 8 bits all passages of a run would share one scale."""
        pair = paired(question, passage, self._tokens, self._sides)
        ids = np.array([pair.ids], dtype=np.int32)
        inputs = {"words": self._vocabulary.rows(ids), "mask": np.ones_like(ids)}
        answers, bounds = self._session.run((ANSWERS, BOUNDS), inputs)
        logit = self._of_logit * float(answers[0, 0, 0]) + self._of_likeness * likeness + self._bias
        return Verdict(1.0 / (1.0 + math.exp(-logit)), likeliest_words(pair.spans, bounds[0]))


def likeliest_words(spans: Sequence[tuple[int, int]], bounds: Floats) -> tuple[int, int]:
    """Return the characters of the likeliest span.

    Args:
        spans: of the tokens; (-1, -1) for those that cannot be part of it.
        bounds: logits of the first and of the last token, [t, 2].
    """
    places = [at for at, (_, end) in enumerate(spans) if end > 0]
    if not places:
        return 0, 0
    scores = bounds[places, 0][:, None] + bounds[places, 1]
    away = np.arange(len(places)) - np.arange(len(places))[:, None]
    scores[(away < 0) | (away >= _LONGEST)] = -np.inf
    start, end = np.unravel_index(int(scores.argmax()), scores.shape)
    return spans[places[int(start)]][0], spans[places[int(end)]][1]
