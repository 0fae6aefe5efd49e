"""Reads whom the user does things with, is with, and knows from a place."""

from typing import Final

from ricordo.language.facts.adjuncts import only_a_time_follows
from ricordo.language.facts.attributes import owner_at
from ricordo.language.facts.denials import no_longer
from ricordo.language.facts.name_spans import Person, name_at
from ricordo.language.facts.object_phrases import OF
from ricordo.language.facts.phrase_trees import longest
from ricordo.language.facts.scene import Scene

_MAY_MARRY: Final = frozenset({"friend", "knows", "partner"})
_FROM: Final = frozenset("from at di del dello della dell' dei degli delle".split())


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


def parted(scene: Scene, at: int, end: int) -> bool:
    """Read "con Davide ci siamo lasciati": who it was with comes first."""
    if scene.tokens.low[at] not in scene.grammar.with_whom:
        return False
    owner = owner_at(scene, at + 1, end)
    return owner is not None and coupled(scene, owner[0], owner[1], end)


def met_at(scene: Scene, at: int, end: int) -> int:
    """Step over "from my office", "del corso di yoga": where the user knows somebody from."""
    low, grammar = scene.tokens.low, scene.grammar
    if at >= end or low[at] not in _FROM:
        return at
    first = at + 1
    while first < end and (low[first] in grammar.possessives or low[first] in grammar.determiners):
        first += 1
    if first >= end or low[first] not in grammar.meeting_places:
        return at
    after = first + 1
    if after + 1 < end and low[after] in OF and low[after + 1] not in grammar.determiners:
        after += 2
    return after
