"""The people of people: "Joel's sister Karen", "la moglie di Gaetano", who are not the user's."""

from typing import Final

from ricordo.domain.facts.extraction.acquaintance import is_of_the_users_life
from ricordo.domain.facts.extraction.grammar import Kin
from ricordo.domain.facts.extraction.mentions import kin_at, named_after
from ricordo.domain.facts.extraction.names import Person, name_at
from ricordo.domain.facts.extraction.scene import Scene

_OF: Final = frozenset({"di", "d'"})


def relative(scene: Scene, owner: Person, at: int, end: int) -> tuple[Person, int] | None:
    """Read "Joel's | sister Karen".

    Args:
        scene: the message.
        owner: whose people they are.
        at: the index of the kinship term.
        end: where the clause ends.

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
    if grammar.code != "it" or tokens.low[at] not in grammar.determiners:
        return None
    term = kin_at(tokens, grammar, at + 1, end)
    if term is None or term[1] + 1 >= end or tokens.low[term[1]] not in _OF:
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
    spans, after = named_after(scene.tokens, scene.grammar, kin, at, end)
    names = [scene.tokens.text(*span) for span in spans]
    person = Person(kin, "", names, of_other=True, presumed=owner.presumed, owner=owner)
    person = scene.cast.introduce(person)
    if names:
        scene.tie(person, to=owner)
    return person, after
