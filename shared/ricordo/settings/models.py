"""Which models embed, read questions, enrich and read facts, and how patient their users are."""

from typing import Annotated, Final, Literal

from pydantic import Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from ricordo.language.embedding import MINILM
from ricordo.settings.values import OLLAMA, Group, PositiveFloat, PositiveInt, Share, is_ollama, refuse

_LATEST: Final = ":latest"  # what Ollama means by a name without a tag


class EmbeddingSettings(Group):
    """The embedding model and its batcher.

    Attributes:
        provider: `onnx`, in process, or `ollama`.
        model: its name; with `onnx` there is only `all-MiniLM-L6-v2`.
        fallback: the model that serves when the first has been away for `fallback_after_s`: one on the same
            Ollama, or `all-MiniLM-L6-v2` in process. Only with `ollama`; None for none.
        ollama_url: where Ollama answers.
        pull: whether workers have Ollama fetch a model that it does not hold.
        batch: texts in one request at the most.
        flush_after_ms: how long the first text of a batch waits for others.
        in_flight: requests at once.
        requests_per_s: of a remote server at the most, evenly spaced; the in-process model has no limit.
        failures_to_open: failures in a row after which nothing is asked of the model for a while.
        open_s: seconds until one request tries whether the model is back.
        fallback_after_s: seconds of outage after which the fallback serves.
        queue: texts that may wait; submitting more waits.
        precision: of the products of the model in process; `int8` encodes half as many texts more in a
            second, and a vector depends a little on the texts that it is encoded with.
        threads: of the model in process; by default as many as the process may use.
        query_within_s: seconds for which a query waits for its vector; then it is answered by words alone.
    """

    provider: Literal["onnx", "ollama"] = "onnx"
    model: str = MINILM
    fallback: str | None = None
    ollama_url: str = OLLAMA
    pull: bool = True
    batch: PositiveInt = 32
    flush_after_ms: Annotated[float, Field(ge=0)] = 50.0
    in_flight: PositiveInt = 2
    requests_per_s: PositiveInt = 3
    failures_to_open: PositiveInt = 3
    open_s: PositiveFloat = 15.0
    fallback_after_s: PositiveFloat = 60.0
    queue: PositiveInt = 1024
    precision: Literal["fp32", "int8"] = "fp32"
    threads: Annotated[int, Field(ge=1, le=512)] | None = None
    query_within_s: PositiveFloat = 1.5

    @field_validator("model")
    @classmethod
    def _is_known_to_its_provider(cls, model: str, others: ValidationInfo) -> str:
        if others.data.get("provider") == "onnx" and model != MINILM:
            raise PydanticCustomError(
                "unknown_model",
                f"the provider onnx knows only {MINILM}; others take the provider ollama",
            )
        return model

    _is_ollama = field_validator("ollama_url")(is_ollama)

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
            refuse(f"it is embedding.model itself, and away whenever that is: name another one, or {MINILM}")
        return fallback


class AnalyserSettings(Group):
    """What reads questions.

    Attributes:
        provider: `rules`, which need no model, or `ollama`: a language model, with the rules behind it.
        model: its name.
        ollama_url: where Ollama answers.
        budget_ms: how long an answer may take; then the rules answer.
        failures_to_open: failures in a row after which the model is not asked for a while.
        open_s: seconds until one question tries whether the model is back.
        remembered: answers of the model that are remembered, those used last.
    """

    provider: Literal["rules", "ollama"] = "rules"
    model: str = "qwen2.5:1.5b"
    ollama_url: str = OLLAMA
    budget_ms: PositiveFloat = 200.0
    failures_to_open: PositiveInt = 3
    open_s: PositiveFloat = 15.0
    remembered: PositiveInt = 1024

    _is_ollama = field_validator("ollama_url")(is_ollama)


class EnrichmentSettings(Group):
    """What derives feeling, importance, topics, people, type, kind and title of a message.

    Attributes:
        provider: `rules`, which need no model, or `ollama`: a language model, with the rules behind it.
        model: its name; the versions of what it derives carry it.
        ollama_url: where Ollama answers.
        batch: messages in one request at the most.
        budget_s: how long messages on their way wait for the model; then the rules' values stand, until
            `ricordo backfill` raises them.
        requests_per_s: of each process at the most, evenly spaced.
        failures_to_open: failures in a row, nonsense included, after which the model is not asked for a
            while.
        open_s: seconds until one request tries whether the model is back.
    """

    provider: Literal["rules", "ollama"] = "rules"
    model: str = "hermes3:8b"
    ollama_url: str = OLLAMA
    batch: Annotated[int, Field(ge=1, le=16)] = 8
    budget_s: PositiveFloat = 60.0
    requests_per_s: PositiveInt = 3
    failures_to_open: PositiveInt = 3
    open_s: PositiveFloat = 15.0

    _is_ollama = field_validator("ollama_url")(is_ollama)


class CondensingSettings(Group):
    """What condenses: sessions into summaries, old memories into syntheses, a user's last ones into insights.

    Attributes:
        provider: `rules`, which choose the sentences that tell most and need no model, or `ollama`: a
            language model, whose text counts where the sources bear it out, with the rules behind it.
        model: its name.
        ollama_url: where Ollama answers.
        budget_s: how long one text waits for the model; then the rules condense it.
        requests_per_s: of each process at the most, evenly spaced, whatever the model is asked for.
        failures_to_open: failures in a row, nonsense included, after which the model is not asked for a
            while.
        open_s: seconds until one request tries whether the model is back.
    """

    provider: Literal["rules", "ollama"] = "rules"
    model: str = "hermes3:8b"
    ollama_url: str = OLLAMA
    budget_s: PositiveFloat = 60.0
    requests_per_s: PositiveInt = 3
    failures_to_open: PositiveInt = 3
    open_s: PositiveFloat = 15.0

    _is_ollama = field_validator("ollama_url")(is_ollama)


class KnowledgeSettings(Group):
    """What reads facts in messages.

    Attributes:
        provider: `rules`, which need no model, or `ollama`: a language model reads what the rules do not
            know, and what it says counts as far as the message bears it out.
        model: its name.
        ollama_url: where Ollama answers.
        batch: messages in one request at the most.
        budget_s: how long messages on their way wait for the models; then what the rules read stands.
        requests_per_s: of each process at the most, evenly spaced.
        failures_to_open: failures in a row, nonsense included, after which a model is not asked for a while.
        open_s: seconds until one request tries whether it is back.
        identify_every_s: seconds between two passes in which the language model is asked who is who where
            rules cannot say it ("Nico", "Nicola").
        gliner_model: a GLiNER model that names the entities in a message for the language model: a folder, or
            a name on the hub; None for none. Only with `ollama`; needs the extra `gliner`.
        gliner_onnx: file in the model's folder that ONNX Runtime runs in PyTorch's place, where it is there.
        gliner_labels: the kinds of entities that it looks for.
        gliner_threshold: how sure it must be of one.
    """

    provider: Literal["rules", "ollama"] = "rules"
    model: str = "hermes3:8b"
    ollama_url: str = OLLAMA
    batch: Annotated[int, Field(ge=1, le=16)] = 8
    budget_s: PositiveFloat = 60.0
    requests_per_s: PositiveInt = 3
    failures_to_open: PositiveInt = 3
    open_s: PositiveFloat = 15.0
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

    _is_ollama = field_validator("ollama_url")(is_ollama)

    @field_validator("gliner_model")
    @classmethod
    def _is_asked_for(cls, model: str | None, others: ValidationInfo) -> str | None:
        if model is not None and others.data.get("provider") == "rules":
            refuse(
                "with the provider rules nobody would ask it: it names entities for a language model; "
                "leave it out, or take the provider ollama"
            )
        return model
