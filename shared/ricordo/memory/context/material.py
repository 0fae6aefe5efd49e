"""The input and output of `assemble`."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from uuid import UUID

from ricordo.memory.facts.fact_model import Fact
from ricordo.memory.model import Memory
from ricordo.memory.spoken_turns import SpokenTurn


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What a context may contain.

    Attributes:
        now: in the user's zone, for the months of facts; None if unknown.
        always: ids of memories that enter before everything else.
        whole: ids of memories that are of little use in part, such as procedures.
        superseded: ids of memories that a later message has corrected.
        repetitions: of memories that say what others say, too: how many do, and the day of the last.
        uncertain: whether nothing in the question asks for what was found.
        profile: core facts about the user, most wanted first.
        facts: facts that the question asks for, most wanted first.
        habits: a line on how the user writes, in the language of the context; empty for none.
        about: the query; of long texts, the clauses that share its words are shown.
        subject: of the query, for saying what was not found.
    """

    now: datetime | None = None
    memories: Sequence[Memory] = ()
    always: Collection[UUID] = ()
    whole: Collection[UUID] = ()
    superseded: Collection[UUID] = ()
    repetitions: Mapping[UUID, tuple[int, date]] = field(default_factory=dict)
    minor: int = 0
    uncertain: bool = False
    profile: Sequence[Fact] = ()
    facts: Sequence[Fact] = ()
    recent: Sequence[SpokenTurn] = ()
    decisions: Sequence[SpokenTurn] = ()
    notes: Mapping[str, object] = field(default_factory=dict)
    entities: Sequence[str] = ()
    habits: str = ""
    archived_matches: int = 0
    degraded: Collection[str] = ()
    about: str = ""
    subject: str = ""

    @property
    def found_nothing(self) -> bool:
        """Whether memory has no answer to the question; recent turns do not count."""
        return not self.memories and not self.minor and not self.facts


@dataclass(frozen=True, slots=True)
class AssembledContext:
    """A text, its tokens, and by mark the id of the memory or fact that it stands for."""

    text: str
    tokens: int
    marks: Mapping[str, UUID] = field(default_factory=dict)
