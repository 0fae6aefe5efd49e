"""Reads the complement of "to be": a kinship, a name, an age, a job, a role, a condition."""

from itertools import takewhile
from typing import Final

from ricordo.language.facts.acquaintance import is_known_given, is_state
from ricordo.language.facts.asides import aged
from ricordo.language.facts.fact_grammar import Kin
from ricordo.language.facts.mentions import Mention, kin_at, named_after
from ricordo.language.facts.name_spans import Span, is_unheard_of, name_at, names_from
from ricordo.language.facts.phrase_trees import ObjectReader
from ricordo.language.facts.scene import Claim, Scene, Who
from ricordo.language.facts.word_forms import word_list
from ricordo.language.person_names import is_given

_BEARING: Final = {
    **dict.fromkeys(("intolerant", "allergic"), "allergic_to"),
    **dict.fromkeys(("fan", "lover", "enthusiast", "aficionado", "supporter"), "likes"),
}
"""English words that say what the word before them is to somebody."""
_DEVOTED: Final = word_list("degrees_of_liking")
_ARTICLES: Final = frozenset({"a", "an", "un", "uno", "una", "un'"})
_ORIGIN: Final = ("ish", "ese", "ian", "can", "ench", "ano", "ana")
"""Endings of capitalised words that say where somebody is from and not who they are."""

_RATHER: Final = frozenset({"but", "it", "'s", "is", "ma", "bensì", "è"})
"""Between the name that is none and the one that is: "not Tanya, it's Tamsin"."""
_PAUSES: Final = frozenset({",", "-", "–", "—"})
_INTRODUCTIONS: Final = word_list("introductions")
_OF_QUALITIES: Final = ("y", "s", "ie", "ual", "er")
"""Endings of new words for how somebody is: "hi, i'm neurospicy"."""
_NEAR: Final = 8
"""Tokens before a name within which such a word introduces it: "hi there, i'm corvin"."""


def been(scene: Scene, claim: Claim) -> tuple[str, int] | None:
    """Read the complement of "to be".

    Returns:
        The predicate that was stated of a noun phrase and the index after it; None for anything else.
    """
    at, objects = claim.at, scene.objects
    mention = scene.mentions.get(at)
    if mention is not None:
        _identified(scene, claim.subject, mention)
        return None
    if _one_of_several(scene, claim) or _aged(scene, claim) or _named(scene, claim):
        return None
    begin = objects.lead(at, claim.end)
    after = objects.noun_phrase(begin, claim.end)
    figurative = "bit" in scene.tokens.low[at:begin]  # "a bit of a cook"
    if after == begin or figurative or any(i in scene.mentions for i in range(begin, after)):
        return None
    articled = begin > at and scene.tokens.low[begin - 1] in scene.grammar.determiners
    if _bearing(scene, claim, begin, after):
        return None
    predicate = _kind(scene, claim.subject, begin, after, articled=articled or scene.grammar.code == "it")
    if predicate is None:
        return None
    scene.draft(claim.subject, predicate, scene.tokens.text(begin, after), polarity=claim.polarity)
    return predicate, after


def _bearing(scene: Scene, claim: Claim, begin: int, after: int) -> bool:
    """Read "lactose | intolerant", "a big jazz | lover"; of "a huge fan" nothing."""
    predicate = _BEARING.get(scene.tokens.low[after - 1])
    if predicate is None or scene.grammar.code != "en":
        return False
    while begin < after - 1 and scene.tokens.low[begin] in _DEVOTED:
        begin += 1
    if begin < after - 1:
        scene.draft(claim.subject, predicate, scene.tokens.text(begin, after - 1), polarity=claim.polarity)
    return True


def _one_of_several(scene: Scene, claim: Claim) -> bool:
    """Read "Ewa è una mia cara amica": one of the user's friends."""
    low, at = scene.tokens.low, claim.at
    if at + 2 >= claim.end or low[at] not in _ARTICLES or low[at + 1] not in scene.grammar.possessives:
        return False
    term = kin_at(scene.tokens, scene.grammar, at + 2, claim.end)
    if term is not None and claim.subject is not None and claim.subject.names and claim.subject.kin is None:
        claim.subject.kin = term[0]
        scene.tie(claim.subject)
    return term is not None


def name(scene: Scene, claim: Claim) -> None:
    """Read a name: of the user, or of somebody who had none yet."""
    subject, (at, end) = claim.subject, _corrected(scene, claim)
    after = name_at(scene.tokens, scene.grammar, at, end, loose=subject is not None, person=True)
    if after == at or (
        subject is None and scene.tokens.source.isupper() and not is_given(scene.tokens.low[at])
    ):
        return
    if subject is None:
        scene.draft(None, "name", scene.tokens.text(at, after))
        aged(scene, None, after, end)
        _by_trade(scene, after)
    elif not subject.names and subject.kin:
        spans = _names_of(scene, subject.kin, at, end)
        subject.names = [scene.tokens.text(*span) for span in spans] or [scene.tokens.text(at, after)]
        scene.tie(subject, to=subject.owner)


def _names_of(scene: Scene, kin: Kin, at: int, end: int) -> list[Span]:
    """Read the name, or of several the names, capitals or not: "my kids are called ann, bea and cal"."""
    tokens, grammar = scene.tokens, scene.grammar
    if not (kin.plural and tokens.lowercase):
        return named_after(tokens, grammar, kin, at, end, apposed=False)[0]
    found = names_from(tokens, grammar, at, end, loose=True, person=True)
    return list(takewhile(lambda span: not is_state(tokens.low[slice(*span)], grammar.code), found))


def renamed(scene: Scene, claim: Claim) -> None:
    """Read the right name behind one that is denied: "non mi chiamo Marta | ma Marzia"."""
    if claim.rule.predicate != "name" or claim.at >= claim.end:
        return
    # "I'm not English but Welsh" gives no names
    if claim.rule.reader is ObjectReader.NAME or is_known_given(scene.tokens.low[claim.at]):
        name(scene, claim)


def _corrected(scene: Scene, claim: Claim) -> Span:
    """Step over the name that is none: "my name is not Robert | but Rupert".

    Returns:
        Where the name is; an empty span where none follows.
    """
    low, grammar, at = scene.tokens.low, scene.grammar, claim.at
    denied = at < claim.end and low[at] in grammar.negations
    before = at > 1 and low[at - 1] in grammar.to_be and low[at - 2] in grammar.negations
    if claim.polarity != "denied" and not denied and not before:
        return at, claim.end
    at += denied
    after = name_at(scene.tokens, grammar, at, scene.limit, loose=scene.tokens.lowercase, person=True)
    first = after
    while first < scene.limit and (low[first] in _RATHER or low[first] in _PAUSES):
        first += 1
    last = name_at(scene.tokens, grammar, first, scene.limit, loose=scene.tokens.lowercase, person=True)
    alone = last >= scene.limit or not low[last][0].isalnum() or low[last] in grammar.joints
    told = at < after < first < last and alone and not _RATHER.isdisjoint(low[after:first])
    return (first, scene.limit) if told else (at, at)


def _by_trade(scene: Scene, at: int) -> None:
    """Read "I'm Rohan | , software tester", which ends there."""
    low, objects = scene.tokens.low, scene.objects
    if at + 1 >= scene.limit or low[at] != ",":
        return
    after = objects.noun_phrase(at + 1, scene.limit)
    ends = after >= scene.limit or not low[after][0].isalnum()
    if ends and after > at + 1 and scene.objects.is_occupation(at + 1, after):
        scene.draft(None, "works_as", scene.tokens.text(at + 1, after))


def _identified(scene: Scene, subject: Who, mention: Mention) -> None:
    """Read "Nora is my sister"."""
    kin = mention.person.kin
    if subject is not None and subject.names and not mention.person.names and kin:
        subject.kin = subject.kin or kin
        scene.tie(subject)


def _aged(scene: Scene, claim: Claim) -> bool:
    if scene.grammar.code != "en" or claim.polarity != "holds":
        return False
    spans = scene.objects.figures.age(claim.at, claim.end)
    for begin, _ in spans:
        scene.draft(claim.subject, "age", scene.objects.figures.number(begin) or "")
    return bool(spans)


def _named(scene: Scene, claim: Claim) -> bool:
    """Read "I'm Davide", "my best friend is Luca"."""
    low, grammar = scene.tokens.low, scene.grammar
    after = name_at(scene.tokens, grammar, claim.at, claim.end, person=True)
    if claim.rule.predicate != "name" or after == claim.at:
        return False
    origin = low[claim.at].endswith(_ORIGIN) and not is_known_given(low[claim.at])
    if low[claim.at] in grammar.roles or origin or is_state(low[claim.at : after], grammar.code):
        return False
    odd = claim.subject is None and is_unheard_of(scene.tokens, grammar, claim.at)
    if odd and not _introduces(scene, claim.at, after):
        return False  # "i'm knackerd"
    word = low[after] if after < claim.end else ","
    ends = not word[0].isalnum() or word in grammar.conjunctions or word in grammar.stops
    if ends and (claim.subject is None or not claim.subject.names):
        name(scene, claim)
    return ends


def _introduces(scene: Scene, at: int, after: int) -> bool:
    """Whether one says who one is: "hi, i'm corvin", "i'm corvin, 34"."""
    low, years = scene.tokens.low, scene.grammar.years
    introduced = not _INTRODUCTIONS.isdisjoint(low[max(0, at - _NEAR) : at])
    if introduced and (scene.grammar.code != "en" or not low[at].endswith(_OF_QUALITIES)):
        return True
    if after + 1 >= len(low) or low[after] not in (",", "(") or not low[after + 1].isdigit():
        return False
    unit = low[after + 2] if after + 2 < len(low) else "."
    return not unit[0].isalnum() or unit in years  # "i'm preggo, 34 weeks"


def _kind(scene: Scene, subject: Who, begin: int, end: int, *, articled: bool) -> str | None:
    if articled and scene.objects.is_occupation(begin, end):
        return "works_as"
    if scene.objects.is_condition(begin, end):
        sign = articled and scene.tokens.raw[begin:end] == ["Cancer"]
        return "is_a" if sign else "has_condition"
    if scene.objects.is_role(begin, end):
        return _role(scene, subject, begin, end, articled=articled)
    if articled and scene.tokens.low[begin - 1] in _ARTICLES and scene.objects.acts_as(begin, end):
        return "works_as"
    return None


def _role(scene: Scene, subject: Who, begin: int, end: int, *, articled: bool) -> str | None:
    if subject is None and not scene.grammar.breeds.isdisjoint(scene.tokens.low[begin:end]):
        return None  # "sono un cane in cucina"
    if subject is None and scene.tokens.low[begin - 1] == "sono" and scene.tokens.low[end - 1].endswith("i"):
        return None  # "sono separati": they are
    return "is_a" if articled or end == begin + 1 else None
