"""Reads whom the user does things with, is with, and knows from a place."""

from typing import Final

from ricordo.language.facts.adjuncts import only_a_time_follows
from ricordo.language.facts.denials import no_longer
from ricordo.language.facts.name_spans import Person, name_at
from ricordo.language.facts.phrase_trees import longest
from ricordo.language.facts.scene import Scene

_MAY_MARRY: Final = frozenset({"friend", "knows", "partner"})


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
