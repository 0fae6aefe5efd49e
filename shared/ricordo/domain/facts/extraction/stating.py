"""What a phrase states of its subject, once both are known."""

from dataclasses import replace
from typing import Final

from ricordo.domain.facts.evidence import Polarity
from ricordo.domain.facts.extraction.being import been, name
from ricordo.domain.facts.extraction.figurative import ALLERGENS, is_laughter
from ricordo.domain.facts.extraction.having import had
from ricordo.domain.facts.extraction.names import Person, Span
from ricordo.domain.facts.extraction.phrases import Reader, Rule, longest
from ricordo.domain.facts.extraction.scene import Claim, Scene, Who
from ricordo.domain.facts.extraction.verbs import Verb
from ricordo.domain.facts.vocabulary import FUNCTIONAL

_MORTAL: Final = frozenset({"has_pet", "partner"})
"""Ties that death ends; a dead mother remains one's mother."""
_LAUGH_WITHIN: Final = 4
"""Words after a clause within which a laugh belongs to it."""


def said(scene: Scene, subject: Who, verb: Verb, end: int) -> None:
    """Take a verb phrase about `subject` for what it states.

    A denied liking is a dislike; another denial states nothing.
    """
    rule, polarity = verb.rule, verb.rule.polarity
    if verb.negated and rule.denied:
        rule = Rule(rule.denied, rule.reader)
    elif verb.over:
        polarity = "past"
    elif verb.negated:
        return
    state(scene, Claim(subject, rule, verb.end, end, polarity))


def state(scene: Scene, claim: Claim) -> None:
    """Read the object of a claim and note what it states."""
    reader = claim.rule.reader
    if reader is Reader.ROLE:
        found = been(scene, claim)
        if found is not None:
            _continued(scene, claim, *found)
    elif reader is Reader.KIN:
        if claim.subject is not None:
            scene.draft(None, claim.rule.predicate, claim.subject)
    elif reader is Reader.DEATH:
        _died(scene, claim)
    elif reader in (Reader.POSSESSION, Reader.ACQUISITION):
        for piece in scene.objects.phrasing.pieces(claim.at, claim.end):
            had(scene, claim.subject, piece, reader, over=claim.polarity == "past")
    elif claim.rule.predicate == "name":
        name(scene, claim)
    else:
        _objects(scene, claim)


def _died(scene: Scene, claim: Claim) -> None:
    """Read "she died", "è morto il mio criceto": pet and partner are so no more."""
    mention = scene.mentions.get(claim.at)
    person = mention.person if mention is not None else claim.subject
    if person is not None and person.kin is not None and person.kin.predicate in _MORTAL:
        person.kin = replace(person.kin, over=True)


def _objects(scene: Scene, claim: Claim) -> None:
    rule = claim.rule
    if rule.reader is Reader.NAME and claim.at in scene.mentions:
        return  # "I met my friend Anna": the mention has said it
    spans = scene.objects.read(rule.reader, claim.at, claim.end)
    if rule.reader is Reader.ENROLMENT and spans and not scene.objects.organisations.is_school(*spans[0]):
        rule = replace(rule, predicate="member_of")
    if rule.predicate == "allergic_to" and _laughed(scene, claim):
        spans = [span for span in spans if not ALLERGENS.isdisjoint(scene.tokens.low[slice(*span)])]
    if rule.reader is Reader.FUTURE:
        for span in spans:
            scene.draft(claim.subject, "plans", scene.objects.plans.infinitive(*span))
        return
    for span in spans[:1] if rule.predicate in FUNCTIONAL else spans:
        scene.draft(claim.subject, rule.predicate, _value(scene, rule, span), polarity=claim.polarity)
        if rule.reader is Reader.NAME:
            scene.cast.introduce(Person(None, names=[scene.tokens.text(*span)]))
    _continued(scene, claim, rule.predicate, spans[-1][1] if spans else claim.at)


def _laughed(scene: Scene, claim: Claim) -> bool:
    """Whether the writer laughs about it: what is no known allergen then is a figure of speech."""
    following = scene.tokens.low[claim.at : claim.end + _LAUGH_WITHIN]
    return any(is_laughter(word) for word in following)


def _value(scene: Scene, rule: Rule, span: Span) -> str:
    figures = scene.objects.figures.number(span[0]) if rule.reader is Reader.AGE else None
    return figures or scene.tokens.text(*span)


def _continued(scene: Scene, claim: Claim, predicate: str, at: int) -> None:
    """Read what goes on after an object: "… as a nurse | at the Mater", "… from Rome | to Milan"."""
    tree = scene.grammar.after.get(predicate)
    if tree is None or at >= claim.end:
        return
    if scene.tokens.low[at] == ",":
        at += 1
    found = longest(tree, scene.tokens.low, at, claim.end, scene.grammar.adverbs)
    if found is None:
        return
    rule, after = found
    moved = rule.predicate == predicate
    if moved and claim.polarity == "holds":
        return
    polarity: Polarity = "holds" if moved else claim.polarity
    for span in scene.objects.read(rule.reader, after, claim.end)[:1]:
        scene.draft(claim.subject, rule.predicate, _value(scene, rule, span), polarity=polarity)
