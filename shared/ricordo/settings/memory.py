"""Settings of ranking, links, quotas and the life cycle."""

from typing import Annotated, Literal

from pydantic import Field, field_validator
from pydantic_core import PydanticCustomError

from ricordo.settings.group import Group, PositiveFloat, PositiveInt, Share, Weight


class RankingSettings(Group):
    """Search and ranking.

    Attributes:
        profile: default ranking profile of queries.
        weights: by profile, weights that replace its own, as in {"generative": {"recency": 0.1}}.
        fusion: how dense and BM25 scores are fused; not for `human`.
        min_idf: minimum inverse document frequency of a query word, unless all are below it; not for
            `human`.
        min_semantic_score: minimum cosine, in [0, 1]; that of the embedding model by default, 0.23 for
            multilingual-e5-small and 0.35 for others; not for `human`.
        min_similarity: minimum fused score, in [0, 1]; not for `human`.
        fact_confidence: minimum confidence of facts that recall and context return unasked.
        hybrid: search by words in addition to vectors.
    """

    profile: Literal["human", "weighted", "multiplicative", "generative", "budget"] = "human"
    weights: dict[str, dict[str, Weight]] = Field(default={})
    fusion: Literal["rrf", "weighted"] = "rrf"
    min_idf: Weight = 0.6
    min_semantic_score: Share | None = None
    min_similarity: Share = 0.4
    fact_confidence: Annotated[int, Field(ge=1, le=10)] = 3
    hybrid: bool = True

    @property
    def without_effect(self) -> tuple[str, ...]:
        """Settings that were set although the default profile ignores them."""
        of_others = {"fusion", "min_idf", "min_semantic_score", "min_similarity"}
        return tuple(sorted(of_others & self.model_fields_set)) if self.profile == "human" else ()

    @field_validator("weights")
    @classmethod
    def _weights_of_profiles(cls, weights: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
        if weights:
            # NumPy, which the command line does not need for anything else that it does at once
            from ricordo.memory.ranking import UnknownProfile, UnknownWeight, load_profiles  # noqa: PLC0415

            try:
                load_profiles(weights)
            except (UnknownProfile, UnknownWeight) as error:
                raise PydanticCustomError("ranking_weights", "{fault}", {"fault": str(error)}) from error
        return weights


class LinkSettings(Group):
    """Related memories.

    Attributes:
        threshold: minimum cosine of two related memories; that of the embedding model by default, 0.4 for
            multilingual-e5-small and 0.65 for others.
    """

    threshold: Annotated[float, Field(ge=0.001, le=1)] | None = None


class QuotaSettings(Group):
    """Limits per user; messages beyond them become dead letters.

    Attributes:
        messages: maximum number of stored messages; deleting frees room. 0 for no limit.
        messages_per_day: maximum number of messages per day (UTC); 0 for no limit.
    """

    messages: Annotated[int, Field(ge=0, le=2**62)] = 0
    messages_per_day: Annotated[int, Field(ge=0, le=2**62)] = 0


class LifecycleSettings(Group):
    """Decay, sessions, condensation, reflection and reconciliation.

    Attributes:
        decay_every_h: hours between two runs of decay and the other daily passes; due passes run at start.
        floors: whether importance sets a minimum of the decay factor.
        session_silence_min: minutes of silence after which a session ends.
        summarize_every_s: seconds between two checks for ended sessions.
        compress_similarity: minimum cosine, with a central one, of memories that are condensed together, to
            three digits. The default suits the models in process.
        expire_every_s: seconds between two checks for memories past their `expires_at`.
        expired_return_h: hours for which an expired memory returns after a use.
        lite: keep little: at most 1,000 observations and 100 reflections per user by default, no
            reflection, and no LLM.
        retain_observations: maximum number of messages, notes and the like per user outside the archive; no
            limit by default.
        retain_reflections: the same for reflections.
        retain_by: which memories are retained: by importance and age, last stored, or last said or used.
        reflect: whether insights are derived; not in lite mode.
        reflect_threshold: sum of importances (1 to 10 each) since the last reflection that triggers the
            next one.
        reflect_questions: maximum number of questions that a language model asks about them, with an insight
            each.
        reflect_memories: maximum number of memories from which each is answered.
        reflect_importance: of an insight, on the scale from 1 to 10, at least.
        reflect_every_s: seconds between two checks for users above the threshold.
        reconcile_every_s: seconds between two checks for messages that lack a stage.
        reconcile_after_s: how long a stage may be missing, unless older events wait for its worker; ten times
            as long regardless.
        recall_effects_days: days for which effects of recalls (for `command.feedback`) and of commands
            (for repeated requests) are stored; at least 8, since an event may be redelivered for 7.
        working_memory_h: hours for which turns and notes stay in working memory.
    """

    decay_every_h: PositiveFloat = 24.0
    floors: bool = True
    session_silence_min: PositiveFloat = 30.0
    summarize_every_s: PositiveFloat = 5.0
    compress_similarity: Annotated[float, Field(ge=0.001, le=1)] = 0.5
    expire_every_s: PositiveFloat = 60.0
    expired_return_h: Annotated[float, Field(ge=0, le=87_600)] = 24.0
    lite: bool = False
    retain_observations: PositiveInt | None = None
    retain_reflections: PositiveInt | None = None
    retain_by: Literal["importance_weighted", "fifo", "recency"] = "importance_weighted"
    reflect: bool = True
    reflect_threshold: PositiveFloat = 100.0
    reflect_questions: Annotated[int, Field(ge=1, le=10)] = 3
    reflect_memories: Annotated[int, Field(ge=2, le=20)] = 10
    reflect_importance: Annotated[float, Field(ge=1, le=10)] = 8.0
    reflect_every_s: PositiveFloat = 60.0
    reconcile_every_s: PositiveFloat = 30.0
    reconcile_after_s: PositiveFloat = 60.0
    recall_effects_days: Annotated[int, Field(ge=8, le=36_500)] = 30
    working_memory_h: Annotated[float, Field(gt=0, le=8_760)] = 24.0
