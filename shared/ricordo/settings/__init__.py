"""Settings, read from the environment (`RICORDO_*`) and from the TOML file that `RICORDO_CONFIG` names.

Two underscores separate group and setting: `RICORDO_EMBEDDING__PROVIDER=ollama`. In the TOML file, groups are
tables. The environment takes precedence.
"""

import os
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, Self

from pydantic import BaseModel, ModelWrapValidatorHandler, PrivateAttr, model_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from ricordo.settings.connections import BusSettings, DocumentSettings, StoreSettings
from ricordo.settings.memory import LifecycleSettings, LinkSettings, QuotaSettings, RankingSettings
from ricordo.settings.processes import GatewaySettings, LogSettings, WorkerSettings
from ricordo.settings.providers import (
    AnalyserSettings,
    AnsweringSettings,
    CondensingSettings,
    EmbeddingSettings,
    EnrichmentSettings,
    KnowledgeSettings,
)

__all__ = [
    "AnalyserSettings",
    "AnsweringSettings",
    "BusSettings",
    "CondensingSettings",
    "DocumentSettings",
    "EmbeddingSettings",
    "EnrichmentSettings",
    "GatewaySettings",
    "KnowledgeSettings",
    "LifecycleSettings",
    "LinkSettings",
    "LogSettings",
    "QuotaSettings",
    "RankingSettings",
    "Settings",
    "StoreSettings",
    "WorkerSettings",
]

_PREFIX: Final = "RICORDO_"

_FORMER: Final = tomllib.loads(files(__package__).joinpath("former.toml").read_text(encoding="utf-8"))
FORMER_NAMES: Final = {tuple(name.split(".")): present for name, present in _FORMER["former"].items()}
"""The present name of each renamed setting, by group and former name; former names are still read."""

REMOVED_SETTINGS: Final = frozenset(tuple(name.split(".")) for name in _FORMER["removed"])
"""Settings without effect, by group and name; they are ignored."""


class Settings(BaseSettings):
    """All settings of a process."""

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX, env_nested_delimiter="__", frozen=True, extra="forbid"
    )

    bus: BusSettings = BusSettings()
    stores: StoreSettings = StoreSettings()
    documents: DocumentSettings = DocumentSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
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

    _renamed: tuple[tuple[str, str], ...] = PrivateAttr(default=())
    _removed: tuple[str, ...] = PrivateAttr(default=())

    @property
    def renamed(self) -> tuple[tuple[str, str], ...]:
        """Former and present names of the settings that were given by their former name."""
        return self._renamed

    @property
    def removed(self) -> tuple[str, ...]:
        """Names of the settings that were given and have no effect any more."""
        return self._removed

    @model_validator(mode="wrap")
    @classmethod
    def _read_former_names(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:  # noqa: ANN401
        renamed, removed = [], []
        for group, name in REMOVED_SETTINGS:
            values = data.get(group) if isinstance(data, dict) else None
            if isinstance(values, dict) and values.pop(name, None) is not None:
                removed.append(f"{group}.{name}")
        for (group, former), present in FORMER_NAMES.items():
            values = data.get(group) if isinstance(data, dict) else None
            if isinstance(values, dict) and former in values:
                value = values.pop(former)
                values.setdefault(present, value)
                renamed.append((f"{group}.{former}", f"{group}.{present}"))
        settings = handler(data)
        settings._renamed, settings._removed = tuple(renamed), tuple(sorted(removed))  # noqa: SLF001
        return settings

    @model_validator(mode="after")
    def _use_no_llm_in_lite_mode(self) -> Self:
        if self.lifecycle.lite:
            for name in ("analyser", "enrichment", "knowledge", "condensing"):
                group: BaseModel = getattr(self, name)
                rules = {"provider": "rules"} | ({"gliner_model": None} if name == "knowledge" else {})
                self.__dict__[name] = group.model_copy(update=rules)  # the model itself is frozen
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
        """Return all variables that are read, upper-case: each setting, each group as JSON, former names."""
        groups = {f"{_PREFIX}{name}".upper(): field.annotation for name, field in cls.model_fields.items()}
        nested = (
            f"{group}__{name}".upper()
            for group, model in groups.items()
            if isinstance(model, type) and issubclass(model, BaseModel)
            for name in model.model_fields
        )
        former = (f"{_PREFIX}{group}__{name}".upper() for group, name in (*FORMER_NAMES, *REMOVED_SETTINGS))
        return (*groups, *nested, *former)
