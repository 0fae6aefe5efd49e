"""What a context is made of, and what comes out."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from ricordo.memory.facts import Fact
from ricordo.memory.model import Memory
from ricordo.memory.working_memory import SpokenTurn


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What a context may be made of.

    Attributes:
        now: in the user's zone, by which months of facts are told; None where nobody says what day it is.
        memories: as ranked, best first.
        always: ids of those memories that enter before all else.
        whole: ids of those memories of which a part is of little use, as of a way to do something.
        superseded: ids of those memories that a later message has corrected.
        minor: how many memories were found and are left out for their little weight.
        uncertain: whether nothing in the question asks for what was found.
        profile: the core facts about the user, most wanted first.
        facts: those that the question asks for, most wanted first.
        recent: the last turns, oldest first.
        decisions: turns of the conversation that decided something, oldest first.
        notes: values that the bot set.
        entities: what the conversation named last.
        habits: a line on how the user talks, in the language of the context; empty for none.
        archived_matches: how many matches lie in the archive.
        degraded: what could not be asked just now.
        about: the query: of long texts, what speaks of it is shown.
        subject: whom or what the query is about, for saying what was not found.
    """

    now: datetime | None = None
    memories: Sequence[Memory] = ()
    always: Collection[UUID] = ()
    whole: Collection[UUID] = ()
    superseded: Collection[UUID] = ()
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
        """Whether memory had nothing to say to the question, whatever the last turns were."""
        return not self.memories and not self.minor and not self.facts


@dataclass(frozen=True, slots=True)
class AssembledContext:
    """A text and its tokens, as counted; its marks, each with the id of the memory or fact it stands for."""

    text: str
    tokens: int
    marks: Mapping[str, UUID] = field(default_factory=dict)
