"""Asks a language model on Ollama for structured answers about data that are sent as JSON."""

import asyncio
import json
import tomllib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from enum import Enum
from functools import cache
from importlib import resources
from typing import Any, ClassVar, Final, Self, TypeVar

import structlog
from pydantic import BaseModel, ConfigDict, ValidationError, WrapValidator
from pydantic_core import from_json

from ricordo.models.encoder import InvalidReply, ModelUnavailable
from ricordo.models.ollama.ollama_server import OllamaServer, OnText, connect
from ricordo.models.ollama.preparation import Preparation, preparing
from ricordo.models.throttle import Throttle

_log = structlog.stdlib.get_logger(__name__)

_LANGUAGES: Final = {"it": "Italian", "en": "English", "de": "German", "es": "Spanish", "fr": "French"}
_TOKENS_AROUND: Final = 32  # of an answer about several items

Prompt = list[dict[str, str]]


class Numbered(BaseModel):
    """The answer about one of several numbered items."""

    model_config = ConfigDict(frozen=True)

    number: int


Answer = TypeVar("Answer", bound=BaseModel)
Item = TypeVar("Item", bound=Numbered)


class OllamaReader:
    """Asks a language model for structured answers; they are claims to be validated."""

    def __init__(
        self, server: OllamaServer, model: str, preparation: Preparation, window: int | None
    ) -> None:
        self.model = model
        self._server = server
        self._preparation = preparation
        self._window = window

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        url: str,
        model: str,
        *,
        timeout: float,
        pull: bool = True,
        wait: bool = False,
        window: int | None = 8192,
    ) -> AsyncIterator[Self]:
        """Connect to an Ollama server, which pulls and loads the model in the background.

        Args:
            url: of the server, such as `http://127.0.0.1:11434`.
            model: name of a language model, such as `hermes3:8b`.
            timeout: seconds per answer.
            wait: begin when the model is loaded, or cannot be; this may take minutes.
            window: context window in tokens; None for the server's default. Uses of one model share it, as
                another window makes the server reload it.
        """
        async with (
            connect(url, timeout) as server,
            preparing(url, model, pull=pull, window=window) as preparation,
        ):
            if wait:
                await preparation.finished()
            yield cls(server, model, preparation, window)

    async def chat(
        self,
        prompt: Prompt,
        schema: Mapping[str, object],
        tokens: int,
        step: str,
        on_text: OnText | None = None,
    ) -> str:
        """Return the answer to a prompt; a model that fails to answer is pulled and loaded again.

        Args:
            schema: JSON schema of the answer.
            tokens: maximum length of the answer.
            step: name under which the tokens of prompt and answer are counted.
            on_text: asks for the answer token by token. What it raises ends the answer.

        Raises:
            ModelUnavailable: there was no answer in time.
        """
        try:
            return await self._server.chat(
                self.model, prompt, schema, tokens, self._window, step=step, on_text=on_text
            )
        except (ModelUnavailable, asyncio.CancelledError):
            self._preparation.begin()  # cancelling a call also cancels the loading that it began
            raise

    async def ask(
        self, prompt: Prompt, shape: type[Answer], tokens: int, step: str, on_text: OnText | None = None
    ) -> Answer:
        """Return the answer to a prompt, parsed as `shape`; its tokens are counted under `step`.

        Raises:
            InvalidReply: it does not match.
            ModelUnavailable: there was no answer in time.
        """
        answer = await self.chat(prompt, schema_of(shape), tokens, step, on_text)
        try:
            return shape.model_validate_json(answer)
        except ValidationError as error:
            raise InvalidReply(f"the answer is no {shape.__name__}: {error.error_count()} faults") from None

    async def ask_each(
        self,
        use: str,
        name: str,
        entries: Sequence[Mapping[str, object]],
        shape: type[Item],
        *,
        tokens: int,
        schema: Mapping[str, Any] | None = None,
    ) -> list[list[Item]]:
        """Return the valid answers about each of several entries, which are sent in one request.

        Args:
            name: of the list of entries and of the list of answers.
            tokens: maximum length of an answer about one entry.
            schema: JSON schema of an answer about one entry; that of `shape` by default.

        Raises:
            InvalidReply: there is no answer about any entry.
            ModelUnavailable: there was no answer in time.
        """
        count = len(entries)
        given = {name: [{"number": number, **entry} for number, entry in enumerate(entries, 1)]}
        each = {**(schema or schema_of(shape))}
        # Else small models go on counting where the example in their instructions ends.
        each["properties"] = {**each["properties"], "number": {"enum": [*range(1, count + 1)]}}
        items = {"type": "array", "items": each, "minItems": count, "maxItems": count}
        whole = {"type": "object", "properties": {name: items}, "required": [name]}
        most = _TOKENS_AROUND + tokens * count
        answer = await self.chat(prompt_for(use, given), whole, most, use)
        found: list[list[Item]] = [[] for _ in entries]
        for item in _items(answer, name):
            try:
                read = shape.model_validate(item)
            except ValidationError:
                continue
            if 1 <= read.number <= count:
                found[read.number - 1].append(read)
        if not any(found):
            raise InvalidReply(f"the answer about {count} {name} is about none of them")
        return found


class LlmUse:
    """Base class of uses of a language model whose answers are validated: it logs those rejected."""

    use: ClassVar[str]
    """Its name in the log and in the metrics."""

    def __init__(self, reader: OllamaReader, throttle: Throttle) -> None:
        self._reader = reader
        self._throttle = throttle

    async def _ask(self, prompt: Prompt, shape: type[Answer], tokens: int) -> Answer | None:
        return await self._throttle.single(lambda: self._reader.ask(prompt, shape, tokens, self.use))

    def _reject(self, fault: Enum) -> None:
        _log.info("answer rejected", use=self.use, model=self._reader.model, reason=fault.value)


def _items(answer: str, name: str) -> Sequence[object]:
    try:
        document = from_json(answer)
    except ValueError:
        raise InvalidReply(f"the answer about {name} is no JSON") from None
    items = document.get(name) if isinstance(document, dict) else None
    return items if isinstance(items, list) else ()


def finished_items(answer: str, name: str, shape: type[Answer]) -> list[Answer]:
    """Return the items of a list in an answer that is being written, up to the first invalid one.

    The last one is left out, as it may be unfinished.
    """
    found: list[Answer] = []
    with suppress(ValueError, TypeError, KeyError):  # no list yet, or an invalid item
        for one in from_json(answer, allow_partial=True)[name][:-1]:
            found.append(shape.model_validate(one))  # noqa: PERF401 - those before an invalid one count
    return found


@cache
def schema_of(shape: type[BaseModel]) -> Mapping[str, Any]:
    """Return the JSON schema of an answer."""
    return shape.model_json_schema(mode="serialization")


@cache
def instructions() -> Mapping[str, str]:
    """Return the instructions of all uses by name."""
    return tomllib.loads((resources.files(__package__) / "prompts.toml").read_text(encoding="utf-8"))


def prompt_for(use: str, given: Mapping[str, object], language: str = "", most: int = 0) -> Prompt:
    """Return the instructions for a use, and the data as JSON.

    Args:
        given: data, never instructions.
        language: ISO 639-1 of the answer; empty for that of the texts.
        most: maximum number of answers, where the instructions name it.
    """
    spoken = _LANGUAGES.get(language, f"the language {language!r}" if language else "their own language")
    text = instructions()[use].replace("{language}", spoken).replace("{most}", str(most))
    data = json.dumps(given, ensure_ascii=False)
    return [{"role": "system", "content": text}, {"role": "user", "content": data}]


def lenient(default: object = None) -> WrapValidator:
    """Return a validator that reads an invalid value as `default`, as the rest of an answer may be valid."""

    def read(value: object, validate: Any) -> Any:  # noqa: ANN401 - pydantic's own types
        try:
            return validate(value)
        except ValidationError:
            return default

    return WrapValidator(read)
