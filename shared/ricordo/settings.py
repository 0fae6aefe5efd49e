"""Settings: read once from the environment (`RICORDO_*`) and a TOML file, validated, frozen, passed down.

Nested values are named with two underscores: `RICORDO_EMBEDDING__PROVIDER=ollama`. A TOML file, named by
`RICORDO_CONFIG`, holds the same names as tables; the environment wins over it.
"""

import os
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from ricordo.domain.embedding import MINILM
from ricordo.urls import dsn_fault, fault

PositiveInt = Annotated[int, Field(gt=0)]
PositiveFloat = Annotated[float, Field(gt=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Weight = Annotated[float, Field(ge=0, le=1000)]

_PREFIX: Final = "RICORDO_"
_HTTP: Final = ("http", "https")
_BOLT: Final = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")
_POSTGRES: Final = ("postgresql", "postgres")
_OLLAMA: Final = "http://127.0.0.1:11434"
_LATEST: Final = ":latest"  # what Ollama means by a name without a tag


class _Group(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def _refuse(fault: str) -> None:
    """Refuse a value that has a `fault`, in words that need no more around them."""
    if fault:
        raise PydanticCustomError("fault", "{fault}", {"fault": fault})


def _ollama(url: str) -> str:
    _refuse(fault(url, _HTTP, _OLLAMA))
    return url


class BusSettings(_Group):
    """NATS.

    Attributes:
        url: where it answers, credentials inside it when there are any.
        input_bytes: limit of the stream that bots write to; a full one refuses.
        events_bytes: limit of the stream of derived events; a full one drops its oldest.
        dead_letter_bytes: limit of the stream of dead letters; a full one drops its oldest.
        query_timeout_s: after this many seconds a query is answered with `timeout`.
        concurrent_queries: how many are worked on at once in one process.
    """

    url: str = "nats://127.0.0.1:4222"
    input_bytes: PositiveInt = 4 * 1024**3
    events_bytes: PositiveInt = 4 * 1024**3
    dead_letter_bytes: PositiveInt = 1024**3
    query_timeout_s: PositiveFloat = 5.0
    concurrent_queries: PositiveInt = 32

    @field_validator("url")
    @classmethod
    def _is_address(cls, url: str) -> str:
        # the client, which is not loaded where the address is nobody's own
        from ricordo.client import InvalidRequest  # noqa: PLC0415
        from ricordo.client.addresses import checked_addresses  # noqa: PLC0415

        try:
            checked_addresses(url)
        except InvalidRequest as error:
            _refuse(error.message)
        return url


class StoreSettings(_Group):
    """PostgreSQL, Qdrant and the graph.

    Attributes:
        postgres_dsn: the workers' role, bound by row-level security.
        postgres_admin_dsn: the owner of the schema, for migrations; without it a worker expects them done.
        postgres_connections: the most that one process opens.
        qdrant_url: a Qdrant server; without it the engine runs in process, in `qdrant_dir`.
        qdrant_api_key: of the Qdrant server.
        qdrant_dir: folder of the engine in process.
        qdrant_min_free_mb: megabytes on the volume of that folder below which nothing more is indexed; below
            half of it nothing at all is written there. To open the index takes all of it, to read as well.
            A full volume would end the process.
        bolt_url: Neo4j, or what speaks its protocol.
        bolt_user: who signs in to the graph.
        bolt_password: their password.
        bolt_database: the database that holds the graph.
    """

    postgres_dsn: SecretStr = SecretStr("postgresql://ricordo_worker@127.0.0.1:5432/ricordo")
    postgres_admin_dsn: SecretStr | None = None
    postgres_connections: PositiveInt = 12
    qdrant_url: str | None = None
    qdrant_api_key: SecretStr | None = None
    qdrant_dir: Path | None = None
    qdrant_min_free_mb: PositiveInt = 256
    bolt_url: str = "bolt://127.0.0.1:7687"
    bolt_user: str = "neo4j"
    bolt_password: SecretStr = SecretStr("")
    bolt_database: str = "neo4j"

    @field_validator("postgres_dsn", "postgres_admin_dsn")
    @classmethod
    def _names_database(cls, dsn: SecretStr | None) -> SecretStr | None:
        if dsn is not None:
            example = "postgresql://user:password@127.0.0.1:5432/ricordo"
            _refuse(dsn_fault(dsn.get_secret_value(), _POSTGRES, example))
        return dsn

    @field_validator("qdrant_url")
    @classmethod
    def _is_qdrant(cls, url: str | None) -> str | None:
        if url is not None:
            _refuse(fault(url, _HTTP, "http://127.0.0.1:6333"))
        return url

    @field_validator("bolt_url")
    @classmethod
    def _is_bolt(cls, url: str) -> str:
        _refuse(fault(url, _BOLT, "bolt://127.0.0.1:7687"))
        return url


class EmbeddingSettings(_Group):
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
        requests_per_s: token bucket of a remote server; the in-process model has none.
        failures_to_open: failures in a row after which nothing is asked of the model for a while.
        open_s: seconds until one request tries whether the model is back.
        fallback_after_s: seconds of outage after which the fallback serves.
        queue: texts that may wait; submitting more waits.
        precision: of the products of the model in process; `int8` encodes half as many texts more in a
            second, and a vector depends a little on the texts that it is encoded with.
        threads: of the model in process; by default as many as the process may use.
    """

    provider: Literal["onnx", "ollama"] = "onnx"
    model: str = MINILM
    fallback: str | None = None
    ollama_url: str = _OLLAMA
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

    @field_validator("model")
    @classmethod
    def _is_known_to_its_provider(cls, model: str, others: ValidationInfo) -> str:
        if others.data.get("provider") == "onnx" and model != MINILM:
            raise PydanticCustomError(
                "unknown_model",
                f"the provider onnx knows only {MINILM}; others take the provider ollama",
            )
        return model

    _is_ollama = field_validator("ollama_url")(_ollama)

    @field_validator("fallback")
    @classmethod
    def _can_take_its_place(cls, fallback: str | None, others: ValidationInfo) -> str | None:
        if fallback is None:
            return None
        if others.data.get("provider") == "onnx":
            _refuse(
                "with the provider onnx nothing would ever ask it: the model in process is never away; "
                "leave it out, or take the provider ollama"
            )
        if fallback.removesuffix(_LATEST) == str(others.data.get("model")).removesuffix(_LATEST):
            _refuse(f"it is embedding.model itself, and away whenever that is: name another one, or {MINILM}")
        return fallback


class AnalyserSettings(_Group):
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
    ollama_url: str = _OLLAMA
    budget_ms: PositiveFloat = 200.0
    failures_to_open: PositiveInt = 3
    open_s: PositiveFloat = 15.0
    remembered: PositiveInt = 1024

    _is_ollama = field_validator("ollama_url")(_ollama)


class EnrichmentSettings(_Group):
    """What derives feeling, importance, topics, people, type, kind and title of a message.

    Attributes:
        provider: `rules`, which need no model, or `ollama`: a language model, with the rules behind it.
        model: its name; the versions of what it derives carry it.
        ollama_url: where Ollama answers.
        batch: messages in one request at the most.
        budget_s: how long messages on their way wait for the model; then the rules' values stand, until
            `ricordo backfill` raises them.
        requests_per_s: token bucket, of each process.
        failures_to_open: failures in a row, nonsense included, after which the model is not asked for a
            while.
        open_s: seconds until one request tries whether the model is back.
    """

    provider: Literal["rules", "ollama"] = "rules"
    model: str = "hermes3:8b"
    ollama_url: str = _OLLAMA
    batch: Annotated[int, Field(ge=1, le=16)] = 8
    budget_s: PositiveFloat = 60.0
    requests_per_s: PositiveInt = 3
    failures_to_open: PositiveInt = 3
    open_s: PositiveFloat = 15.0

    _is_ollama = field_validator("ollama_url")(_ollama)


class RankingSettings(_Group):
    """Search and ranking.

    Attributes:
        profile: the one that answers where a query names none.
        weights: by profile, the weights that differ from its own, as in {"generative": {"recency": 0.1}}.
        fusion: how dense and BM25 results are joined.
        min_idf: rarity below which a word of a query does not count, unless all are below; not for `human`.
        min_semantic_score, min_similarity: thresholds on dense and fused scores, in [0, 1]; not for `human`.
        fact_confidence: from which confidence a fact is shown unasked.
        hybrid: search by words too, not by meaning alone.
    """

    profile: Literal["human", "weighted", "multiplicative", "generative", "budget"] = "human"
    weights: dict[str, dict[str, Weight]] = {}
    fusion: Literal["rrf", "weighted"] = "rrf"
    min_idf: Weight = 0.6
    min_semantic_score: Share = 0.35
    min_similarity: Share = 0.4
    fact_confidence: Annotated[int, Field(ge=1, le=10)] = 3
    hybrid: bool = True

    @field_validator("weights")
    @classmethod
    def _weights_of_profiles(cls, weights: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
        if weights:
            # NumPy, which the command line does not need for anything else that it does at once
            from ricordo.domain.ranking import UnknownProfile, UnknownWeight, profiles  # noqa: PLC0415

            try:
                profiles(weights)
            except (UnknownProfile, UnknownWeight) as error:
                raise PydanticCustomError("ranking_weights", "{fault}", {"fault": str(error)}) from error
        return weights


class LinkSettings(_Group):
    """Links between memories that are about the same thing.

    Attributes:
        threshold: the least cosine of two that are related, to three digits. The default is for MiniLM; other
            models have other cosines. What is linked already stays so when it is changed.
        cache_mb: what a process remembers of its users' vectors at the most; about 1.2 kB a memory at 384
            dimensions. A user who takes more than that is read again for each batch.
    """

    threshold: Annotated[float, Field(ge=0.001, le=1)] = 0.65
    cache_mb: PositiveInt = 256


class LifecycleSettings(_Group):
    """Fading and care.

    Attributes:
        decay_every_h: hours between two passes; one runs at start.
        floors: whether what mattered never fades below its floor.
        reconcile_every_s: seconds between two looks for messages that lack a stage.
        reconcile_after_s: how long a stage may be missing.
    """

    decay_every_h: PositiveFloat = 24.0
    floors: bool = True
    reconcile_every_s: PositiveFloat = 30.0
    reconcile_after_s: PositiveFloat = 120.0


class WorkerSettings(_Group):
    """The worker loop.

    Attributes:
        batch: events handled together at the most.
        slots: events in work at once, of one consumer, in one process. `encode` holds twice as many: some are
            before the model while the vectors of others are written.
        import_slots: the same for the bulk lane.
        import_backlog: derived events that may wait for a worker while the bulk lane goes on: what is said
            meanwhile waits behind them.
        grace_s: how long a stop waits for what is in work.
        health_host: the address that `/healthz` and `/metrics` listen on.
        health_port: where `/healthz` and `/metrics` answer; None for nowhere.
    """

    batch: PositiveInt = 64
    slots: PositiveInt = 128
    import_slots: PositiveInt = 64
    import_backlog: PositiveInt = 1000
    grace_s: PositiveFloat = 4.0
    health_host: str = "127.0.0.1"
    health_port: Annotated[int, Field(ge=0, le=65535)] | None = None


class LogSettings(_Group):
    """Logs, on standard error.

    Attributes:
        level: lines below it are dropped.
        format: `text` is for people; at a terminal it is the default.
    """

    level: Literal["debug", "info", "warning", "error"] = "info"
    format: Literal["json", "text"] = "json"


class Settings(BaseSettings):
    """All settings of a process."""

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX, env_nested_delimiter="__", frozen=True, extra="forbid"
    )

    bus: BusSettings = BusSettings()
    stores: StoreSettings = StoreSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    analyser: AnalyserSettings = AnalyserSettings()
    enrichment: EnrichmentSettings = EnrichmentSettings()
    ranking: RankingSettings = RankingSettings()
    links: LinkSettings = LinkSettings()
    lifecycle: LifecycleSettings = LifecycleSettings()
    worker: WorkerSettings = WorkerSettings()
    log: LogSettings = LogSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the signature is pydantic's
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Read arguments, then the environment, then the TOML file that `RICORDO_CONFIG` names."""
        file = os.environ.get("RICORDO_CONFIG")
        toml = (TomlConfigSettingsSource(settings_cls, Path(file)),) if file else ()
        return (init_settings, env_settings, *toml)

    @classmethod
    def variables(cls) -> tuple[str, ...]:
        """Return the variables that are read, in capitals: of each setting, and of each group as JSON."""
        groups = {f"{_PREFIX}{name}".upper(): field.annotation for name, field in cls.model_fields.items()}
        nested = (
            f"{group}__{name}".upper()
            for group, model in groups.items()
            if isinstance(model, type) and issubclass(model, BaseModel)
            for name in model.model_fields
        )
        return (*groups, *nested)
