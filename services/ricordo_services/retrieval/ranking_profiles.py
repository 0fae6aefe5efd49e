"""The ranking profiles of a running system, by its settings and its model."""

from collections.abc import Mapping

import structlog

from ricordo.memory.ranking import load_profiles
from ricordo.memory.ranking.human import load_human
from ricordo.memory.ranking.signals import RankingProfile

_log = structlog.stdlib.get_logger(__name__)


def profiles_for(model: str, changes: Mapping[str, Mapping[str, float]]) -> Mapping[str, RankingProfile]:
    """Return the profiles by name, and say so where the learned one was learned on another model's vectors.

    Raises:
        UnknownProfile: there is no such profile.
        UnknownWeight: a profile has no such weight.
        ValueError: a weight is none that the profile can have.
    """
    learned_on = load_human().model
    if learned_on != model:
        _log.warning("human ranks by weights of another model", learned_on=learned_on, model=model)
    return load_profiles(changes)
