"""The verb of a clause: its tense and its denial, and the phrase it begins."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from ricordo.domain.facts.extraction.grammar import Grammar
from ricordo.domain.facts.extraction.phrases import Rule, longest

LONGEST_VERB: Final = 8
"""Auxiliaries, negations and adverbs before the verb's meaning, at most."""


@dataclass(frozen=True, slots=True)
class Verb:
    """A phrase of the grammar as it was found.

    Attributes:
        rule: what it states.
        end: the index after it, where its object begins.
        negated: whether it is denied.
        over: whether it is said to be no longer so.
    """

    rule: Rule
    end: int
    negated: bool = False
    over: bool = False


@dataclass(slots=True)
class _State:
    """What the auxiliaries said so far; `form` is the marker under which the phrase is looked up."""

    form: str = ""
    negated: bool = False
    over: bool = False


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
    return _ended(words, grammar, begin, end, Verb(direct[0], direct[1]))


def _auxiliary(words: Sequence[str], grammar: Grammar, at: int, end: int, state: _State) -> int:
    """Take the word at `at` into `state`; returns how many were taken, 0 where the verb proper starts."""
    word = words[at]
    following = words[at + 1] if at + 1 < end else ""
    if word in grammar.negations:
        state.negated = True
    elif word == "used" and following == "to":
        state.over, state.form = True, ""
        return 2
    elif word == "no" and following == "longer":
        state.negated = state.over = True
        return 2
    elif (
        word == "'s"
        and (following in grammar.been or following in grammar.participles - grammar.adverbs)
        and following not in ("n't", "not", "always")
    ):
        state.form = "HAVE"
    elif word in grammar.copulas:
        state.form = "BE"
    elif word in grammar.was:
        state.form = "WAS"
    elif word in grammar.been:
        state.form = "BE"
    elif word in grammar.perfect and (
        following in grammar.participles or (following in grammar.adverbs and at + 2 < end)
    ):
        state.form = "HAVE"
    elif word not in grammar.adverbs and not (word in grammar.auxiliaries and following):
        return 0
    return 1


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
    return Verb(found[0], found[1], state.negated, state.over)


def _ended(words: Sequence[str], grammar: Grammar, begin: int, end: int, verb: Verb) -> Verb:
    """Hear "any more" and "più": with a denial they say that it was so once."""
    if not verb.negated or verb.over:
        return verb
    return replace(verb, over=any(word in grammar.over for word in words[begin:end]))
