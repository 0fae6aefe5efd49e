"""Drafts the statements of a phrase once its subject and its object are known."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from ricordo.language.facts.copula_complements import been, name, renamed
from ricordo.language.facts.denials import denied, ended, lost, parted_from
from ricordo.language.facts.evidence import Polarity
from ricordo.language.facts.name_spans import Person, Span
from ricordo.language.facts.phrase_trees import ObjectReader, Rule, longest
from ricordo.language.facts.possessions import had
from ricordo.language.facts.relatives import companion, in_turn
from ricordo.language.facts.scene import Claim, Scene, Who
from ricordo.language.facts.verbs import Verb
from ricordo.language.facts.vocabulary import SINGLE_VALUED

_COMPANY: Final = frozenset("us me him her them noi me lui lei loro".split())
_WHERE: Final = frozenset({"in", "at", "a", "ad"})
_LEFT: Final = frozenset({"works_at", "member_of"})
"""What is said to be over of something that is no known employer or group: "I left Acme"."""
_LEAVING: Final = frozenset({"left", "lasciato", "lasciata", "lasciati", "lasciate"})
_MOVES_WITHIN: Final = 5  # words of the next clause
_LIKINGS: Final = frozenset({"likes", "dislikes"})


def said(scene: Scene, subject: Who, verb: Verb, end: int) -> None:
    """Take a verb phrase about `subject` for what it states.

    A denied liking is a dislike; another denial states nothing, and speaks against what else is known.
    """
    rule, polarity = verb.rule, verb.rule.polarity
    if verb.negated and rule.denied:
        rule = Rule(rule.denied, rule.reader)
    elif verb.over:
        polarity = "past"
    elif verb.negated:
        denied(scene, Claim(subject, rule, verb.end, end))
        renamed(scene, Claim(subject, rule, verb.end, end, "denied"))
        return
    state(scene, Claim(subject, rule, verb.end, end, polarity))


def state(scene: Scene, claim: Claim) -> None:
    """Read the object of a claim and note what it states."""
    if claim.rule.predicate == "name" and claim.rule.reader is not ObjectReader.ROLE:
        name(scene, claim)
    else:
        _STATING.get(claim.rule.reader, _objects)(scene, claim)


def _is(scene: Scene, claim: Claim) -> None:
    found = been(scene, claim)
    if found is not None:
        _continued(scene, claim, *found)


def _is_kin(scene: Scene, claim: Claim) -> None:
    if claim.subject is not None:
        scene.draft(None, claim.rule.predicate, claim.subject)


def _likes_it(scene: Scene, claim: Claim) -> None:
    """Read "I hate it": what was spoken of last."""
    if scene.topic and claim.at >= claim.end:
        scene.draft(claim.subject, claim.rule.predicate, scene.topic, polarity=claim.polarity)


def _speaks_of(scene: Scene, claim: Claim) -> None:
    """Keep in mind what "I can't eat strawberries" speaks of: "… because I'm allergic"."""
    for span in scene.objects.read(ObjectReader.THING, claim.at, claim.end)[:1]:
        scene.topic = scene.tokens.text(*span)


def _has(scene: Scene, claim: Claim) -> None:
    if scene.tokens.low[claim.at - 1] == "'ve" and not _counted(scene, claim):
        return
    pieces = list(scene.objects.pieces(claim.at, claim.end))
    if claim.rule.reader is ObjectReader.POSSESSION and len(pieces) > 1 and in_turn(scene, claim, pieces):
        return
    for piece in pieces:
        had(scene, claim.subject, piece, claim.rule.reader, over=claim.polarity == "past")


def _lives_with(scene: Scene, claim: Claim) -> None:
    """Read where "I live with my brother Omar | in Lyon"; the mention has said who he is."""
    mention = scene.mentions.get(claim.at)
    pronoun = claim.at < claim.end and scene.tokens.low[claim.at] in _COMPANY
    at = mention.end if mention is not None else claim.at + 1
    if not (mention or pronoun) or at + 1 >= claim.end or scene.tokens.low[at] not in _WHERE:
        return
    for span in scene.objects.read(ObjectReader.PLACE, at + 1, claim.end)[:1]:
        scene.draft(claim.subject, "lives_in", scene.objects.places.called(*span), polarity=claim.polarity)


def _plans_ahead(scene: Scene, claim: Claim) -> None:
    for span in scene.objects.read(ObjectReader.FUTURE, claim.at, claim.end):
        scene.draft(claim.subject, "plans", scene.objects.plans.infinitive(*span))


def _counted(scene: Scene, claim: Claim) -> bool:
    """Whether "I've" has something: "I've two girls" does, "I've seen a boat" does not."""
    word = scene.tokens.low[claim.at] if claim.at < claim.end else ""
    return word in scene.grammar.determiners or word in scene.grammar.numbers


def _objects(scene: Scene, claim: Claim) -> None:
    if claim.rule.predicate == "partner" and companion(scene, claim):
        return
    rule, spans = _choose_predicate(scene, claim)
    if rule.polarity == "past" and rule.predicate in _LEFT and _moves_on(scene, claim):
        rule, spans = (
            Rule("lives_in", ObjectReader.PLACE),
            scene.objects.read(ObjectReader.PLACE, claim.at, claim.end),
        )
    if not spans and rule.polarity == "past" and rule.predicate in _LEFT:
        ended(scene, replace(claim, rule=Rule("lives_in", ObjectReader.ENDING)))
    for span in spans[:1] if rule.predicate in SINGLE_VALUED else spans:
        scene.draft(claim.subject, rule.predicate, scene.objects.value(rule, span), polarity=claim.polarity)
        if rule.predicate in _LIKINGS:
            scene.topic = scene.tokens.text(*span)
        if rule.reader is ObjectReader.NAME:
            scene.cast.introduce(Person(None, names=[scene.tokens.text(*span)]))
    _continued(scene, claim, rule.predicate, spans[-1][1] if spans else claim.at)


def _moves_on(scene: Scene, claim: Claim) -> bool:
    """Whether what was left was a home: "we left Norwich | and moved to Cardiff"."""
    left = not _LEAVING.isdisjoint(scene.tokens.low[max(0, claim.at - 1) : claim.at])
    return left and not scene.grammar.moving.isdisjoint(
        scene.tokens.low[claim.end : claim.end + _MOVES_WITHIN]
    )


def _choose_predicate(scene: Scene, claim: Claim) -> tuple[Rule, list[Span]]:
    """Return the rule of a claim, with the predicate that its objects decide, and these objects."""
    rule = claim.rule
    if rule.reader is ObjectReader.ENROLMENT and scene.objects.is_field(claim.at, claim.at + 1):
        return replace(rule, predicate="studies"), [(claim.at, claim.at + 1)]  # "iscritta a farmacia"
    spans = scene.objects.read(rule.reader, claim.at, claim.end)
    if rule.reader is ObjectReader.OCCUPATION and not spans:
        return _schooled(scene, claim)
    return _of_an_organisation(scene, claim, spans) if spans else (rule, spans)


def _of_an_organisation(scene: Scene, claim: Claim, spans: list[Span]) -> tuple[Rule, list[Span]]:
    """Let the object decide: a school is studied at, a choir has members, a library is neither."""
    organisations, first, rule = scene.objects.organisations, spans[0], claim.rule
    joined = rule.reader is ObjectReader.ENROLMENT and not organisations.is_school(*first)
    if joined or (rule.predicate == "works_at" and organisations.is_group(*first)):
        return replace(rule, predicate="member_of"), spans
    if rule.predicate == "studies_at" and not organisations.is_studied_at(*first):
        return rule, []
    return rule, spans


def _schooled(scene: Scene, claim: Claim) -> tuple[Rule, list[Span]]:
    """Read "faccio il liceo artistico": what is done is no job but a school."""
    articled = claim.rule.person > 0 and scene.grammar.code == "it"
    spans = scene.objects.organisations.named(claim.at, claim.end) if articled else []
    schools = [span for span in spans if scene.objects.organisations.is_school(*span)]
    return (replace(claim.rule, predicate="studies_at"), schools) if schools else (claim.rule, [])


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
    polarity: Polarity = "holds" if moved else claim.polarity
    spans = scene.objects.read(rule.reader, after, claim.end)
    if not spans and predicate == "studies":
        spans = scene.objects.read(ObjectReader.PLACE, after, claim.end)  # "laureata in lettere a Pavia"
    if rule.predicate == "member_of" and any(scene.objects.organisations.is_school(*span) for span in spans):
        return  # "I played the trumpet in high school"
    for span in spans[:1]:
        scene.draft(claim.subject, rule.predicate, scene.objects.value(rule, span), polarity=polarity)


_STATING: Final[dict[ObjectReader, Callable[[Scene, Claim], None]]] = {
    ObjectReader.ROLE: _is,
    ObjectReader.KIN: _is_kin,
    ObjectReader.TOPIC: _likes_it,
    ObjectReader.SPOKEN_OF: _speaks_of,
    ObjectReader.LOSS: lost,
    ObjectReader.PARTING: parted_from,
    ObjectReader.ENDING: ended,
    ObjectReader.POSSESSION: _has,
    ObjectReader.ACQUISITION: _has,
    ObjectReader.FUTURE: _plans_ahead,
    ObjectReader.HOME: _lives_with,
}
"""What is done with a claim whose object is more than words."""
