"""The calls to an Ollama server; every error becomes `ModelUnavailable` with a line for people."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import unquote, urlsplit

from prometheus_client import Counter
from pydantic import ValidationError

from ricordo.models.encoder import ModelSlow, ModelUnavailable, encodable, one_line
from ricordo.urls import bare

if TYPE_CHECKING:  # a third of a second to import, for those alone who have a server
    import ssl

    import ollama

_KEEP_LOADED = -1
_NOT_FOUND = 404
_LIST_TIMEOUT_S: Final = 10.0  # for the list of models, which is short

WINDOW: Final = 8192
"""Tokens of a context window; a longer prompt is cut at its beginning. Steps on a model share it, as another
window makes Ollama reload it."""
STALLED_S: Final = 3.0
"""Seconds without a further token of an answer after which it has broken off."""

OnText: TypeAlias = Callable[[str], Awaitable[None]]
"""Called with what there is of an answer, whenever there is more."""

LLM_TOKENS: Final = Counter(
    "ricordo_llm_tokens",
    "Tokens that language models read (prompt) and wrote (answer).",
    ("model", "step", "kind"),
    registry=None,
)
"""Of this process."""


class ModelMissing(ModelUnavailable):
    """The server does not have the model."""


def count_tokens(model: str, step: str, prompt: int | None, answer: int | None) -> None:
    """Count the tokens of an answer; None where the server does not say, as of a prompt in its cache."""
    for kind, count in (("prompt", prompt), ("answer", answer)):
        LLM_TOKENS.labels(model, step, kind).inc(count or 0)


class OllamaServer:
    """The calls that Ricordo makes.

    Args:
        timeout: seconds per answer; for a pull, between two progress reports.
        window: context window of language models, in tokens.
    """

    def __init__(self, client: "ollama.AsyncClient", where: str, timeout: float, window: int) -> None:
        self.where = where
        self._client = client
        self._timeout = timeout
        self._window = window

    def patient(self, timeout: float) -> "OllamaServer":
        """Return the same server, with so many seconds per answer."""
        return OllamaServer(self._client, self.where, timeout, self._window)

    async def embed(self, model: str, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return the vectors of `texts`, unchecked.

        Raises:
            ModelMissing: the server does not have the model.
            ModelUnavailable: there was no valid answer in time.
        """
        async with _asking(model, self.where, self._timeout):
            response = await self._client.embed(
                model=model, input=[encodable(text) for text in texts], keep_alive=_KEEP_LOADED
            )
        return response.embeddings

    async def chat(
        self,
        model: str,
        messages: Sequence[Mapping[str, str]],
        schema: Mapping[str, object],
        tokens: int,
        *,
        step: str,
        on_text: OnText | None = None,
    ) -> str:
        """Return the model's answer, unchecked. It is deterministic: temperature and seed are 0.

        Args:
            step: what the model is asked for, under which its tokens are counted.
            messages: `role` and `content` of each.
            schema: JSON schema of the answer.
            tokens: maximum length of the answer.
            on_text: asks for the answer token by token. What it raises ends the answer.

        Raises:
            ModelMissing: the server does not have the model.
            ModelUnavailable: there was no valid answer in time, or it broke off.
        """
        asked: dict[str, Any] = {
            "model": model,
            "messages": [{name: encodable(value) for name, value in item.items()} for item in messages],
            "format": dict(schema),
            "options": {"temperature": 0, "seed": 0, "num_predict": tokens, "num_ctx": self._window},
            "keep_alive": _KEEP_LOADED,
        }
        if on_text is None:
            async with _asking(model, self.where, self._timeout):
                response = await self._client.chat(**asked)
        else:
            response = await self._chat_by_token(model, asked, on_text)
        count_tokens(model, step, response.prompt_eval_count, response.eval_count)
        return response.message.content or ""

    async def _chat_by_token(self, model: str, asked: Mapping[str, Any], on_text: OnText) -> Any:  # noqa: ANN401
        """Return the last chunk of an answer, with the text of all."""
        chunks: Any = await self._client.chat(**asked, stream=True)
        text, patience = "", self._timeout
        async with aclosing(chunks):  # whoever leaves ends the connection, and with it the model's work
            while True:
                async with _asking(model, self.where, patience):
                    chunk: Any = await anext(chunks, None)
                    text += chunk.message.content or ""  # of None, an answer without an end, there is none
                await on_text(text)
                if chunk.done:
                    chunk.message.content = text
                    return chunk
                patience = min(self._timeout, STALLED_S)

    async def load(self, model: str) -> None:
        """Load `model` with its context window; this may take many seconds.

        Raises:
            ModelMissing: the server does not have the model.
            ModelUnavailable: it was not loaded in time.
        """
        async with _asking(model, self.where, self._timeout):
            await self._client.chat(
                model=model, messages=[], options={"num_ctx": self._window}, keep_alive=_KEEP_LOADED
            )

    async def has(self, model: str) -> bool:
        """Return whether the server has `model`; see `models`."""
        return model in await self.models(model)

    async def models(self, wanted: str) -> set[str]:
        """Return the names of the models that the server has; a name without a tag means `:latest`.

        Args:
            wanted: the model that an error is about.

        Raises:
            ModelUnavailable: there was no valid answer in time.
        """
        async with _answering(wanted, self.where, min(self._timeout, _LIST_TIMEOUT_S)):
            present = {str(found.model) for found in (await self._client.list()).models}
        return present | {name.removesuffix(":latest") for name in present}

    async def pull(self, model: str, on_progress: Callable[[int], None] = lambda _: None) -> None:
        """Make the server pull `model`; this may take minutes.

        Args:
            on_progress: called with the percentage of the known layers that is complete; it never decreases.

        Raises:
            ModelUnavailable: the server cannot get it, or made no progress within the timeout.
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
                on_progress(percent)


@cache
def _tls_context() -> "ssl.SSLContext":
    """Load the certificate authorities, which takes 30 ms, once for all clients."""
    import httpx  # noqa: PLC0415 - see above

    return httpx.create_ssl_context(trust_env=False)


@asynccontextmanager
async def connect(
    url: str, timeout: float, key: str | None = None, window: int = WINDOW
) -> AsyncIterator[OllamaServer]:
    """Open a client of the server at `url`, without calling it; `key` is for one behind a gateway."""
    import ollama  # noqa: PLC0415 - see above

    parts = urlsplit(url)
    credentials = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
    # Proxies of the environment are for the internet; a model server is on the local network.
    headers = {"Authorization": f"Bearer {key}"} if key else None
    client = ollama.AsyncClient(
        url, trust_env=False, auth=credentials, headers=headers, verify=_tls_context()
    )
    try:
        yield OllamaServer(client, bare(url), timeout, window)
    finally:
        await client.close()  # type: ignore[no-untyped-call]  # the library leaves its return type out


@asynccontextmanager
async def _answering(model: str, where: str, timeout: float) -> AsyncIterator[None]:
    import httpx  # noqa: PLC0415 - see above
    import ollama  # noqa: PLC0415 - see above

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
    """Translate errors of a call to a model, where "not found" refers to the model."""
    import ollama  # noqa: PLC0415 - see above

    async with _answering(model, where, timeout):
        try:
            yield
        except ollama.ResponseError as error:
            if error.status_code != _NOT_FOUND:
                raise
            raise ModelMissing(
                f"the Ollama server does not have {model} ({one_line(error.error)})"
            ) from error


def _refusal(model: str, error: "ollama.ResponseError") -> str:
    reason = one_line(error.error) or "no reason given"
    if error.status_code < 0:  # it came during an answer with status 200
        return f"{model} answered with an error: {reason}"
    return f"{model} answered {error.status_code}: {reason}"


def _obstacle(error: BaseException) -> str:
    """Return why there is no connection, without the advice that Ollama's client adds."""
    import httpx  # noqa: PLC0415 - see above

    cause = error.__context__ if isinstance(error.__context__, httpx.HTTPError) else error
    return one_line(str(cause)) or type(cause).__name__


def _nonsense(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"])) or "all of it"
        return f"{place} is missing" if first["type"] == "missing" else f"{place} is not what it should be"
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError):
        return "it is no JSON"
    return "it is not what Ollama answers"
