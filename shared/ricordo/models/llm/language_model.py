"""Asks a language model for structured answers about data; each step declares what it asks for."""

import asyncio
import json
import tomllib
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from functools import cache, partial
from importlib import resources
from typing import Any, Final, Generic, Self, TypeVar, final
from urllib.parse import urlsplit

import structlog
from pydantic import BaseModel, Field, ValidationError, WrapValidator, create_model
from pydantic_core import from_json

from ricordo.models.encoder import InvalidReply, ModelUnavailable
from ricordo.models.llm import ollama_server, openai_server
from ricordo.models.llm.ollama_server import WINDOW, OllamaServer, OnText
from ricordo.models.llm.openai_server import OpenAiServer
from ricordo.models.llm.preparation import Preparation
from ricordo.models.throttle import Throttle

_log = structlog.stdlib.get_logger(__name__)

_LANGUAGES: Final = {"it": "Italian", "en": "English", "de": "German", "es": "Spanish", "fr": "French"}
_TOKENS_AROUND: Final = 32  # of an answer about several items
_MAX_BYTES: Final = 9_000  # of several items in one request: some 3,000 tokens
_OPENAI: Final = "/v1"
"""The end of the path of a server with OpenAI's interface."""

Answer = TypeVar("Answer", bound=BaseModel)
Answer_co = TypeVar("Answer_co", bound=BaseModel, covariant=True)
Entry = Mapping[str, object]


class Numbered(BaseModel, frozen=True):
    """The answer about one of several numbered items."""

    number: int


@dataclass(frozen=True, slots=True)
class Step(Generic[Answer_co]):
    """Something that a language model is asked for; its answers are claims to be validated.

    Attributes:
        name: of its instructions in `prompts.toml`, of its tokens in the metrics, and of what is rejected in
            the log.
        answer: its shape; of a step about several items, that of the answer about one, a `Numbered`.
        tokens: maximum length of that answer.
        items: name of the list of items in the prompt, and of the list of answers about them.
    """

    name: str
    answer: type[Answer_co]
    tokens: int
    items: str = ""


class _Greeting(BaseModel):
    word: str


GREETING: Final = Step("greeting", _Greeting, tokens=16)
"""Shows whether a model answers, and keeps to a schema."""


@final
@dataclass(slots=True, eq=False)
class LanguageModel:
    """Asks a language model for structured answers, within its limits.

    Attributes:
        throttle: its limits.
    """

    server: OllamaServer | OpenAiServer
    model: str
    throttle: Throttle
    preparation: Preparation | None = None

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        url: str,
        model: str,
        throttle: Throttle,
        *,
        key: str | None = None,
        timeout: float,
        pull: bool = True,
        wait: bool = False,
        window: int = WINDOW,
    ) -> AsyncIterator[Self]:
        """Connect to a server; one of Ollama pulls and loads the model in the background.

        Args:
            url: of an Ollama server, such as `http://127.0.0.1:11434`, or of one with OpenAI's interface,
                which ends in `/v1`.
            model: its name there, such as `hermes3:8b`.
            timeout: seconds per answer.
            wait: begin when the model is loaded, or cannot be; this may take minutes.
            window: context window in tokens, on a server of Ollama.

        Raises:
            ModelUnavailable: the extra `openai` is missing.
        """
        async with AsyncExitStack() as exits:
            if urlsplit(url).path.rstrip("/").endswith(_OPENAI):
                openai = await exits.enter_async_context(openai_server.connect(url, key, timeout))
                yield cls(openai, model, throttle)
                return
            server = await exits.enter_async_context(ollama_server.connect(url, timeout, key, window))
            preparation = await exits.enter_async_context(Preparation(server, model, pull))
            if wait:
                with suppress(ModelUnavailable):
                    await preparation.answered()
            yield cls(server, model, throttle, preparation)

    async def ask(
        self,
        step: Step[Answer],
        given: Entry,
        language: str = "",
        most: int = 0,
        on_text: OnText | None = None,
    ) -> Answer:
        """Return the answer about `given`.

        Args:
            given: data, never instructions.
            language: ISO 639-1 of the answer; empty for that of the texts.
            most: maximum number of answers, where the instructions name it.
            on_text: asks for the answer token by token. What it raises ends the answer.

        Raises:
            InvalidReply: it is not of the step's shape.
            ModelUnavailable: there was none in time.
        """

        async def request() -> Answer:
            schema = step.answer.model_json_schema(mode="serialization")
            prompt = _prompt(step.name, given, language, most)
            answer = await self._chat(step, prompt, schema, step.tokens, on_text)
            try:
                return step.answer.model_validate_json(answer)
            except ValidationError as error:
                raise InvalidReply(f"the answer to {step.name} has {error.error_count()} faults") from None

        return await self.throttle.run(request, self.throttle.deadline())

    async def ask_each(
        self,
        step: Step[Answer],
        entries: Sequence[Entry],
        batch: int = 8,
        deadline: float | None = None,
    ) -> list[Answer | None]:
        """Return the answer about each entry; None for one without a valid answer in time.

        Entries without an answer in a batch that was answered, or whose answer was invalid, are sent once
        more, alone.

        Args:
            batch: maximum number of entries in a request.
            deadline: of all, as of the throttle; a budget that begins now by default.
        """
        end = self.throttle.deadline() if deadline is None else deadline
        answers: list[Answer | None] = []
        for some in _batches(entries, batch):
            try:
                found = await self.throttle.run(partial(self._about, step, some), end)
            except InvalidReply:
                found = [None] * len(some)
            except ModelUnavailable:
                answers += [None] * len(some)
                continue
            for at, entry in enumerate(some):
                if found[at] is None and len(some) > 1:
                    with suppress(ModelUnavailable):
                        [found[at]] = await self.throttle.run(partial(self._about, step, [entry]), end)
            answers += found
        return answers

    def reject(self, step: Step[BaseModel], fault: Enum) -> None:
        """Log that an answer does not count."""
        _log.info("answer rejected", step=step.name, model=self.model, reason=fault.value)

    async def _about(self, step: Step[Answer], entries: Sequence[Entry]) -> list[Answer | None]:
        """Return the valid answers about several entries, of one request.

        Raises:
            InvalidReply: there is none at all.
            ModelUnavailable: there was no answer in time.
        """
        count = len(entries)
        given = {step.items: [{"number": number, **entry} for number, entry in enumerate(entries, 1)]}
        tokens = _TOKENS_AROUND + step.tokens * count
        answer = await self._chat(step, _prompt(step.name, given), _schema_of_several(step, count), tokens)
        found: list[Answer | None] = [None] * count
        for item in _items(answer, step.items):
            with suppress(ValidationError):
                read = step.answer.model_validate(item)
                if isinstance(read, Numbered) and 1 <= read.number <= count:
                    found[read.number - 1] = read
        if found == [None] * count:
            raise InvalidReply(f"the answer about {count} {step.items} is about none of them")
        return found

    async def _chat(
        self,
        step: Step[BaseModel],
        prompt: Sequence[Mapping[str, str]],
        schema: Mapping[str, object],
        tokens: int,
        on_text: OnText | None = None,
    ) -> str:
        """Return the text of an answer; a model that fails to answer is pulled and loaded again."""
        try:
            return await self.server.chat(self.model, prompt, schema, tokens, step=step.name, on_text=on_text)
        except (ModelUnavailable, asyncio.CancelledError):
            if self.preparation is not None:
                self.preparation.begin()  # cancelling a call also cancels the loading that it began
            raise


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
def instructions() -> Mapping[str, str]:
    """Return the instructions of all steps by name."""
    return tomllib.loads((resources.files(__package__) / "prompts.toml").read_text(encoding="utf-8"))


def lenient(default: object = None) -> WrapValidator:
    """Return a validator that reads an invalid value as `default`, as the rest of an answer may be valid."""

    def read(value: object, validate: Any) -> Any:  # noqa: ANN401 - pydantic's own types
        try:
            return validate(value)
        except ValidationError:
            return default

    return WrapValidator(read)


def _prompt(name: str, given: Entry, language: str = "", most: int = 0) -> list[dict[str, str]]:
    """Return the instructions of a step, and the data as JSON."""
    spoken = _LANGUAGES.get(language, f"the language {language!r}" if language else "their own language")
    text = instructions()[name].replace("{language}", spoken).replace("{most}", str(most))
    data = json.dumps(given, ensure_ascii=False)
    return [{"role": "system", "content": text}, {"role": "user", "content": data}]


def _schema_of_several(step: Step[BaseModel], count: int) -> Mapping[str, object]:
    listed = Field(min_length=count, max_length=count)
    shape = create_model("Answers", **{step.items: (list[step.answer], listed)})  # type: ignore[call-overload,name-defined]
    schema: dict[str, Any] = shape.model_json_schema(mode="serialization")
    # Else small models go on counting where the example in their instructions ends.
    schema["$defs"][step.answer.__name__]["properties"]["number"] = {"enum": [*range(1, count + 1)]}
    return schema


def _batches(entries: Sequence[Entry], batch: int) -> Iterator[Sequence[Entry]]:
    """Yield entries in order, as many as one request may have."""
    some: list[Entry] = []
    size = 0
    for entry in entries:
        own = len(json.dumps(entry, ensure_ascii=False).encode("utf-8", "replace"))
        if some and (len(some) == batch or size + own > _MAX_BYTES):
            yield some
            some, size = [], 0
        some.append(entry)
        size += own
    if some:
        yield some


def _items(answer: str, name: str) -> Sequence[object]:
    try:
        document = from_json(answer)
    except ValueError:
        raise InvalidReply(f"the answer about {name} is no JSON") from None
    items = document.get(name) if isinstance(document, dict) else None
    return items if isinstance(items, list) else ()
