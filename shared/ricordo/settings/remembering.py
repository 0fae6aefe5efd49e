"""How memories are ranked, linked and kept."""

from typing import Annotated, Literal

from pydantic import Field, field_validator
from pydantic_core import PydanticCustomError

from ricordo.settings.values import Group, PositiveFloat, PositiveInt, Share, Weight


class RankingSettings(Group):
    """Search and ranking.

    Attributes:
        profile: the one that answers where a query names none.
        weights: by profile, the weights that differ from its own, as in {"generative": {"recency": 0.1}}.
        fusion: how dense and BM25 results are joined; not for `human`.
        min_idf: rarity below which a word of a query does not count, unless all are below; not for `human`.
        min_semantic_score, min_similarity: thresholds on dense and fused scores, in [0, 1]; not for `human`.
        fact_confidence: from which confidence a fact is shown unasked.
        hybrid: search by words too, not by meaning alone.
    """

    profile: Literal["human", "weighted", "multiplicative", "generative", "budget"] = "human"
    weights: dict[str, dict[str, Weight]] = Field(default={})
    fusion: Literal["rrf", "weighted"] = "rrf"
    min_idf: Weight = 0.6
    min_semantic_score: Share = 0.35
    min_similarity: Share = 0.4
    fact_confidence: Annotated[int, Field(ge=1, le=10)] = 3
    hybrid: bool = True

    @property
    def without_effect(self) -> tuple[str, ...]:
        """The settings that were set, and that the profile which answers by default does not look at."""
        of_others = {"fusion", "min_idf", "min_semantic_score", "min_similarity"}
        return tuple(sorted(of_others & self.model_fields_set)) if self.profile == "human" else ()

    @field_validator("weights")
    @classmethod
    def _weights_of_profiles(cls, weights: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
        if weights:
            # NumPy, which the command line does not need for anything else that it does at once
            from ricordo.memory.ranking import UnknownProfile, UnknownWeight, profiles  # noqa: PLC0415

            try:
                profiles(weights)
            except (UnknownProfile, UnknownWeight) as error:
                raise PydanticCustomError("ranking_weights", "{fault}", {"fault": str(error)}) from error
        return weights


class LinkSettings(Group):
    """Links between memories that are about the same thing.

    Attributes:
        threshold: the least cosine of two that are related, to three digits. The default is for MiniLM; other
            models have other cosines. What is linked already stays so when it is changed.
        cache_mb: what a process remembers of its users' vectors at the most; about 1.4 kB a memory at 384
            dimensions. A user who takes more than that is read again for each batch.
    """

    threshold: Annotated[float, Field(ge=0.001, le=1)] = 0.65
    cache_mb: PositiveInt = 256


class QuotaSettings(Group):
    """What one user may have, as a guard against a flood; what is beyond becomes a dead letter.

    Attributes:
        messages: kept at once; what is forgotten frees room. 0 for any number.
        messages_per_day: taken in from midnight to midnight, UTC; 0 for any number.
    """

    messages: Annotated[int, Field(ge=0, le=2**62)] = 0
    messages_per_day: Annotated[int, Field(ge=0, le=2**62)] = 0


class LifecycleSettings(Group):
    """Fading and care.

    Attributes:
        decay_every_h: hours between two runs of decay, and of the other daily passes; what is due runs at
            start.
        floors: whether what mattered never fades below its floor.
        session_silence_min: minutes without a message after which a session is over.
        summarize_every_s: seconds between two looks for sessions that are over.
        compress_alike: the least cosine, with the middle one, of old memories that are condensed together, to
            three digits. The default is for MiniLM; other models have other cosines.
        expire_every_s: seconds between two looks for memories that are past their `expires_at`.
        expired_kept_h: hours for which such a memory stays after a use that brought it back.
        lite: whether little is kept: by default 1,000 observations and 100 reflections a user; nobody is
            reflected upon then, and no language model is asked for anything.
        retain_observations: how many messages, notes and the like of a user stay out of the archive; no limit
            unless said, or `lite`.
        retain_reflections: the same for reflections.
        retain_by: what stays of more than that: what is important and recent, what came in last, or what was
            said or used last.
        reflect: whether insights are drawn from what users say; not in lite mode.
        reflect_threshold: what must have come in about a user since the last reflection: the sum of
            importances, from 1 to 10 each.
        reflect_every_s: seconds between two looks for users of whom so much has come in.
        reconcile_every_s: seconds between two looks for messages that lack a stage.
        reconcile_after_s: how long a stage may be missing.
        uses_kept_days: how long it is kept what each recall has added to each memory, so that
            `command.feedback` can take it back, and what came of commands, so that a repeat is known; 8 or
            more: for 7, the stream may deliver a recall's event again.
        working_memory_h: hours for which turns and notes of a conversation are at hand.
    """

    decay_every_h: PositiveFloat = 24.0
    floors: bool = True
    session_silence_min: PositiveFloat = 30.0
    summarize_every_s: PositiveFloat = 5.0
    compress_alike: Annotated[float, Field(ge=0.001, le=1)] = 0.5
    expire_every_s: PositiveFloat = 60.0
    expired_kept_h: Annotated[float, Field(ge=0, le=87_600)] = 24.0
    lite: bool = False
    retain_observations: PositiveInt | None = None
    retain_reflections: PositiveInt | None = None
    retain_by: Literal["importance_weighted", "fifo", "recency"] = "importance_weighted"
    reflect: bool = True
    reflect_threshold: PositiveFloat = 100.0
    reflect_every_s: PositiveFloat = 60.0
    reconcile_every_s: PositiveFloat = 30.0
    reconcile_after_s: PositiveFloat = 120.0
    uses_kept_days: Annotated[int, Field(ge=8, le=36_500)] = 30
    working_memory_h: Annotated[float, Field(gt=0, le=8_760)] = 24.0
