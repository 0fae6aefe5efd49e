"""The shape of a language's patterns; they are matched against lower case with straight apostrophes.

A question is laid bare before it is read: without its time, without how it begins ("senti, ti ricordi …").
What is left is called its core here.
"""

import re
from dataclasses import dataclass

Pattern = re.Pattern[str]


@dataclass(frozen=True, slots=True)
class AskingPatterns:
    """How people begin to ask, and what they do when they only seem to.

    Attributes:
        greeting: Small talk that asks for no memory, as a whole.
        opening: What stands before a question and says nothing: "so", "senti".
        closing: What stands behind it and says nothing: "please".
        wrapper: What makes a question indirect, before its question word: "do you remember", "mi sai dire".
        question: The beginning of a question or a request.
        sought: The beginning of a phrase that only names what is sought: "things …".
        addressed: What stands between the beginning of a sentence and the name of whom it is said to.
        open_question: The beginning of a core that asks for more than yes or no.
        advice: Asking for advice, which is no memory.
        scaffolding: The phrase of asking, which says nothing about what is asked for.
    """

    greeting: Pattern
    opening: Pattern
    closing: Pattern
    wrapper: Pattern
    question: Pattern
    sought: Pattern
    addressed: Pattern
    open_question: Pattern
    advice: Pattern
    scaffolding: Pattern


@dataclass(frozen=True, slots=True)
class ProcedurePatterns:
    """How people ask for a way to do something; all look at the core but for `explained`.

    Attributes:
        explained: Asking to be taught or shown how, in the whole question.
        asked: Asking how to do something.
        told: Asking how something is done, or for its recipe, steps, instructions; about nobody.
        habit: How somebody is, feels or usually does: no way to do anything.
        in_case: Asking what to do when something happens.
    """

    explained: Pattern
    asked: Pattern
    told: Pattern
    habit: Pattern
    in_case: Pattern


@dataclass(frozen=True, slots=True)
class FeelingPatterns:
    """How people ask for what they felt. Words of feeling stand in the core as ⊕ and ⊖.

    Attributes:
        words: Words of feeling that the lexicon does not have, by sign.
        no_words: Words of the lexicon that say nothing in a question.
        denied: A negation up to a good word of feeling, which it turns; group 1 is what stands before.
        asked: Asking for what somebody felt strongly about, good or bad.
        as_such: Asking for feelings without saying which.
        personal: The speakers' own.
        favourite: Asking for a taste, which is told without much feeling.
        others: Somebody else, whose feelings these would be.
        liked: Asking for what was liked, in the past.
    """

    words: dict[str, str]
    no_words: frozenset[str]
    denied: Pattern
    asked: Pattern
    as_such: Pattern
    personal: Pattern
    favourite: Pattern
    others: Pattern
    liked: Pattern


@dataclass(frozen=True, slots=True)
class TimePatterns:
    """How people say whose time it is.

    Attributes:
        speakers: The speakers are the ones who did or said it, or will.
        together: They did it together, or one said it to the other.
        undergone: Somebody else did it to them.
        happened: Asking for what happened with somebody, which is what they went through together.
        at_large: Asking for whatever happened or is planned, as a whole: all that is told of the time.
        ahead: What is asked for lies ahead.
        behind: It lies back, whatever else is said.
        usual: It comes again and again, and lies nowhere.
        upcoming: What is to come, without saying when.
        listing: Words that ask for whatever is to come, and for nothing in particular of it.
        lasting: What lasts (where one lives or works), and is told of at other times too.
        attached_before: What stands before a time that belongs to a thing ("the trip of").
        attached_behind: What stands behind such a time ("'s meeting").
        before_time: Prepositions that belong to the time behind them.
        masked: Words that look like a time and are none.
    """

    speakers: Pattern
    together: Pattern
    undergone: Pattern
    happened: Pattern
    at_large: Pattern
    ahead: Pattern
    behind: Pattern
    usual: Pattern
    upcoming: Pattern
    listing: frozenset[str]
    lasting: Pattern
    attached_before: Pattern
    attached_behind: Pattern
    before_time: Pattern
    masked: Pattern


@dataclass(frozen=True, slots=True)
class SubjectPatterns:
    """How people say what they ask about.

    Attributes:
        knows: Asking what is known, was said or is new about what follows.
        fronted: The thing that is asked about stands first ("del matrimonio cosa sappiamo?"); group 1.
        discussed: Asking whether or what was discussed, without a preposition; the thing follows.
        articles: Words that a topic does not begin with.
        ends: Words that end the name of a topic.
        vague: Things that are no topic: "what", "everything".
        archive: Asking for what is old or archived.
        asked: Asking what was asked before.
        no_names: Capitalised words that are no names.
        origins: Capitalised words that say where somebody or something is from.
        name_cues: Words before a name that is written small.
    """

    knows: Pattern
    fronted: Pattern
    discussed: Pattern
    articles: Pattern
    ends: Pattern
    vague: Pattern
    archive: Pattern
    asked: Pattern
    no_names: frozenset[str]
    origins: Pattern
    name_cues: frozenset[str]


@dataclass(frozen=True, slots=True)
class QueryPatterns:
    """How people ask in a language."""

    asking: AskingPatterns
    procedures: ProcedurePatterns
    feelings: FeelingPatterns
    times: TimePatterns
    subjects: SubjectPatterns


# A word ends where no letter follows, or at an apostrophe: "l'altra".
_END = r"(?:(?<=')|(?!\w))"


def one_of(*alternatives: str) -> str:
    """Return the pattern of any of `alternatives`, which the first that fits decides."""
    return f"(?:{'|'.join(alternatives)})"


def words(*alternatives: str) -> Pattern:
    """Compile a pattern of whole words."""
    return re.compile(rf"\b{one_of(*alternatives)}{_END}")


def beginning(*alternatives: str) -> Pattern:
    """Compile a pattern of whole words at the beginning, after signs."""
    return re.compile(rf"^[\W_]{{0,10}}{one_of(*alternatives)}{_END}")


def whole(*alternatives: str) -> Pattern:
    """Compile a pattern of all the words there are, between signs."""
    return re.compile(rf"^[\W_]{{0,10}}{one_of(*alternatives)}[\W_]{{0,10}}$")


def ending(*alternatives: str) -> Pattern:
    """Compile a pattern of whole words at the end."""
    return re.compile(rf"(?<!\w){one_of(*alternatives)}\s?$")


def anywhere(*alternatives: str) -> Pattern:
    """Compile a pattern that says itself where it fits."""
    return re.compile("|".join(alternatives))


NEVER: Pattern = re.compile(r"(?!)")
"""Fits nothing."""
