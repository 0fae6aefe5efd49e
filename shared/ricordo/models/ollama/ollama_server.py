"""The Ollama server behind one set of exceptions: whatever goes wrong, the model is unavailable.

What they say is a line for a person, with the address where it matters, and never the inside of a library.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Final
from urllib.parse import unquote, urlsplit

import httpx
import ollama
from pydantic import ValidationError

from ricordo.models.encoder import ModelSlow, ModelUnavailable
from ricordo.urls import bare

_KEEP_LOADED = -1
_NOT_FOUND = 404
_LOOK_S: Final = 10.0  # for which a server is asked what it holds, however long other answers may take
_CHARACTERS: Final = 300  # of what a server says of an error


class ModelMissing(ModelUnavailable):
    """The server answers, but does not hold the model."""


class OllamaServer:
    """The calls that Ricordo makes.

    Args:
        client: the connection; closed by whoever made it.
        where: its address, without credentials, for those who read what went wrong.
        timeout: seconds that an answer may take; for a pull, the time between two signs of progress.
    """

    def __init__(self, client: ollama.AsyncClient, where: str, timeout: float) -> None:
        self.where = where
        self._client = client
        self._timeout = timeout

    async def embed(self, model: str, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return what the model answers to `texts`, unchecked.

        Raises:
            ModelMissing: the server does not hold the model.
            ModelUnavailable: there was no answer in time, or it was none.
        """
        async with _asking(model, self.where, self._timeout):
            response = await self._client.embed(
                model=model, input=[_encodable(text) for text in texts], keep_alive=_KEEP_LOADED
            )
        return response.embeddings

    async def chat(
        self,
        model: str,
        messages: Sequence[Mapping[str, str]],
        schema: Mapping[str, object] | None,
        tokens: int,
        window: int | None = None,
    ) -> str:
        """Return the text that the model answers, unchecked; the server holds it to a JSON schema.

        The same messages get the same answer: nothing is left to chance.

        Args:
            model: which one.
            messages: `role` and `content` of each.
            schema: of the answer; None for any text.
            tokens: of the answer, at the most.
            window: tokens of question and answer together that the model has room for; what is longer the
                server cuts at its beginning. None leaves it to the server.

        Raises:
            ModelMissing: the server does not hold the model.
            ModelUnavailable: there was no answer in time, or it was none.
        """
        options: dict[str, float] = {"temperature": 0, "seed": 0, "num_predict": tokens}
        if window is not None:
            options["num_ctx"] = window
        async with _asking(model, self.where, self._timeout):
            response = await self._client.chat(
                model=model,
                messages=[{name: _encodable(value) for name, value in one.items()} for one in messages],
                format=None if schema is None else dict(schema),
                options=options,
                keep_alive=_KEEP_LOADED,
            )
            return response.message.content or ""

    async def load(self, model: str, window: int | None = None) -> None:
        """Have the server hold `model` in memory, with room for so many tokens; that may take many seconds.

        Raises:
            ModelMissing: the server does not hold the model.
            ModelUnavailable: it did not, or not in time.
        """
        async with _asking(model, self.where, self._timeout):
            options = None if window is None else {"num_ctx": window}
            await self._client.chat(model=model, messages=[], options=options, keep_alive=_KEEP_LOADED)

    async def has(self, model: str) -> bool:
        """Tell whether the server holds `model`; a name without a tag means the latest.

        Raises:
            ModelUnavailable: there was no answer in time, or it was none.
        """
        async with _answering(model, self.where, min(self._timeout, _LOOK_S)):
            held = {one.model for one in (await self._client.list()).models}
        return model in held or f"{model}:latest" in held

    async def pull(self, model: str, told: Callable[[int], None] = lambda _: None) -> None:
        """Have the server fetch `model`; that may take minutes.

        Args:
            model: its name.
            told: told how many percent of what the server has named so far are there; never less than before.

        Raises:
            ModelUnavailable: the server cannot get it, or made no progress for the length of the timeout.
        """
        async with _answering(model, self.where, self._timeout):
            progress = aiter(await self._client.pull(model, stream=True))
        layers: dict[str, tuple[int, int]] = {}
        percent = 0
        while True:
            async with _answering(model, self.where, self._timeout):
                step = await anext(progress, None)
            if step is None:
                return
            if step.digest and step.total:
                layers[step.digest] = (step.completed or 0, step.total)
                here, whole = (sum(sizes) for sizes in zip(*layers.values(), strict=True))
                percent = max(percent, 100 * here // whole)
                told(percent)


@asynccontextmanager
async def connect(url: str, timeout: float) -> AsyncIterator[OllamaServer]:
    """Open a client of the server at `url`, without calling it yet."""
    parts = urlsplit(url)
    signed_in = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
    # Proxies named by the environment are for the world outside; a model server stands beside its callers.
    client = ollama.AsyncClient(url, trust_env=False, auth=signed_in)
    try:
        yield OllamaServer(client, bare(url), timeout)
    finally:
        await client.close()  # type: ignore[no-untyped-call]  # the library leaves its return type out


@asynccontextmanager
async def _answering(model: str, where: str, timeout: float) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(timeout):
            yield
    except TimeoutError as error:
        raise ModelSlow(f"{model} did not answer within {timeout:g} s at {where}") from error
    except ollama.ResponseError as error:
        raise ModelUnavailable(_refusal(model, error)) from error
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        raise ModelUnavailable(f"{model} cannot be reached at {where}: {_obstacle(error)}") from error
    except (
        ValueError,
        TypeError,
        AttributeError,
    ) as error:  # what the client makes of an answer without sense
        raise ModelUnavailable(f"{model} answered nonsense: {_nonsense(error)}") from error


@asynccontextmanager
async def _asking(model: str, where: str, timeout: float) -> AsyncIterator[None]:
    """Ask the model itself: there, and nowhere else, "not found" speaks of the model."""
    async with _answering(model, where, timeout):
        try:
            yield
        except ollama.ResponseError as error:
            if error.status_code != _NOT_FOUND:
                raise
            raise ModelMissing(f"the Ollama server does not hold {model} ({_line(error.error)})") from error


def _refusal(model: str, error: ollama.ResponseError) -> str:
    told = _line(error.error) or "without a word"
    if error.status_code < 0:  # it came amid an answer, whose status said that all was well
        return f"{model} answered with an error: {told}"
    return f"{model} answered {error.status_code}: {told}"


def _obstacle(error: BaseException) -> str:
    """Say why there is no connection; the client of Ollama puts advice for beginners in its place."""
    cause = error.__context__ if isinstance(error.__context__, httpx.HTTPError) else error
    return _line(str(cause)) or type(cause).__name__


def _nonsense(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"])) or "all of it"
        return f"{place} is missing" if first["type"] == "missing" else f"{place} is not what it should be"
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError):
        return "it is no JSON"
    return "it is not what Ollama answers"


def _line(text: str) -> str:
    """Return `text` as one line that is not too long."""
    return " ".join(text.split())[:_CHARACTERS]


def _encodable(text: str) -> str:
    """Return `text` with lone surrogates, which have no UTF-8 form, as question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")
