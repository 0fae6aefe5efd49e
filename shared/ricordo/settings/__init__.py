"""Settings, read from the environment (`RICORDO_*`) and from the TOML file that `RICORDO_CONFIG` names.

Two underscores separate group and setting: `RICORDO_EMBEDDING__PROVIDER=ollama`. In the TOML file, groups are
tables. The environment takes precedence.
"""

import os
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, Field, SecretStr, model_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from ricordo.settings.connections import BusSettings, DocumentSettings, StoreSettings
from ricordo.settings.group import Group, PositiveFloat, PositiveInt
from ricordo.settings.memory import LifecycleSettings, LinkSettings, QuotaSettings, RankingSettings
from ricordo.settings.providers import (
    AnalyserSettings,
    AnsweringSettings,
    CondensingSettings,
    EmbeddingSettings,
    EnrichmentSettings,
    KnowledgeSettings,
    LlmSettings,
    StepSettings,
)


class WorkerSettings(Group):
    """The worker loop.

    Attributes:
        batch: maximum number of events per handler call.
        slots: maximum number of in-flight events per consumer and process; `ingest` and `encode` hold more.
        breaker_window: number of latest events, or memories of an event, that decide whether a worker halts.
        breaker_threshold: share of failures among them above which a worker halts; 1 disables halting.
        breaker_max_pause_s: maximum seconds between two probes of a halted worker; the pause starts at 1 and
            doubles.
        live_burst: number of messages that one user may send in a minute on the live lane; further ones are
            stored in the history and continue on the bulk lane.
        grace_s: how long a stop waits for work in progress.
        health_host: address of `/healthz` and `/metrics`.
        health_port: port of `/healthz` and `/metrics`; none disables them. Further processes of `ricordo up`
            take the next ones.
    """

    batch: PositiveInt = 64
    slots: PositiveInt = 128
    breaker_window: Annotated[int, Field(ge=2)] = 20
    breaker_threshold: Annotated[float, Field(gt=0, le=1)] = 0.5
    breaker_max_pause_s: Annotated[float, Field(ge=1)] = 60.0
    live_burst: PositiveInt = 500
    grace_s: PositiveFloat = 4.0
    health_host: str = "127.0.0.1"
    health_port: Annotated[int, Field(ge=0, le=65535)] | None = None


class GatewaySettings(Group):
    """HTTP.

    Attributes:
        host: address to listen on.
        port: port to listen on.
        hosts: names in the header `Host` that are accepted, besides those of the loopback address.
        origins: values of the header `Origin` that are accepted, such as `https://chat.example.org`.
        key: a key that is always good, besides those of `ricordo key`.
        tenant: tenant of that key.
        requests_per_second: that one key may send.
        event_streams_per_key: streams of events that one key may have open, in each process.
        max_body_bytes: maximum size of a body; imports are streamed, and have no limit.
        webhook_networks: networks of webhooks besides public addresses, such as `10.0.0.0/8`; `ricordo up`
            allows the loopback address.
        webhook_timeout_s: seconds that the receiver of a webhook has to answer.
        webhook_retries_s: seconds before each new attempt of an event; a webhook is disabled if all fail.
        webhooks_per_tenant: maximum number of webhooks.
    """

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=1, le=65535)] = 7480
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    key: SecretStr | None = None
    tenant: str = "default"
    requests_per_second: Annotated[float, Field(ge=1)] = 500.0
    event_streams_per_key: PositiveInt = 100
    max_body_bytes: PositiveInt = 1024**2
    webhook_networks: tuple[IPv4Network | IPv6Network, ...] = ()
    webhook_timeout_s: PositiveFloat = 15.0
    webhook_retries_s: tuple[PositiveFloat, ...] = (
        5,
        300,
        1800,
        7200,
        18_000,
        36_000,
        50_400,
        72_000,
        86_400,
    )
    webhooks_per_tenant: PositiveInt = 20


class LogSettings(Group):
    """Logs, on standard error.

    Attributes:
        level: minimum level.
        format: `json`, or `text` for people, which is the default on a terminal.
    """

    level: Literal["debug", "info", "warning", "error"] = "info"
    format: Literal["json", "text"] = "json"


__all__ = [
    "STEPS",
    "AnalyserSettings",
    "BusSettings",
    "DocumentSettings",
    "EmbeddingSettings",
    "GatewaySettings",
    "KnowledgeSettings",
    "LifecycleSettings",
    "LlmSettings",
    "QuotaSettings",
    "Settings",
    "StepSettings",
    "StoreSettings",
    "WorkerSettings",
]

STEPS: Final = ("analyser", "enrichment", "knowledge", "condensing", "answering")
"""The groups of settings of those steps that a language model can do."""
_PREFIX: Final = "RICORDO_"


class Settings(BaseSettings):
    """All settings of a process."""

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX, env_nested_delimiter="__", frozen=True, extra="forbid"
    )

    bus: BusSettings = BusSettings()
    stores: StoreSettings = StoreSettings()
    documents: DocumentSettings = DocumentSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    llm: LlmSettings = LlmSettings()
    analyser: AnalyserSettings = AnalyserSettings()
    enrichment: EnrichmentSettings = EnrichmentSettings()
    knowledge: KnowledgeSettings = KnowledgeSettings()
    condensing: CondensingSettings = CondensingSettings()
    answering: AnsweringSettings = AnsweringSettings()
    ranking: RankingSettings = RankingSettings()
    links: LinkSettings = LinkSettings()
    quotas: QuotaSettings = QuotaSettings()
    lifecycle: LifecycleSettings = LifecycleSettings()
    worker: WorkerSettings = WorkerSettings()
    gateway: GatewaySettings = GatewaySettings()
    log: LogSettings = LogSettings()

    @model_validator(mode="after")
    def _complete_steps(self) -> Self:
        """Give each step its language model; in lite mode, only answers have one."""
        for name in STEPS:
            step: StepSettings = getattr(self, name).with_defaults(self.llm)
            if self.lifecycle.lite and name != "answering":
                step = step.model_copy(update={"provider": "rules"})
            self.__dict__[name] = step  # the model itself is frozen
        return self

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
        """Return all variables that are read, upper-case: each setting, and each group as JSON."""
        groups = {f"{_PREFIX}{name}".upper(): field.annotation for name, field in cls.model_fields.items()}
        nested = (
            f"{group}__{name}".upper()
            for group, model in groups.items()
            if isinstance(model, type) and issubclass(model, BaseModel)
            for name in model.model_fields
        )
        return (*groups, *nested)
