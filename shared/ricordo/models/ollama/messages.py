"""A language model on an Ollama server that reads messages: how much they matter, and all the rest."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

from ricordo.memory.llm_description import Description, LlmMessage
from ricordo.models.ollama.description import description_prompt, description_schema, read_descriptions
from ricordo.models.ollama.preparation import PreparedModel, preparing
from ricordo.models.ollama.rating import rating_prompt, read_ratings
from ricordo.models.ollama.server import connect

_WINDOW: Final = 8192  # tokens: a dozen messages as far as they are shown, the instructions, the answer
_TOKENS_OF_A_RATING: Final = 8
_TOKENS_OF_A_DESCRIPTION: Final = 256
_TOKENS_AROUND: Final = 32


class OllamaMessageReader:
    """A `MessageReader`.

    Args:
        model: what is asked.
    """

    def __init__(self, model: PreparedModel) -> None:
        self.model = model.name
        self._asked = model

    async def rate(self, messages: Sequence[LlmMessage]) -> list[float]:
        """Rate messages in one call; see `MessageReader.rate`."""
        tokens = _TOKENS_AROUND + _TOKENS_OF_A_RATING * len(messages)
        return read_ratings(await self._asked.chat(rating_prompt(messages), None, tokens), len(messages))

    async def describe(self, messages: Sequence[LlmMessage]) -> list[Description | None]:
        """Describe messages in one call; see `MessageReader.describe`."""
        tokens = _TOKENS_AROUND + _TOKENS_OF_A_DESCRIPTION * len(messages)
        answer = await self._asked.chat(
            description_prompt(messages), description_schema(len(messages)), tokens
        )
        return read_descriptions(answer, len(messages))


@asynccontextmanager
async def open_message_reader(
    url: str, model: str, *, timeout: float, pull: bool = True, wait: bool = False
) -> AsyncIterator[OllamaMessageReader]:
    """Connect to an Ollama server, which fetches and loads the model meanwhile; who is away stops nobody.

    Args:
        url: of the server, such as `http://127.0.0.1:11434`.
        model: name of a language model, such as `hermes3:8b`.
        timeout: seconds that an answer may take.
        pull: fetch a missing model.
        wait: begin when the model is loaded, or cannot be; that may take minutes.
    """
    async with (
        connect(url, timeout) as server,
        preparing(url, model, pull=pull, window=_WINDOW) as preparation,
    ):
        if wait:
            await preparation.finished()
        yield OllamaMessageReader(PreparedModel(server, model, preparation, _WINDOW))
