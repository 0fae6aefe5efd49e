"""Reads the object of "to have" and "to get": pets, family, conditions, ages, possessions."""

from dataclasses import dataclass, replace
from typing import Final

from ricordo.language.facts.asides import each_aged
from ricordo.language.facts.evidence import Polarity
from ricordo.language.facts.fact_grammar import Kin
from ricordo.language.facts.mentions import kin_at, named_after
from ricordo.language.facts.name_spans import Person, Span, name_at
from ricordo.language.facts.phrase_trees import ObjectReader, longest
from ricordo.language.facts.scene import Scene, Who
from ricordo.language.facts.word_forms import IDIOMS, word_list

NAMEABLE: Final = frozenset({"has_pet", "has_child", "has_sibling", "partner"})
"""Kinships worth stating without a name ("I have a sister")."""

_PARTICIPLES: Final = ("ato", "uto", "ito", "tto", "sto", "rto", "lto", "nto", "so")
_NONE: Final = frozenset({"no", "nessun", "nessuno", "nessuna", "neither"})
_ONE: Final = frozenset({"one", "uno", "1"})
_EPONYMS: Final = word_list("eponyms")
_INTOLERANCES: Final = frozenset("allergia intolleranza allergy intolerance".split())
_SEVERITY: Final = frozenset("mild severe bad serious nasty terrible slight horrible awful".split())
_MADE_FOR: Final = word_list("purposes")
_STATES: Final = ("ato", "ata", "uto", "uta", "ito", "ita", "ati", "ate")
_THE: Final = frozenset("the il lo la l' i gli le".split())
_CONDITIONS_OF_THINGS: Final = word_list("conditions_of_things")
_FOR_A_TIME: Final = frozenset({"to", "for"})  # What follows "I have the house": "to myself", "for a week"
_POSSESSIVE: Final = frozenset({"'", "'s"})


@dataclass(frozen=True, slots=True)
class _Item:
    """One thing somebody has: its noun phrase `[at, after)` within the tokens `[begin, end)`."""

    subject: Who
    begin: int
    at: int
    after: int
    end: int
    acquired: bool
    over: bool


def had(scene: Scene, subject: Who, piece: Span, reader: ObjectReader, *, over: bool = False) -> None:
    """Read one item of what somebody has (POSSESSION), came to have (ACQUISITION) or had (`over`)."""
    (begin, end), low, objects = piece, scene.tokens.low, scene.objects
    at = objects.lead(begin, end)
    if at + 1 < end and low[at] in _ONE:  # "one sister"
        at += 1
    if at >= end or low[begin] in _NONE or low[at] in scene.grammar.refused:
        return
    if low[at] in scene.grammar.negations:
        return  # "ho quasi comprato casa"
    item = _Item(
        subject, begin, at, objects.noun_phrase(at, end), end, reader is ObjectReader.ACQUISITION, over
    )
    term = kin_at(scene.tokens, scene.grammar, at, end)
    if term is not None and not _compounded(scene, term[1], item.after):
        _related(scene, item, *term)
    elif item.after > at and not _aged(scene, item):
        _owned(scene, item)


def _compounded(scene: Scene, at: int, after: int) -> bool:
    """Whether the kinship term only narrows another noun down: "a cat allergy", "a dog bed"."""
    if at >= after or not scene.tokens.raw[at].islower():
        return False
    return longest(scene.grammar.naming, scene.tokens.low, at, after, ()) is None


def _related(scene: Scene, item: _Item, kin: Kin, after: int) -> None:
    """Read "a dog named Max", "two sisters, Anna and Clara", "una gatta"."""
    tokens = scene.tokens
    if (
        item.over
        and item.subject is not None
        and item.subject.kin
        and item.subject.kin.predicate == "has_pet"
    ):
        return  # "our cat just had kittens"
    if after < item.end and tokens.low[after] in _POSSESSIVE:
        return
    if kin.predicate == "has_pet" and " ".join(tokens.low[after : after + 2]) in IDIOMS:
        return
    numbers = scene.grammar.numbers.keys() - _ONE
    if not numbers.isdisjoint(tokens.low[item.begin : after]):
        kin = replace(kin, plural=True)  # "two goldfish"
    spans, _ = named_after(tokens, scene.grammar, kin, after, scene.limit if kin.plural else item.end)
    names = [tokens.text(*span) for span in spans]
    noun = tokens.text(item.at, after)
    if kin.plural and not names:
        _herd(scene, item, kin, after)
        return
    # "She had a baby girl, called Nia": whose child she is
    ended = item.over and kin.predicate != "has_child"
    kin = replace(kin, over=kin.over or ended)
    person = scene.cast.introduce(Person(kin, noun, names, item.subject is not None))
    if names or kin.predicate in NAMEABLE:
        scene.tie(person, to=item.subject, over=ended)
        each_aged(scene, person, spans)


def _herd(scene: Scene, item: _Item, kin: Kin, after: int) -> None:
    """Read "six hens": what animals there are; people without names are nobody in particular."""
    at = item.at
    while at < after - 1 and scene.tokens.low[at] in scene.grammar.numbers:
        at += 1
    ended = replace(kin, over=kin.over or (item.over and kin.predicate == "has_pet"))
    of_other = item.subject is not None
    animals = scene.cast.introduce(Person(ended, "", [], of_other, owner=item.subject))
    if kin.predicate == "has_pet":
        polarity: Polarity = "past" if item.over else "holds"
        text = scene.tokens.text(at, after)
        scene.draft(item.subject, "has_pet", text, polarity=polarity, unnamed=animals)


def _aged(scene: Scene, item: _Item) -> bool:
    """Read "ho 34 anni"; other spans of years are no possession either."""
    low, years = scene.tokens.low, scene.grammar.years
    if not any(word in years for word in low[item.at : item.after + 1]):
        return False
    if not item.acquired and scene.grammar.code == "it":
        for begin, _ in scene.objects.figures.age(item.at, scene.span[1]):
            if not item.over:
                scene.draft(item.subject, "age", scene.objects.figures.number(begin) or "")
    return True


def _owned(scene: Scene, item: _Item) -> None:
    at, after, objects = item.at, _whole(scene, item), scene.objects
    if _in_a_state(scene, item, after):
        return
    while at < after - 1 and scene.tokens.low[at] in scene.grammar.numbers:
        at += 1  # "due arnie"
    text = scene.tokens.text(at, after)
    polarity: Polarity = "past" if item.over else "holds"
    if not item.acquired and scene.tokens.low[after - 1] == "allergy" and after - at > 1:
        while at < after - 2 and scene.tokens.low[at] in _SEVERITY:
            at += 1
        scene.draft(item.subject, "allergic_to", scene.tokens.text(at, after - 1), polarity=polarity)
    elif not item.acquired and _intolerance(scene, item, after, polarity):
        return
    elif not item.acquired and objects.is_condition(at, after):
        scene.draft(item.subject, "has_condition", text, polarity=polarity)
    elif _verbal(scene, item):
        return
    elif objects.is_ownable(at, after) or (at > item.begin and _branded(scene, at, after)):
        scene.draft(item.subject, "owns", text, polarity=polarity)


def _intolerance(scene: Scene, item: _Item, after: int, polarity: Polarity) -> bool:
    """Read "una leggera allergia | alle noci"."""
    low = scene.tokens.low
    named = not _INTOLERANCES.isdisjoint(low[item.at : after])
    if not named or after + 1 >= item.end or low[after] not in scene.grammar.prepositions:
        return False
    for span in scene.objects.read(ObjectReader.SUBSTANCE, after + 1, item.end):
        scene.draft(item.subject, "allergic_to", scene.tokens.text(*span), polarity=polarity)
    return True


def _whole(scene: Scene, item: _Item) -> int:
    """Return where a thing ends: with "a vela" of "barca a vela", without "ereditata" behind a name."""
    low, raw, after = scene.tokens.low, scene.tokens.raw, item.after
    if after < item.end and low[after] == "'s" and low[after - 1] in _EPONYMS:
        return after + 1
    if scene.grammar.code != "it":
        return after
    if after + 1 < item.end and low[after] in ("a", "da") and low[after + 1] in _MADE_FOR:
        return after + 2
    while (
        after - 1 > item.at
        and raw[after - 1].islower()
        and low[after - 1].endswith(_STATES)
        and raw[after - 2][0].isupper()
    ):
        after -= 1
    return after


def _in_a_state(scene: Scene, item: _Item, after: int) -> bool:
    """Whether it is said how a known thing is, not that there is one: "abbiamo la casa piena di borracce"."""
    low = scene.tokens.low
    if item.at == item.begin or low[item.at - 1] not in _THE:
        return False
    if item.acquired:
        taken = low[item.begin - 1] == "preso" and scene.tokens.raw[item.at].islower()
        return taken and after == item.at + 1  # "ho preso la macchina": to drive
    if after < item.end and low[after] in _FOR_A_TIME:
        return True
    return any(word in _CONDITIONS_OF_THINGS for word in low[item.at + 1 : after + 2])


def _verbal(scene: Scene, item: _Item) -> bool:
    """Whether a participle stands where the noun would: "ho venduto la vecchia Vespa" owns nothing."""
    bare = scene.tokens.low[item.at - 1] not in scene.grammar.determiners and item.after > item.at + 1
    return (
        scene.grammar.code == "it"
        and bare
        and scene.tokens.low[item.at].endswith(_PARTICIPLES)
        and not scene.objects.is_ownable(item.at, item.at + 1)
    )


def _branded(scene: Scene, at: int, after: int) -> bool:
    """Whether the phrase ends with a name: "a Fiat Panda", "una vecchia Fiat Panda"."""
    brand = next((i for i in range(at, after) if scene.tokens.raw[i][0].isupper()), after)
    return brand < after and name_at(scene.tokens, scene.grammar, brand, after) == after
