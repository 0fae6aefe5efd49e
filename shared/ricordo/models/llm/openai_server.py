"""The calls to a server with OpenAI's interface: vLLM, llama.cpp, LM Studio, Ollama's `/v1`, hosted ones."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from ricordo.models.encoder import ModelSlow, ModelUnavailable, encodable, one_line
from ricordo.models.llm.ollama_server import STALLED_S, ModelMissing, OnText, count_tokens
from ricordo.urls import bare

if TYPE_CHECKING:  # half a second to import, for those alone who have such a server
    import openai

_NOT_FOUND: Final = 404
_KEYLESS: Final = "none"
"""Servers of one's own ask for no key, and the library for any."""


class OpenAiServer:
    """The calls that Ricordo makes.

    Args:
        timeout: seconds per answer.
    """

    def __init__(self, client: "openai.AsyncOpenAI", where: str, timeout: float) -> None:
        self.where = where
        self._client = client
        self._timeout = timeout

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
        """Return the model's answer, unchecked; see `OllamaServer.chat`."""
        asked: dict[str, Any] = {
            "model": model,
            "messages": [{name: encodable(value) for name, value in item.items()} for item in messages],
            "temperature": 0,
            "seed": 0,
            "max_tokens": tokens,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": step, "schema": dict(schema)},
            },
        }
        if on_text is not None:
            return await self._chat_by_token(asked, step, on_text)
        async with _answering(model, self.where, self._timeout):
            whole = await self._client.chat.completions.create(**asked)
            text = whole.choices[0].message.content or ""
        _count(model, step, whole.usage)
        return text

    async def _chat_by_token(self, asked: Mapping[str, Any], step: str, on_text: OnText) -> str:
        model, text, patience = asked["model"], "", self._timeout
        create = self._client.chat.completions.create
        async with _answering(model, self.where, patience):
            chunks: Any = await create(**asked, stream=True, stream_options={"include_usage": True})
        ended = False
        # Whoever leaves ends the connection, and the model's work.
        async with aclosing(aiter(chunks)) as parts:
            while True:
                async with _answering(model, self.where, patience):
                    chunk = await anext(parts, None)
                    if chunk is None:
                        break
                    _count(model, step, chunk.usage)
                    for choice in chunk.choices:
                        text += choice.delta.content or ""
                        ended = ended or choice.finish_reason is not None
                await on_text(text)
                patience = min(self._timeout, STALLED_S)
        if not ended:
            raise ModelUnavailable(f"{model} broke off its answer at {self.where}")
        return text


@asynccontextmanager
async def connect(url: str, key: str | None, timeout: float) -> AsyncIterator[OpenAiServer]:
    """Open a client of the server at `url`, which ends in its version, without calling it.

    Raises:
        ModelUnavailable: the extra `openai` is not installed.
    """
    try:
        import openai  # noqa: PLC0415 - see above
    except ImportError as error:
        raise ModelUnavailable(
            'servers with OpenAI\'s interface need its library: pip install "ricordo[openai]"'
        ) from error

    # Proxies of the environment are for the internet, as with Ollama.
    http = openai.DefaultAsyncHttpxClient(trust_env=False)
    async with openai.AsyncOpenAI(
        base_url=url, api_key=key or _KEYLESS, max_retries=0, timeout=timeout, http_client=http
    ) as client:
        yield OpenAiServer(client, bare(url), timeout)


def _count(model: str, step: str, usage: Any) -> None:  # noqa: ANN401 - None, or of the library
    if usage is not None:
        count_tokens(model, step, usage.prompt_tokens, usage.completion_tokens)


@asynccontextmanager
async def _answering(model: str, where: str, timeout: float) -> AsyncIterator[None]:
    import openai  # noqa: PLC0415 - see above

    try:
        async with asyncio.timeout(timeout):
            yield
    except (TimeoutError, openai.APITimeoutError) as error:
        raise ModelSlow(f"{model} did not answer within {timeout:g} s at {where}") from error
    except openai.APIStatusError as error:
        if error.status_code == _NOT_FOUND:
            raise ModelMissing(f"the server at {where} does not have {model}") from error
        raise ModelUnavailable(f"{model} answered {error.status_code}: {one_line(error.message)}") from error
    except (openai.APIConnectionError, OSError) as error:
        cause = error.__cause__ or error
        raise ModelUnavailable(f"{model} cannot be reached at {where}: {one_line(cause)}") from error
    except (openai.OpenAIError, ValueError, TypeError, AttributeError, LookupError) as error:
        raise ModelUnavailable(f"{model} answered nonsense: it is not what such a server answers") from error
