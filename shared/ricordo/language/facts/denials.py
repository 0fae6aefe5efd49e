"""Denials and endings: reads the facts that a message contradicts.

"I'm not allergic to nuts" and "I left Acme" state nothing by themselves: they speak against what else is
known of the same words (polarity `denied`). So they may name more than one thing that it can be: whether Acme
was an employer or a band, what is known tells. Read is only what is denied as a whole: "I don't work at Acme
on Mondays" denies no employer.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from typing import Final

from ricordo.language.facts.acquaintance import is_state
from ricordo.language.facts.adjuncts import is_since, is_whole, only_a_time_follows
from ricordo.language.facts.kinship import BEINGS
from ricordo.language.facts.mentions import kin_at
from ricordo.language.facts.name_spans import Person, name_at
from ricordo.language.facts.phrase_trees import ObjectReader
from ricordo.language.facts.scene import Claim, Scene, Who
from ricordo.language.facts.vocabulary import SINGLE_VALUED

_AT: Final = ("works_at", "studies_at", "member_of")
_ALIKE: Final = dict.fromkeys(_AT, _AT)
"""What words alone do not tell apart: who is not "at the Mater" neither works nor studies there."""

_BEEN: Final = ("works_as", "is_a", "has_condition")
_HAD: Final = ("owns", "has_condition")
_ENDED: Final = {
    "owns": ("owns", "has_pet"),
    "lives_in": (*_AT, "lives_in", "partner"),
    "plays": ("plays", "studies", "member_of"),
}
"""What is over of something that was sold or lost, was left, and was given up, by the rule's predicate."""

_UNREAD: Final = frozenset(
    {
        ObjectReader.KIN,
        ObjectReader.TOPIC,
        ObjectReader.SPOKEN_OF,
        ObjectReader.HOME,
        ObjectReader.LOSS,
        ObjectReader.PARTING,
        ObjectReader.ENDING,
    }
)
"""What a denial says nothing of."""

_TO: Final = frozenset("to a ad al allo alla all' ai agli alle".split())
_FOR: Final = frozenset({"for", "per", "a"})
"""Before whoever got what was sold, and before its price."""

_CORRECTED_WITHIN: Final = 6
"""Words behind "I don't have a cat" among which "I have two" says how many there are."""


@dataclass(frozen=True, slots=True)
class _Against:
    """What a clause speaks against."""

    subject: Who
    predicates: Collection[str]
    value: str | Person
    after: int


def denied(scene: Scene, claim: Claim) -> None:
    """Read what a claim denies ("I'm not | allergic to nuts"), where it denies the whole of it."""
    first, rule = scene.tokens.low[scene.span[0] : claim.at], claim.rule
    if rule.reader in _UNREAD or rule.polarity == "past" or not scene.grammar.unwhole.isdisjoint(first):
        return
    for one in _DENIED.get(rule.reader, _not_so)(scene, claim):
        if is_whole(scene, one.after, claim.end) or is_since(scene, one.after, claim.end):
            _draft(scene, one)


def ended(scene: Scene, claim: Claim) -> None:
    """Read what somebody has no longer, or is no longer at: "I sold | my Vespa", "I left | Acme"."""
    mention, ends = scene.mentions.get(claim.at), _ENDED[claim.rule.predicate]
    if mention is not None:
        if _is_over(scene, claim, mention.end):
            no_longer(scene, mention.person, ends)
        return
    begin = _lead(scene, claim.at, claim.end)
    named = name_at(scene.tokens, scene.grammar, begin, claim.end)
    after = named if named > begin else scene.objects.noun_phrase(begin, claim.end)
    if after == begin or scene.objects.foreign(begin, after):
        return
    if _is_over(scene, claim, after):
        for predicate in ends if named > begin else [one for one in ends if one not in BEINGS]:
            value = scene.objects.value(replace(claim.rule, predicate=predicate), (begin, after))
            _draft(scene, _Against(claim.subject, (predicate,), value, after))


def _is_over(scene: Scene, claim: Claim, at: int) -> bool:
    """Return whether nothing follows but when it was; what was sold may also have a buyer and a price."""
    if claim.rule.predicate == "owns":
        for prepositions in (_TO, _FOR, _TO):
            at = _behind(scene, at, claim.end, prepositions)
    return only_a_time_follows(scene, at, claim.end)


def _behind(scene: Scene, at: int, end: int, prepositions: Collection[str]) -> int:
    """Return where words go on behind a preposition and somebody or something; `at` where there is none."""
    low, first = scene.tokens.low, at + 1
    if first >= end or low[at] not in prepositions:
        return at
    mention = scene.mentions.get(at) or scene.mentions.get(first)
    if mention is not None:
        return mention.end
    if prepositions is _FOR and not any(char.isdigit() for char in low[first]):
        return at
    named = name_at(scene.tokens, scene.grammar, first, end, person=True)
    return named if named > first else scene.objects.noun_phrase(scene.objects.lead(first, end), end)


def lost(scene: Scene, claim: Claim) -> None:
    """Read "she died", "è morto il mio criceto", "Karl left me": pet and partner are so no more.

    A dead mother remains one's mother. Of who is known by name alone, what else is known tells who it is.
    """
    mention, person, after = scene.mentions.get(claim.at), claim.subject, claim.at
    named = name_at(scene.tokens, scene.grammar, claim.at, claim.end, person=True)
    if mention is not None:
        person, after = mention.person, mention.end
    elif person is None and named > claim.at:
        person, after = Person(None, names=[scene.tokens.text(claim.at, named)], presumed=True), named
    death = claim.rule.predicate == "has_pet"
    figurative = not scene.grammar.laughable.isdisjoint(scene.tokens.low[after : claim.end])
    if person is None or figurative:
        return
    ties = ("has_pet", "partner") if death else ("partner",)
    whole = only_a_time_follows(scene, after, claim.end)
    if person.kin is not None and (death or whole):
        no_longer(scene, person, ties)
    elif person.kin is None and person.names and whole:
        _draft(scene, _Against(None, ties, person, after))


def parted_from(scene: Scene, claim: Claim) -> None:
    """Read "I broke up with | Ada", "ho divorziato da | mio marito Paolo"."""
    mention = scene.mentions.get(claim.at)
    if mention is not None:
        no_longer(scene, mention.person, ("partner",))
        return
    for span in scene.objects.read(ObjectReader.NAME, claim.at, claim.end)[:1]:
        person = scene.cast.introduce(Person(None, names=[scene.tokens.text(*span)]))
        scene.draft(claim.subject, "partner", person, polarity="past")


def no_longer(scene: Scene, person: Person, ties: Collection[str]) -> None:
    """Say that somebody is no longer what they are to the user, where that is one of `ties`."""
    if person.kin is None or person.kin.predicate not in ties or person.of_other:
        return
    person.end()
    if not person.names:
        _draft(scene, _Against(None, (person.kin.predicate,), person, 0))


def _draft(scene: Scene, one: _Against) -> None:
    for predicate in one.predicates:
        value = one.value
        if predicate in BEINGS and isinstance(value, str):
            value = Person(None, names=[value], presumed=True)
        scene.draft(one.subject, predicate, value, polarity="denied")


def _not_so(scene: Scene, claim: Claim) -> Iterator[_Against]:
    """Read "I don't work | at Acme": the objects of the rule, all of which are denied."""
    rule = claim.rule
    if rule.predicate == "name":
        after = name_at(scene.tokens, scene.grammar, claim.at, claim.end, loose=True, person=True)
        spans = [(claim.at, after)] if after > claim.at else []
    else:
        spans = scene.objects.read(rule.reader, claim.at, claim.end)
    if not spans or (rule.predicate in SINGLE_VALUED and len(spans) > 1):
        return  # "I don't live in Rome, Georgia"
    last = spans[-1][1]
    for span in spans:
        predicates = _ALIKE.get(rule.predicate, (rule.predicate,))
        yield _Against(claim.subject, predicates, scene.objects.value(rule, span), last)


def _not_been(scene: Scene, claim: Claim) -> Iterator[_Against]:
    """Read what somebody is not: "a nurse", "my sister", "Tanya"."""
    mention, subject, low = scene.mentions.get(claim.at), claim.subject, scene.tokens.low
    if mention is not None:
        kin = mention.person.kin
        if kin and subject is not None and subject.names and not mention.person.names:
            yield _Against(None, (kin.predicate,), subject, mention.end)
        return
    after = name_at(scene.tokens, scene.grammar, claim.at, claim.end, person=True)
    if after > claim.at and subject is None and not is_state(low[claim.at : after], scene.grammar.code):
        yield _Against(None, ("name",), scene.tokens.text(claim.at, after), after)
        return
    begin = scene.objects.lead(claim.at, claim.end)
    after = scene.objects.noun_phrase(begin, claim.end)
    if after > begin:
        yield _Against(subject, _BEEN, scene.tokens.text(begin, after), after)


def _not_had(scene: Scene, claim: Claim) -> Iterator[_Against]:
    """Read what somebody does not have: "a dog", "a car", "asthma"; not "a cat, I have two"."""
    rest = scene.tokens.low[claim.end : min(scene.limit, claim.end + _CORRECTED_WITHIN)]
    if not scene.grammar.numbers.keys().isdisjoint(rest):
        return
    found: list[_Against] = []
    for begin, end in scene.objects.pieces(claim.at, claim.end):
        at = scene.objects.lead(begin, end)
        term = kin_at(scene.tokens, scene.grammar, at, end)
        if term is not None:
            kin, after = term
            animal = Person(kin, scene.tokens.text(at, after))
            found.append(_Against(claim.subject, (kin.predicate,), animal, after))
            continue
        after = scene.objects.noun_phrase(at, end)
        if after > at:
            found.append(_Against(claim.subject, _HAD, scene.tokens.text(at, after), after))
    yield from (replace(one, after=found[-1].after) for one in found)


def _lead(scene: Scene, begin: int, end: int) -> int:
    at = scene.objects.lead(begin, end)
    while at < end and scene.tokens.low[at] in scene.grammar.possessives:
        at = scene.objects.lead(at + 1, end)
    return at


_DENIED: Final[dict[ObjectReader, Callable[[Scene, Claim], Iterator[_Against]]]] = {
    ObjectReader.ROLE: _not_been,
    ObjectReader.POSSESSION: _not_had,
    ObjectReader.ACQUISITION: _not_had,
}
"""What is denied by a claim whose object is more than words."""
