"""Reads the verb of a clause: its tense, its negation, and the phrase that it begins."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from ricordo.language.facts.fact_grammar import Grammar
from ricordo.language.facts.name_spans import Person
from ricordo.language.facts.phrase_trees import Rule, longest

_FORMS: Final = {"en": ("HAVE", "BE", "WAS"), "it": ("sono",)}
"""Under which words the phrases stand whose "I am" or "I have" may be left out."""
LONGEST_VERB: Final = 8
"""Auxiliaries, negations and adverbs before the verb's meaning, at most."""


@dataclass(frozen=True, slots=True)
class Verb:
    """A phrase of the grammar as it was found."""

    rule: Rule
    end: int
    negated: bool = False
    over: bool = False
    bare: bool = False


@dataclass(slots=True)
class _State:
    """What the auxiliaries said so far; `form` is the marker under which the phrase is looked up."""

    form: str = ""
    negated: bool = False
    over: bool = False
    supported: bool = False


def verb_at(words: Sequence[str], grammar: Grammar, begin: int, end: int) -> Verb | None:
    """Read the verb phrase that starts at `begin`, or None when it states nothing the vocabulary knows."""
    direct = longest(grammar.phrases, words, begin, end, grammar.adverbs)
    state, at = _State(), begin
    while at < end and at - begin < LONGEST_VERB:
        step = _auxiliary(words, grammar, at, end, state)
        if not step:
            break
        at += step
    found = _phrase(words, grammar, at, end, state)
    if found is not None and (direct is None or at == begin or found.end > direct[1]):
        return _ended(words, grammar, begin, end, found)
    if direct is None:
        return None
    return _ended(words, grammar, begin, end, Verb(direct[0], direct[1], bare=words[begin] in grammar.bare))


def elided_at(words: Sequence[str], grammar: Grammar, begin: int, end: int) -> Verb | None:
    """Read a verb phrase whose "I am" or "I have" is left out: "born in Harare", "been working at Maersk"."""
    for form in _FORMS.get(grammar.code, ()):
        root = grammar.phrases.words.get(form)
        found = longest(root, words, begin, end, grammar.adverbs) if root is not None else None
        if found is not None:
            return Verb(*found)
    return None


def _auxiliary(words: Sequence[str], grammar: Grammar, at: int, end: int, state: _State) -> int:
    """Take the word at `at` into `state`; returns how many were taken, 0 where the verb proper starts."""
    word = words[at]
    following = words[at + 1] if at + 1 < end else ""
    if word == "used" and following == "to":
        state.over, state.form, state.supported = True, "", True
        return 2
    if word == "no" and following == "longer":
        state.negated = state.over = True
        return 2
    form = _form(word, following, grammar)
    if form:
        state.form = form
    elif word in grammar.negations:
        state.negated = True
    elif word in grammar.auxiliaries and following:
        state.supported = True
    elif word not in grammar.adverbs:
        return 0
    return 1


def _form(word: str, following: str, grammar: Grammar) -> str:
    """Return the marker of an auxiliary "to be" or "to have"; empty for other words."""
    participle = following in grammar.participles
    if (
        word == "'s"
        and participle
        and following not in grammar.adverbs
        and following not in grammar.negations
    ):
        return "HAVE"
    if word in grammar.copulas or word in grammar.been:
        return "BE"
    if word in grammar.was:
        return "WAS"
    if word in grammar.perfect and (participle or following in grammar.adverbs):
        return "HAVE"
    return ""


def _phrase(words: Sequence[str], grammar: Grammar, at: int, end: int, state: _State) -> Verb | None:
    root = grammar.phrases.words.get(state.form) if state.form else grammar.phrases
    if root is None:
        return None
    found = longest(root, words, at, end, grammar.adverbs)
    if found is None and root.rule is not None:
        found = root.rule, at
    if found is None and state.form == "HAVE":
        found = longest(grammar.phrases, words, at, end, grammar.adverbs)
    if found is None:
        return None
    bare = not state.form and not state.supported and words[at] in grammar.bare
    return Verb(found[0], found[1], state.negated, state.over, bare)


def _ended(words: Sequence[str], grammar: Grammar, begin: int, end: int, verb: Verb) -> Verb:
    """Hear "any more" and "più": with a denial they say that it was so once."""
    if not verb.negated or verb.over:
        return verb
    return replace(verb, over=any(word in grammar.over for word in words[begin:end]))


def agrees(subject: Person | None, verb: Verb) -> bool:
    """Return whether a verb may be about `subject`, or (None) about the user."""
    if subject is None:
        return verb.rule.person != 3
    return verb.rule.person != 1 and (subject.several or not verb.bare)
