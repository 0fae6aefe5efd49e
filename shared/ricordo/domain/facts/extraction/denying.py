"""What a message speaks against: what it denies, and what it says has ended, be it called as it may.

"I'm not allergic to nuts" and "I left Acme" state nothing by themselves: they speak against what else is
known of the same words (polarity `denied`). So they may name more than one thing that it can be: whether Acme
was an employer or a band, what is known tells. Read is only what is denied as a whole: "I don't work at Acme
on Mondays" denies no employer.
"""

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Final

from ricordo.domain.facts.extraction.mentions import kin_at
from ricordo.domain.facts.extraction.names import Person, Span, name_at
from ricordo.domain.facts.extraction.phrases import Reader
from ricordo.domain.facts.extraction.scene import Claim, Scene, Who
from ricordo.domain.facts.ties import BEINGS

_AT: Final = ("works_at", "studies_at", "member_of")
_ALIKE: Final = dict.fromkeys(_AT, _AT)
"""What words alone do not tell apart: who is not "at the Mater" neither works nor studies there."""

_BEEN: Final = ("works_as", "is_a", "has_condition")
_HAD: Final = ("owns", "has_condition")
_ENDED: Final = {
    "owns": ("owns", "has_pet"),
    "lives_in": (*_AT, "lives_in", "partner"),
    "plays": (*_AT, "plays", "studies"),
}
"""What is over of something that was sold or lost, was left, and was given up, by the rule's predicate."""

_UNREAD: Final = frozenset(
    {Reader.TOPIC, Reader.SPOKEN_OF, Reader.HOME, Reader.LOSS, Reader.PARTING, Reader.ENDING, Reader.COURSE}
)
"""What a denial says nothing of."""


def denied(scene: Scene, claim: Claim) -> None:
    """Read what a claim denies ("I'm not | allergic to nuts"), where it denies the whole of it."""
    first = scene.tokens.low[scene.span[0] : claim.at]
    rule = claim.rule
    if rule.reader in _UNREAD or rule.polarity == "past" or not scene.grammar.unwhole.isdisjoint(first):
        return
    if rule.reader is Reader.KIN:
        if claim.subject is not None and claim.subject.names:
            _against(scene, None, rule.predicate, claim.subject)
        return
    if rule.reader in (Reader.POSSESSION, Reader.ACQUISITION):
        _not_had(scene, claim)
        return
    if rule.reader is Reader.ROLE:
        _not_been(scene, claim)
        return
    spans = _objects(scene, claim)
    if not spans or not (_wholly(scene, spans[-1][1], claim.end) or _since(scene, spans[-1][1], claim.end)):
        return
    for span in spans:
        for predicate in _ALIKE.get(rule.predicate, (rule.predicate,)):
            _against(scene, claim.subject, predicate, scene.objects.value(rule, span))


def ended(scene: Scene, claim: Claim) -> None:
    """Read what somebody has no longer, or is no longer at: "I sold | my Vespa", "I left | Acme"."""
    mention = scene.mentions.get(claim.at)
    predicates = _ENDED[claim.rule.predicate]
    if mention is not None:
        if timely(scene, mention.end, claim.end):
            _over(scene, mention.person, predicates)
        return
    begin = _lead(scene, claim.at, claim.end)
    after = scene.objects.phrasing.noun_phrase(begin, claim.end)
    if after > begin and not scene.objects.phrasing.foreign(begin, after) and timely(scene, after, claim.end):
        for predicate in predicates:
            value = scene.objects.value(replace(claim.rule, predicate=predicate), (begin, after))
            _against(scene, claim.subject, predicate, value)


def lost(scene: Scene, claim: Claim) -> None:
    """Read "she died", "è morto il mio criceto", "Karl left me": pet and partner are so no more.

    A dead mother remains one's mother. Of who is known by name alone, what else is known tells who it is.
    """
    mention = scene.mentions.get(claim.at)
    person = mention.person if mention is not None else claim.subject
    after = name_at(scene.tokens, scene.grammar, claim.at, claim.end, person=True)
    if person is None and after > claim.at:
        person = Person(None, names=[scene.tokens.text(claim.at, after)], presumed=True)
    if person is None:
        return
    ties = ("has_pet", "partner") if claim.rule.predicate == "has_pet" else ("partner",)
    if person.kin is not None:
        _over(scene, person, ties)
    elif person.names:
        for predicate in ties:
            scene.draft(None, predicate, person, polarity="denied")


def parted_from(scene: Scene, claim: Claim) -> None:
    """Read "I broke up with | Ada", "ho divorziato da | mio marito Paolo"."""
    mention = scene.mentions.get(claim.at)
    if mention is not None:
        _over(scene, mention.person, ("partner",))
        return
    for span in scene.objects.read(Reader.NAME, claim.at, claim.end)[:1]:
        person = scene.cast.introduce(Person(None, names=[scene.tokens.text(*span)]))
        scene.draft(claim.subject, "partner", person, polarity="past")


def _over(scene: Scene, person: Person, ties: Collection[str]) -> None:
    """Say that somebody is no longer what they are to the user, where that is one of `ties`."""
    if person.kin is None or person.kin.predicate not in ties or person.of_other:
        return
    person.end()
    if not person.names:
        _against(scene, None, person.kin.predicate, person)


def _against(scene: Scene, subject: Who, predicate: str, value: str | Person) -> None:
    if predicate in BEINGS and isinstance(value, str):
        value = Person(None, names=[value], presumed=True)
    scene.draft(subject, predicate, value, polarity="denied")


def _objects(scene: Scene, claim: Claim) -> list[Span]:
    if claim.rule.predicate == "name":
        after = name_at(scene.tokens, scene.grammar, claim.at, claim.end, loose=True, person=True)
        return [(claim.at, after)] if after > claim.at else []
    return scene.objects.read(claim.rule.reader, claim.at, claim.end)


def _not_been(scene: Scene, claim: Claim) -> None:
    """Read what somebody is not: "a nurse", "my sister", "Tanya"."""
    mention, subject = scene.mentions.get(claim.at), claim.subject
    if mention is not None:
        kin = mention.person.kin
        if kin and subject is not None and subject.names and not mention.person.names:
            _against(scene, None, kin.predicate, subject)
        return
    after = name_at(scene.tokens, scene.grammar, claim.at, claim.end, person=True)
    if after > claim.at and subject is None and _wholly(scene, after, claim.end):
        _against(scene, None, "name", scene.tokens.text(claim.at, after))
        return
    begin = scene.objects.phrasing.lead(claim.at, claim.end)
    after = scene.objects.phrasing.noun_phrase(begin, claim.end)
    if after > begin and _wholly(scene, after, claim.end):
        for predicate in _BEEN:
            _against(scene, subject, predicate, scene.tokens.text(begin, after))


def _not_had(scene: Scene, claim: Claim) -> None:
    """Read what somebody does not have: "a dog", "a car", "asthma"."""
    for begin, end in scene.objects.phrasing.pieces(claim.at, claim.end):
        at = scene.objects.phrasing.lead(begin, end)
        term = kin_at(scene.tokens, scene.grammar, at, end)
        if term is not None and _wholly(scene, term[1], end):
            kin, after = term
            _against(scene, claim.subject, kin.predicate, Person(kin, scene.tokens.text(at, after)))
            continue
        after = scene.objects.phrasing.noun_phrase(at, end)
        if after > at and _wholly(scene, after, end):
            for predicate in _HAD:
                _against(scene, claim.subject, predicate, scene.tokens.text(at, after))


def _lead(scene: Scene, begin: int, end: int) -> int:
    at = scene.objects.phrasing.lead(begin, end)
    while at < end and scene.tokens.low[at] in scene.grammar.possessives:
        at = scene.objects.phrasing.lead(at + 1, end)
    return at


def _wholly(scene: Scene, at: int, end: int) -> bool:
    """Whether nothing follows that leaves a part of it: "at all" does not, "on Mondays" does."""
    grammar = scene.grammar
    return all(word in grammar.wholly and word not in grammar.unwhole for word in _words(scene, at, end))


def _since(scene: Scene, at: int, end: int) -> bool:
    """Whether it has been so up to some time: "I haven't lived in Rome | since 2019"."""
    return at < end and scene.tokens.low[at] in scene.grammar.since and timely(scene, at + 1, end)


def timely(scene: Scene, at: int, end: int) -> bool:
    """Tell whether nothing follows but when it was: "last year", "two weeks ago", "nel 2018"."""
    grammar = scene.grammar
    timed = (
        grammar.wholly | grammar.time_words | grammar.time_nouns | grammar.numbers.keys()
    ) - grammar.unwhole
    return all(word in timed or word.isdigit() for word in _words(scene, at, end))


def _words(scene: Scene, at: int, end: int) -> Iterator[str]:
    return (word for word in scene.tokens.low[at:end] if word[0].isalnum())
