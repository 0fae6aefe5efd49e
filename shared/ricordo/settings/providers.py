"""Settings of the models: embedding, question analysis, enrichment, condensing, fact extraction."""

from typing import Annotated, Final, Literal, Self

from pydantic import Field, SecretStr, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from ricordo.language.annotations import E5
from ricordo.settings.group import (
    OLLAMA,
    Group,
    ModelUrl,
    PositiveFloat,
    PositiveInt,
    Share,
    refuse,
)

_LATEST: Final = ":latest"  # what Ollama means by a name without a tag


class EmbeddingSettings(Group):
    """The embedding model and its batcher.

    Attributes:
        provider: `onnx` (in process) or `ollama`.
        model: name of the model; with `onnx` always `multilingual-e5-small`.
        fallback: model that is used after `fallback_after_s` of outage: one on the same Ollama, or
            `multilingual-e5-small` in process. Only with `ollama`.
        ollama_url: URL of Ollama.
        pull: whether workers pull a missing model into Ollama.
        batch: maximum number of texts per request.
        flush_after_ms: how long the first text of a batch waits for others.
        in_flight: maximum number of concurrent requests.
        requests_per_s: maximum for a remote server, evenly spaced; the in-process model has no limit.
        replicas: number of processes that share `requests_per_s` equally.
        failures_to_open: failures in a row after which the circuit breaker opens.
        open_s: seconds until an open circuit breaker sends one probe.
        fallback_after_s: seconds of outage after which the fallback is used.
        queue: maximum number of queued texts; further submissions wait.
        precision: arithmetic of the in-process model. `auto` is `int8` where the processor has instructions
            for it (AVX2, or ARM's dot product) and `fp32` elsewhere. Vectors of both are compared with each
            other: their cosine for one text is 0.996 on average.
        threads: threads of the in-process model; by default all that the process may use.
        query_timeout_s: how long a query waits for its vector before it is answered by words only.
    """

    provider: Literal["onnx", "ollama"] = "onnx"
    model: str = E5
    fallback: str | None = None
    ollama_url: ModelUrl = OLLAMA
    pull: bool = True
    batch: PositiveInt = 32
    flush_after_ms: Annotated[float, Field(ge=0)] = 50.0
    in_flight: PositiveInt = 2
    requests_per_s: PositiveInt = 3
    replicas: PositiveInt = 1
    failures_to_open: PositiveInt = 3
    open_s: PositiveFloat = 15.0
    fallback_after_s: PositiveFloat = 60.0
    queue: PositiveInt = 1024
    precision: Literal["auto", "fp32", "int8"] = "auto"
    threads: Annotated[int, Field(ge=1, le=512)] | None = None
    query_timeout_s: PositiveFloat = 1.5

    @field_validator("model")
    @classmethod
    def _is_known_to_its_provider(cls, model: str, others: ValidationInfo) -> str:
        if others.data.get("provider") == "onnx" and model != E5:
            raise PydanticCustomError(
                "unknown_model",
                f"the provider onnx knows only {E5}; others take the provider ollama",
            )
        return model

    @field_validator("fallback")
    @classmethod
    def _can_take_its_place(cls, fallback: str | None, others: ValidationInfo) -> str | None:
        if fallback is None:
            return None
        if others.data.get("provider") == "onnx":
            refuse(
                "with the provider onnx nothing would ever ask it: the model in process is never away; "
                "leave it out, or take the provider ollama"
            )
        if fallback.removesuffix(_LATEST) == str(others.data.get("model")).removesuffix(_LATEST):
            refuse(f"it is embedding.model itself, and away whenever that is: name another one, or {E5}")
        return fallback


class LlmSettings(Group):
    """The language model of every step that has none of its own.

    Attributes:
        url: of an Ollama server, or of one with OpenAI's interface, which ends in `/v1`. None is the rules
            alone.
        model: its name there.
        key: for a server that asks for one.
        requests_per_s: maximum of each step, evenly spaced.
        replicas: number of processes that share `requests_per_s` equally.
        failures_to_open: failures in a row, invalid output included, after which the circuit breaker opens.
        open_s: seconds until an open circuit breaker sends one probe.
    """

    url: ModelUrl | None = None
    model: Annotated[str, Field(min_length=1)] = "hermes3:8b"
    key: SecretStr | None = None
    requests_per_s: PositiveInt = 3
    replicas: PositiveInt = 1
    failures_to_open: PositiveInt = 3
    open_s: PositiveFloat = 15.0


class StepSettings(Group):
    """A step that a language model can do beside the rules.

    Attributes:
        provider: `llm`: the language model, if there is one, with the rules as fallback; or `rules`.
        url: of the server of this step; by default that of `llm`.
        model: of this step; by default that of `llm`.
        key: for that server; by default that of `llm`.
    """

    provider: Literal["llm", "rules"] = "llm"
    url: ModelUrl | None = None
    model: Annotated[str, Field(min_length=1)] | None = None
    key: SecretStr | None = None
    budget_s: PositiveFloat = 60.0

    @property
    def llm(self) -> str:
        """The name of the language model that does this step; empty for the rules alone."""
        return self.model or "" if self.provider == "llm" and self.url is not None else ""

    def with_defaults(self, usual: LlmSettings) -> Self:
        """Return these settings with the server and the model of `usual` where they name none.

        A key goes to the server for which it was given, and to no other.
        """
        return self.model_copy(
            update={
                "url": self.url or usual.url,
                "model": self.model or usual.model,
                "key": self.key or (usual.key if self.url in (None, usual.url) else None),
            }
        )


class AnalyserSettings(StepSettings):
    """Analysis of questions.

    Attributes:
        budget_s: time limit for the LLM, after which the rules answer.
        cache_size: maximum number of cached LLM answers; the least recently used is dropped.
    """

    budget_s: PositiveFloat = 0.2
    cache_size: PositiveInt = 1024


class EnrichmentSettings(StepSettings):
    """Emotion, importance, topics, people, type, kind and title of messages.

    Attributes:
        model: of this step; by default that of `llm`; part of the version of the values that it derives.
        budget_s: how long a message waits for the LLM; then the values of the rules are used until `ricordo
            backfill`.
        batch: maximum number of messages per request.
    """

    batch: Annotated[int, Field(ge=1, le=16)] = 8


class CondensingSettings(StepSettings):
    """Summaries of sessions, syntheses of old memories, and insights.

    Attributes:
        provider: `rules`, which select sentences, or `llm`: a language model whose text is used as far as the
            sources support it, with the rules as fallback.
        budget_s: time limit for one text, after which the rules are used.
    """


class AnsweringSettings(StepSettings):
    """Answers to questions.

    Attributes:
        provider: `rules`, which say facts in sentences and quote passages, or `llm`: a language model whose
            sentences are kept as far as the sources support them, with the rules as fallback.
        budget_s: time limit for one answer, after which the sentences so far count, or the rules are used.
        min_confidence: from which on a question is answered, [0, 1]; a request may say another one.
    """

    budget_s: PositiveFloat = 20.0
    min_confidence: Share = 0.12


class KnowledgeSettings(StepSettings):
    """Extraction of facts.

    Attributes:
        provider: `rules`, or `llm`: a language model in addition to the reader, whose facts count as far as
            the message supports them.
        budget_s: how long messages wait for the models; then only the reader is used.
        batch: maximum number of messages per request.
        identify_every_s: seconds between two passes of entity resolution by the LLM ("Nico", "Nicola").
        gliner_model: GLiNER model that names entities for the reader and the LLM: a folder, or a name on the
            hub; needs the extra `gliner`.
        gliner_onnx: file in the model's folder that ONNX Runtime runs instead of PyTorch, if present.
        gliner_labels: kinds of entities to look for.
        gliner_threshold: minimum score of an entity.
    """

    batch: Annotated[int, Field(ge=1, le=16)] = 8
    identify_every_s: PositiveFloat = 60.0
    gliner_model: Annotated[str, Field(min_length=1)] | None = None
    gliner_onnx: Annotated[str, Field(min_length=1)] = "model.onnx"
    gliner_labels: Annotated[tuple[Annotated[str, Field(min_length=1)], ...], Field(min_length=1)] = (
        "person",
        "animal",
        "place",
        "organization",
        "event",
        "product",
    )
    gliner_threshold: Share = 0.5
