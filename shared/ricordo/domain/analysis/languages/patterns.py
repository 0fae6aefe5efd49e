"""The shape of a language's patterns, which are matched against the beginning of a query, ignoring case."""

import re
from dataclasses import dataclass

Pattern = re.Pattern[str]


@dataclass(frozen=True, slots=True)
class QueryPatterns:
    """How people ask in a language.

    Attributes:
        greeting: Small talk that asks for no memory, as a whole.
        question: The beginning of a question or a request.
        procedural: Asking for a way to do something.
        positive: Words of a liked or happy thing.
        negative: Words of a disliked or sad thing.
        feeling: Asking about feelings as such.
        personal: That the feelings asked for are the speakers' own.
        happened: Asking what was done, said or seen.
        speakers: The speakers are the ones who did or said it.
        together: They did it together, or one said it to the other.
        at_large: Asking for whatever happened, as a whole: what the speakers have told of it.
        attached_before: What stands before a time that belongs to a thing ("the trip of").
        attached_behind: What stands behind such a time ("'s meeting").
        about: What stands before the thing that is talked about.
        knows: The phrase of asking what is known about something.
        scaffolding: The phrase of asking, which says nothing about what is asked for.
        before_time: Prepositions that belong to the time behind them.
        articles: Words that a topic does not begin with.
        archive: Asking for what is old or archived.
        no_names: Capitalised words that are no names.
    """

    greeting: Pattern
    question: Pattern
    procedural: Pattern
    positive: Pattern
    negative: Pattern
    feeling: Pattern
    personal: Pattern
    happened: Pattern
    speakers: Pattern
    together: Pattern
    at_large: Pattern
    attached_before: Pattern
    attached_behind: Pattern
    about: Pattern
    knows: Pattern
    scaffolding: Pattern
    before_time: Pattern
    articles: Pattern
    archive: Pattern
    no_names: frozenset[str]


def words(pattern: str) -> Pattern:
    """Compile a pattern of whole words."""
    return re.compile(rf"\b(?:{pattern})(?!\w)", re.IGNORECASE)


def beginning(pattern: str) -> Pattern:
    """Compile a pattern of whole words at the beginning, after signs."""
    return re.compile(rf"^[\W_]{{0,10}}(?:{pattern})(?!\w)", re.IGNORECASE)


def whole(pattern: str) -> Pattern:
    """Compile a pattern of all the words there are, between signs."""
    return re.compile(rf"^[\W_]{{0,10}}(?:{pattern})[\W_]{{0,10}}$", re.IGNORECASE)


def ending(pattern: str) -> Pattern:
    """Compile a pattern of whole words at the end."""
    return re.compile(rf"(?<!\w)(?:{pattern})\s?$", re.IGNORECASE)
