"""The state of reading a message: its words, its people, and the statements so far."""

from dataclasses import dataclass
from typing import Final

from ricordo.language.facts.entity_names import normalise
from ricordo.language.facts.evidence import Polarity, Statement
from ricordo.language.facts.fact_grammar import Grammar
from ricordo.language.facts.fact_tokens import Tokens
from ricordo.language.facts.kinship import PRESUMED
from ricordo.language.facts.mentions import Mention
from ricordo.language.facts.name_spans import Cast, Person, Span
from ricordo.language.facts.objects import Objects
from ricordo.language.facts.phrase_trees import Rule
from ricordo.language.facts.vocabulary import USER

_ONCE: Final = frozenset({"name", "age", "born_in", "birthday"})
"""What somebody has one of: of "born in Aleppo, grew up in Gothenburg" the first."""

Who = Person | None
"""The subject: somebody, or (None) the user."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A phrase about somebody, whose object is still to be read between tokens `at` and `end`."""

    subject: Who
    rule: Rule
    at: int
    end: int
    polarity: Polarity = "holds"


@dataclass(frozen=True, slots=True)
class _Draft:
    """A statement whose people may still be named by a later clause."""

    subject: Who
    predicate: str
    object: str | Person
    span: Span
    polarity: Polarity
    unnamed: Person | None = None

    def known_polarity(self) -> Polarity:
        """Return whether it holds: a tie does not once a later clause told its end ("… she died")."""
        if self.polarity == "denied":
            return "denied"
        kin = self.object.kin if isinstance(self.object, Person) else None
        over = kin is not None and kin.over and (self.subject is None or kin.predicate == self.predicate)
        return "past" if over else self.polarity


class Scene:
    """The state of reading one message.

    Attributes:
        mentions: "my sister Nora" and the like, by the token where each begins.
        limit: where the sentence ends that is being read.
        topic: the thing last said to be liked or named alone, which "it" may mean.
    """

    def __init__(self, tokens: Tokens, grammar: Grammar) -> None:
        self.tokens = tokens
        self.grammar = grammar
        self.objects = Objects(tokens, grammar)
        self.cast = Cast()
        self.mentions: dict[int, Mention] = {}
        self.span: Span = (0, 0)
        self._drafts: list[_Draft] = []
        self.topic = ""
        self.limit = len(tokens.low)

    def draft(
        self,
        subject: Who,
        predicate: str,
        value: str | Person,
        *,
        polarity: Polarity = "holds",
        span: Span | None = None,
        unnamed: Person | None = None,
    ) -> None:
        """Note that the clause (or the tokens `span`) states something, if `unnamed` stays without names."""
        if subject is None and not isinstance(value, str) and polarity != "denied":
            value.presumed = False  # whom the user is tied to, they know
        if subject is not None and subject.asked and subject.kin:
            asked, subject.asked = subject.asked, None
            if subject.names:
                self.tie(subject, span=asked)
        self._drafts.append(_Draft(subject, predicate, value, span or self.span, polarity, unnamed))

    def tie(self, person: Person, *, to: Who = None, span: Span | None = None, over: bool = False) -> None:
        """Note what somebody is to the user, or `to` somebody else."""
        if person.kin is not None and not (person.of_other and to is None):
            self.draft(to, person.kin.predicate, person, span=span, polarity="past" if over else "holds")

    def statements(self) -> tuple[Statement, ...]:
        """Return what was noted, with the names that became known, each once."""
        made: dict[tuple[str, ...], Statement] = {}
        once: set[tuple[str, str]] = set()
        for draft in self._drafts:
            if draft.unnamed is not None and draft.unnamed.names:
                continue  # "two dogs", who turned out to be Ash and Bramble
            subjects = (USER,) if draft.subject is None else draft.subject.labels()
            values = (draft.object,) if isinstance(draft.object, str) else draft.object.labels()
            polarity = draft.known_polarity()
            for subject, value in ((s, v) for s in subjects for v in values):
                key = (normalise(subject), draft.predicate, normalise(value), polarity)
                settled = (key[0], key[1]) in once
                if draft.predicate in _ONCE and polarity == "holds":
                    once.add((key[0], key[1]))
                strange = key[2] == USER or (
                    key[0] == USER and subject != USER
                )  # somebody called User is not the user
                if all(key) and key not in made and not settled and not strange:
                    made[key] = self._statement(subject, draft, value, polarity)
        stated = {key[:3] for key in made if key[3] != "denied"}
        return tuple(one for key, one in made.items() if key[3] != "denied" or key[:3] not in stated)

    def _statement(self, subject: str, draft: _Draft, value: str, polarity: Polarity) -> Statement:
        begin, end = self.tokens.starts[draft.span[0]], self.tokens.ends[draft.span[1] - 1]
        quote = self.tokens.source[begin:end]
        subject_tie = "" if draft.subject is None else draft.subject.tie
        object_tie = "" if isinstance(draft.object, str) else draft.object.tie
        if polarity == "denied":
            subject_tie = subject_tie or ("" if draft.subject is None else PRESUMED)
            object_tie = _of_denied(draft.object)
        return Statement(
            subject,
            draft.predicate,
            value,
            quote,
            (begin, end),
            polarity,
            subject_tie=subject_tie,
            object_tie=object_tie,
        )


def _of_denied(value: str | Person) -> str:
    """Return the tie of what is denied: nobody is introduced by that who has a name."""
    if isinstance(value, str):
        return ""
    return value.tie if value.kin is not None and not value.names else PRESUMED
