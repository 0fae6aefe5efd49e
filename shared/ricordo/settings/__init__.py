"""Settings: read once from the environment (`RICORDO_*`) and a TOML file, validated, frozen, passed down.

Nested values are named with two underscores: `RICORDO_EMBEDDING__PROVIDER=ollama`. A TOML file, named by
`RICORDO_CONFIG`, holds the same names as tables; the environment wins over it.
"""

import os
from pathlib import Path
from typing import Final, Self

from pydantic import BaseModel, model_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from ricordo.settings.documents import DocumentSettings
from ricordo.settings.models import (
    AnalyserSettings,
    CondensingSettings,
    EmbeddingSettings,
    EnrichmentSettings,
    KnowledgeSettings,
)
from ricordo.settings.processes import LogSettings, WorkerSettings
from ricordo.settings.remembering import LifecycleSettings, LinkSettings, QuotaSettings, RankingSettings
from ricordo.settings.servers import BusSettings, StoreSettings

__all__ = [
    "AnalyserSettings",
    "BusSettings",
    "CondensingSettings",
    "DocumentSettings",
    "EmbeddingSettings",
    "EnrichmentSettings",
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
    ranking: RankingSettings = RankingSettings()
    links: LinkSettings = LinkSettings()
    quotas: QuotaSettings = QuotaSettings()
    lifecycle: LifecycleSettings = LifecycleSettings()
    worker: WorkerSettings = WorkerSettings()
    log: LogSettings = LogSettings()

    @model_validator(mode="after")
    def _ask_no_language_model_in_lite_mode(self) -> Self:
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
        """Return the variables that are read, in capitals: of each setting, and of each group as JSON."""
        groups = {f"{_PREFIX}{name}".upper(): field.annotation for name, field in cls.model_fields.items()}
        nested = (
            f"{group}__{name}".upper()
            for group, model in groups.items()
            if isinstance(model, type) and issubclass(model, BaseModel)
            for name in model.model_fields
        )
        return (*groups, *nested)
