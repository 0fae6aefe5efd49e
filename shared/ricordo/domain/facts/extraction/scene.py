"""What is known while a message is read: its words, its people, and what was stated so far."""

from dataclasses import dataclass

from ricordo.domain.facts.entities import normalise
from ricordo.domain.facts.evidence import Polarity
from ricordo.domain.facts.extraction.grammar import Grammar
from ricordo.domain.facts.extraction.mentions import Mention
from ricordo.domain.facts.extraction.names import Cast, Person, Span
from ricordo.domain.facts.extraction.objects import Objects
from ricordo.domain.facts.extraction.phrases import Rule
from ricordo.domain.facts.extraction.statement import Statement
from ricordo.domain.facts.extraction.tokens import Tokens
from ricordo.domain.facts.vocabulary import USER

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


class Scene:
    """The state of reading one message.

    Attributes:
        tokens: its words.
        grammar: its language.
        objects: reads objects in it.
        cast: the people it spoke of so far.
        mentions: "my sister Nora" and the like, by the token where each begins.
        span: the tokens of the clause that is being read.
    """

    def __init__(self, tokens: Tokens, grammar: Grammar) -> None:
        self.tokens = tokens
        self.grammar = grammar
        self.objects = Objects(tokens, grammar)
        self.cast = Cast()
        self.mentions: dict[int, Mention] = {}
        self.span: Span = (0, 0)
        self._drafts: list[_Draft] = []

    def draft(
        self,
        subject: Who,
        predicate: str,
        value: str | Person,
        *,
        polarity: Polarity = "holds",
        span: Span | None = None,
    ) -> None:
        """Note that the clause (or the tokens `span`) states something."""
        self._drafts.append(_Draft(subject, predicate, value, span or self.span, polarity))

    def statements(self) -> tuple[Statement, ...]:
        """Return what was noted, with the names that became known, each once."""
        made: dict[tuple[str, ...], Statement] = {}
        for draft in self._drafts:
            subjects = (USER,) if draft.subject is None else draft.subject.labels()
            values = (draft.object,) if isinstance(draft.object, str) else draft.object.labels()
            for subject, value in ((s, v) for s in subjects for v in values):
                key = (normalise(subject), draft.predicate, normalise(value), draft.polarity)
                if all(key) and key not in made:
                    made[key] = self._statement(subject, draft, value)
        return tuple(made.values())

    def _statement(self, subject: str, draft: _Draft, value: str) -> Statement:
        begin, end = self.tokens.starts[draft.span[0]], self.tokens.ends[draft.span[1] - 1]
        quote = self.tokens.source[begin:end]
        return Statement(
            subject,
            draft.predicate,
            value,
            quote,
            (begin, end),
            draft.polarity,
            subject_tie="" if draft.subject is None else draft.subject.tie,
            object_tie="" if isinstance(draft.object, str) else draft.object.tie,
        )
