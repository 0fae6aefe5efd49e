"""Reads names, birthdays, languages and favourite things, and likings in inverted order."""

from dataclasses import replace
from typing import Final

from ricordo.language.facts.adjuncts import only_a_time_follows
from ricordo.language.facts.denials import denied
from ricordo.language.facts.phrase_trees import ObjectReader, Rule, longest
from ricordo.language.facts.predicate_rules import said, state
from ricordo.language.facts.scene import Claim, Scene, Who
from ricordo.language.facts.verbs import Verb, verb_at
from ricordo.language.facts.word_forms import word_list

_TAKEN_UP: Final = frozenset(
    {
        ObjectReader.ENDING,
        ObjectReader.LANGUAGE,
        ObjectReader.INSTRUMENT,
        ObjectReader.SPORT,
        ObjectReader.THING,
        ObjectReader.SUBJECT_OF_STUDY,
    }
)
_TO_ME: Final = frozenset({("a", "me"), ("a", "noi")})
_MOTHER_TONGUE: Final = frozenset(
    {
        ("my", "first", "language"),
        ("my", "mother", "tongue"),
        ("my", "native", "language"),
        ("la", "mia", "lingua"),
    }
)
_LIKED: Final = Rule("likes", ObjectReader.THING, 1, denied="dislikes")
_LONGEST_FAVOURED: Final = 6
_NO_COMMAND: Final = word_list("no_commands")


def attribute(scene: Scene, at: int, end: int) -> bool:
    """Read "my name is …", "her name is …", "il mio lavoro è …"."""
    low = scene.tokens.low
    found = longest(scene.grammar.attributes, low, at, end, scene.grammar.adverbs)
    if found is None:
        return False
    rule, after = found
    subject = scene.cast.latest() if rule.person else None
    if rule.reader is ObjectReader.NOTHING:
        return True  # a nickname overturns no name: "everyone calls me Tam"
    if rule.reader is ObjectReader.PROPERTY and not _names_a_thing(scene, after, end):
        return True  # "my car is a nightmare"
    if subject is not None or not rule.person:
        behind = after < end and low[after] in scene.grammar.negations
        before = low[after - 2] in scene.grammar.negations and low[after - 1] in scene.grammar.to_be
        not_so = behind or before
        if not_so:
            denied(scene, Claim(subject, rule, after + behind, end))
        if not not_so or rule.predicate == "name":  # "my name is not Tanya, it's Tamsin"
            state(scene, Claim(subject, rule, after, end))
    return True


def _names_a_thing(scene: Scene, at: int, end: int) -> bool:
    """Whether a thing's kind or make follows: "my car is a Panda", "our house is a small cottage"."""
    first = scene.objects.lead(at, end)
    after = scene.objects.noun_phrase(first, end)
    made = any(scene.tokens.raw[i][0].isupper() for i in range(first, after))
    return after > first and (made or scene.objects.is_ownable(first, after))


def favourite(scene: Scene, at: int, end: int) -> bool:
    """Read "my favourite dish is carbonara", "il mio piatto preferito è la carbonara"."""
    low, grammar = scene.tokens.low, scene.grammar
    if low[at] not in grammar.possessives:
        return False
    favourite = next((i for i in range(at + 1, min(at + 4, end)) if low[i] in grammar.favourite), end)
    copulas = (i for i in range(favourite + 1, min(favourite + 6, end)) if low[i] in grammar.to_be)
    for copula in copulas:
        state(scene, Claim(None, Rule("likes", ObjectReader.THING), copula + 1, end))
        return True
    return favourite < end


def favoured(scene: Scene, begin: int, end: int) -> bool:
    """Read "jazz is my favourite kind of music", "il jazz è la mia musica preferita"."""
    low, grammar, objects = scene.tokens.low, scene.grammar, scene.objects
    if grammar.favourite.isdisjoint(low[begin + 2 : end + 6]):
        return False
    copula = next(
        (i for i in range(begin + 1, min(end, begin + _LONGEST_FAVOURED)) if low[i] in grammar.to_be), end
    )
    behind = low[copula + 1 : copula + 6]
    if grammar.possessives.isdisjoint(behind[:2]) or grammar.favourite.isdisjoint(behind):
        return False
    first = objects.lead(begin, copula)
    after = objects.trim(first, copula)
    if after == first or objects.thing(first, copula) != after or objects.foreign(first, after):
        return False
    scene.draft(None, "likes", scene.tokens.text(first, after))
    return True


def own_language(scene: Scene, at: int, end: int) -> bool:
    """Read "my Dutch is good enough", "il mio inglese è arrugginito", "il tedesco è la mia lingua"."""
    low, grammar = scene.tokens.low, scene.grammar
    if (
        low[at] in grammar.lexicon[ObjectReader.LANGUAGE]
        and tuple(low[at + 1 : min(end, at + 5)])[1:] in _MOTHER_TONGUE
    ):
        scene.draft(None, "speaks", scene.tokens.text(at, at + 1))
        return True
    named = at + 2 < end and low[at] in grammar.possessives and low[at + 2] in grammar.to_be
    if not named or low[at + 1] not in grammar.lexicon[ObjectReader.LANGUAGE]:
        return False
    if _NO_COMMAND.isdisjoint(low[at + 3 : end]) and grammar.negations.isdisjoint(low[at + 3 : end]):
        scene.draft(None, "speaks", scene.tokens.text(at + 1, at + 2))
    return True


def fronted(scene: Scene, begin: int, end: int) -> bool:
    """Read "la liquirizia mi piace", "le olive non ci piacciono": what is liked comes first."""
    low, grammar, objects = scene.tokens.low, scene.grammar, scene.objects
    to_me = tuple(low[begin : begin + 2]) in _TO_ME
    begin += 2 * to_me
    at = next((i for i in range(begin, end) if low[i] in grammar.pleasing), end)
    if at == end:
        return False
    begin = max((i + 1 for i in range(begin, at - 1) if low[i] == ","), default=begin)
    denied_at = at - 1 if to_me else at - 2
    negated = at > begin and low[denied_at] in grammar.negations
    start = denied_at if negated else denied_at + 1
    first = objects.lead(begin, start)
    if first == begin or first >= start or low[first - 1] not in grammar.determiners:
        return False
    liked = Verb(_LIKED, at + 1, negated) if to_me else verb_at(low, grammar, start, end)
    verb, last = liked, objects.trim(first, start)
    if verb is None or verb.end <= at or last == first or objects.thing(first, start) != last:
        return False
    if objects.foreign(first, last) or any(low[i] not in grammar.wholly for i in range(verb.end, end)):
        return False
    subject = scene.cast.latest() if verb.rule.person > 1 else None
    predicate = verb.rule.denied if verb.negated else verb.rule.predicate
    scene.draft(subject, predicate or verb.rule.predicate, scene.tokens.text(first, last))
    return True


def taken_up(scene: Scene, begin: int, end: int) -> bool:
    """Read "lo sloveno | lo parlo bene", "la Panda | l'ho venduta": an object that a pronoun takes up."""
    low, grammar, objects = scene.tokens.low, scene.grammar, scene.objects
    at = next(
        (i for i in range(begin + 2, min(end - 1, begin + _LONGEST_FAVOURED)) if low[i] in grammar.clitics),
        end,
    )
    verb = verb_at(low, grammar, at + 1, end) if at < end else None
    if verb is None or verb.rule.reader not in _TAKEN_UP or verb.rule.person != 1:
        return False
    first, last = objects.lead(begin, at), at - (low[at - 1] == ",")
    whole = first > begin and objects.noun_phrase(first, last) == last
    if not whole or not only_a_time_follows(scene, verb.end, end):
        return False
    said(scene, None, replace(verb, end=first), last)
    return True


def belonging(scene: Scene, owner: Who, at: int, end: int) -> bool:
    """Read "Freya's | birthday is 9 May"."""
    found = longest(scene.grammar.belongings, scene.tokens.low, at, end, scene.grammar.adverbs)
    if found is None:
        return False
    state(scene, Claim(owner, found[0], found[1], end))
    return True
