"""Reads people who are mentioned by a relation: "Joel's sister", "a guy from work", "my wife and I"."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from ricordo.language.facts.acquaintance import is_of_the_users_life, is_state
from ricordo.language.facts.adjuncts import only_a_time_follows
from ricordo.language.facts.denials import no_longer
from ricordo.language.facts.fact_grammar import Gender, Kin
from ricordo.language.facts.mentions import kin_at, named_after
from ricordo.language.facts.name_spans import Person, Span, name_at
from ricordo.language.facts.phrase_trees import ObjectReader, Rule, longest
from ricordo.language.facts.scene import Claim, Scene
from ricordo.language.facts.verbs import Verb

_SOMEBODY: Final[Mapping[str, Gender]] = {
    **dict.fromkeys("someone somebody person qualcuno persona".split(), ""),
    **dict.fromkeys("guy man boy lad bloke chap dude fella ragazzo tipo tizio uomo".split(), "m"),
    **dict.fromkeys("girl woman lady lass gal ragazza tipa tizia donna".split(), "f"),
}
"""Nouns for whom one is seeing, with the gender they tell."""
_LONGEST_LEAD: Final = 4
_MAY_MARRY: Final = frozenset({"friend", "knows", "partner"})
_SEVERAL: Final = 2
_SINCE: Final = frozenset("since from now da dal dalla dall' di del della".split())
_WHILES: Final = frozenset({"while", "time", "ages", "bit"})
_ONCE: Final = frozenset("tonight tomorrow today stasera domani oggi stanotte".split())
"""Whom one sees once is no partner."""


def relative(scene: Scene, owner: Person, at: int, end: int) -> tuple[Person, int] | None:
    """Read "Joel's | sister Karen".

    Returns:
        Who it is, without a name where none follows, and the index after them; None for anything else, and
        for the people of somebody without a name: nobody could tell whose they are.
    """
    term = kin_at(scene.tokens, scene.grammar, at, end)
    if term is None or len(owner.names) != 1:
        return None
    return _introduced(scene, owner, term[0], term[1], end)


def relative_of(scene: Scene, at: int, end: int) -> tuple[Person, int] | None:
    """Read "la moglie di Gaetano", as `relative` does."""
    tokens, grammar = scene.tokens, scene.grammar
    if tokens.low[at] not in grammar.determiners:
        return None
    term = kin_at(tokens, grammar, at + 1, end)
    if term is None or term[1] + 1 >= end or tokens.low[term[1]] not in grammar.genitives:
        return None
    first = term[1] + 1
    after = name_at(tokens, grammar, first, end, person=True)
    if after == first:
        return None
    name = tokens.text(first, after)
    presumed = not scene.cast.knows(name) and not is_of_the_users_life(tokens.low[first:after])
    owner = scene.cast.introduce(Person(None, names=[name], presumed=presumed))
    return _introduced(scene, owner, term[0], after, end)


def _introduced(scene: Scene, owner: Person, kin: Kin, at: int, end: int) -> tuple[Person, int]:
    spans, after = named_after(scene.tokens, scene.grammar, kin, at, scene.limit if kin.plural else end)
    names = [scene.tokens.text(*span) for span in spans]
    person = Person(kin, "", names, of_other=True, presumed=owner.presumed, owner=owner)
    person = scene.cast.introduce(person)
    if names:
        scene.tie(person, to=owner)
    return person, min(after, end)


def companion(scene: Scene, claim: Claim) -> bool:
    """Read "I'm seeing | a guy from work", whose name may follow: "…, his name is Kofi".

    Returns:
        Whether somebody without a name, or with one behind it ("a girl called Priya"), was told of.
    """
    tokens, grammar, end = scene.tokens, scene.grammar, claim.end
    at = claim.at - (tokens.low[claim.at - 1] in _SOMEBODY)  # "frequento un ragazzo": part of the phrase
    furthest = min(end, at + _LONGEST_LEAD)
    while at < furthest and tokens.low[at] not in _SOMEBODY:
        if not (tokens.low[at] in grammar.determiners or tokens.raw[at].islower()):
            return False
        at += 1
    if at >= end or tokens.low[at] not in _SOMEBODY:
        return False
    kin = Kin("partner", "partner", _SOMEBODY[tokens.low[at]])
    spans, after = named_after(tokens, grammar, kin, at + 1, end)
    soon = tokens.low[scene.span[0] : end]
    if (not spans and not _goes_on_for(scene, after, end)) or not _ONCE.isdisjoint(soon):
        return True
    names = [tokens.text(*span) for span in spans]
    owner = claim.subject
    person = Person(kin, "", names, of_other=owner is not None, owner=owner)
    person = scene.cast.introduce(person)
    if names:
        scene.tie(person, to=owner, over=claim.polarity == "past")
    return True


def _goes_on_for(scene: Scene, at: int, end: int) -> bool:
    """Whether nothing follows but where they are from, or since when: "about it" would make it a visit."""
    low = scene.tokens.low
    lasting = at < end and low[at] == "for" and low[end - 1] in scene.grammar.time_nouns | _WHILES
    return at >= end or low[at] in _SINCE or lasting


def are_called(scene: Scene, subject: Person, at: int, end: int) -> Claim | None:
    """Read "i miei figli | sono Tino, Gino e Pino"; "sono" is also "I am"."""
    low = scene.tokens.low
    if at + 1 >= end or low[at] != "sono" or not subject.several or subject.names:
        return None
    after = name_at(scene.tokens, scene.grammar, at + 1, end, person=True)
    if after == at + 1 or is_state(low[at + 1 : after], scene.grammar.code):
        return None
    return Claim(subject, Rule("name", ObjectReader.NAME, 3), at + 1, end)


def in_turn(scene: Scene, claim: Claim, pieces: Sequence[Span]) -> bool:
    """Read "a cat and two dogs, Tom, Spike and Rex": as many names as there are of them, in their order."""
    tokens, lead = scene.tokens, scene.objects.lead
    terms = [kin_at(tokens, scene.grammar, lead(*piece), piece[1]) for piece in pieces]
    known = [term for term in terms if term is not None]
    alone = all(term[1] == piece[1] for term, piece in zip(known[:-1], pieces, strict=False))
    if len(known) < _SEVERAL or len(known) < len(pieces) or not alone:
        return False
    counts = [_counted(scene, term, piece) for term, piece in zip(known, pieces, strict=True)]
    spans, _ = named_after(
        tokens, scene.grammar, replace(known[-1][0], plural=True), known[-1][1], scene.limit
    )
    if 0 in counts or len(spans) != sum(counts):
        return False
    names, of_other = (tokens.text(*span) for span in spans), claim.subject is not None
    for (kin, after), piece, count in zip(known, pieces, counts, strict=True):
        noun = "" if kin.plural else tokens.text(lead(*piece), after)
        person = scene.cast.introduce(Person(kin, noun, list(islice(names, count)), of_other))
        scene.tie(person, to=claim.subject, over=claim.polarity == "past")
    return True


def _counted(scene: Scene, term: tuple[Kin, int], piece: Span) -> int:
    """Return how many "two dogs" are; 0 of a plural that does not say."""
    if not term[0].plural:
        return 1
    low, numbers = scene.tokens.low, scene.grammar.numbers
    told = (numbers.get(word, word) for word in low[piece[0] : term[1]])
    return next((int(word) for word in told if word.isascii() and word.isdigit() and len(word) == 1), 0)


def whom_named(scene: Scene, verb: Verb, person: Person | None) -> Person | None:
    """Return whom "si chiama Rex" names behind "mia sorella ha un cane": the dog, not the sister."""
    if verb.rule.predicate != "name" or verb.rule.reader is not ObjectReader.NAME:
        return person
    last, plural = scene.cast.latest(), scene.tokens.low[verb.end - 1].endswith("no")
    if last is not None and last.of_other and not last.names and last.several == plural:
        return last
    return person if person is not None and person.several == plural else None


def with_user(scene: Scene, at: int, end: int) -> int | None:
    """Read "… and I": the subject is the user among others. Returns the index after it."""
    low, grammar = scene.tokens.low, scene.grammar
    joined = at + 1 < end and low[at] in grammar.conjunctions and low[at + 1] in grammar.user_pronouns
    return at + 2 if joined else None


def in_company(scene: Scene, at: int, end: int) -> tuple[Person | None, int]:
    """Read "… and my wife" after the user's pronoun: who it is, and the index after it."""
    if at + 1 >= end or scene.tokens.low[at] not in scene.grammar.conjunctions:
        return None, at
    mention = scene.mentions.get(at + 1)
    if mention is not None:
        return mention.person, mention.end
    after = name_at(scene.tokens, scene.grammar, at + 1, end, person=True)
    if after == at + 1:
        return None, at
    return scene.cast.introduce(Person(None, names=[scene.tokens.text(at + 1, after)])), after


def coupled(scene: Scene, company: Person, at: int, end: int) -> bool:
    """Read what makes partners, or friends, of the user and somebody: "… and I | got married"."""
    found = longest(scene.grammar.couples, scene.tokens.low, at, end, scene.grammar.adverbs)
    if found is None:
        return False
    rule, after = found
    if rule.polarity == "past" and not only_a_time_follows(scene, after, end):
        return True  # "my husband and I separated the laundry"
    if not company.names and rule.polarity == "past":
        no_longer(scene, company, (rule.predicate,))  # "my husband and I divorced"
    elif company.names and (company.kin is None or company.kin.predicate in _MAY_MARRY):
        scene.draft(None, rule.predicate, company, polarity=rule.polarity)
    return True
