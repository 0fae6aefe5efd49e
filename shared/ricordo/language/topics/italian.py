"""Which Italian words are nouns where they stand."""

from typing import Final

from ricordo.language.lemmas import noun
from ricordo.language.topics.tagged_text import Tag, TaggedText
from ricordo.language.topics.word_classes import Lists, WordClass

_REACH: Final = 3  # words back to an auxiliary: "ho già quasi finito"


def tag(sentence: TaggedText, at: int) -> Tag:
    """Tag a word that is no name."""
    found, before = sentence.classes[at], sentence.word(at - 1)
    if found is not WordClass.NOUN and found is not WordClass.EITHER:
        return Tag.NONE
    if sentence.determined(at):
        return Tag.NONE if _is_object_of(sentence.words[at], before, sentence.lists) else Tag.NOUN
    if (
        before in sentence.people
        or before in sentence.lists.subjects
        or _is_predicate(sentence, at)
        or _is_led(sentence, at)
    ):
        return Tag.NONE
    if at and sentence.joined(at) and sentence.tags[at - 1] in (Tag.NOUN, Tag.RELATED):
        return Tag.RELATED
    return Tag.NOUN if found is WordClass.NOUN or not _acts(sentence, at) else Tag.NONE


def _is_led(sentence: TaggedText, at: int) -> bool:
    """Say whether a word goes with the vague noun before it, or an article stands behind it as behind a verb.

    "A tempo indeterminato"; "tosta il riso".
    """
    qualifies = at > 0 and sentence.joined(at) and sentence.classes[at - 1] is WordClass.VAGUE
    return qualifies or (sentence.word(at + 1) in sentence.lists.articles and sentence.joined(at + 1))


def _acts(sentence: TaggedText, at: int) -> bool:
    """Say whether a word that can be a noun or a verb, and that nothing determines, is a verb here."""
    before, word = sentence.word(at - 1), sentence.words[at]
    if before in sentence.lists.prepositions:
        return False
    nouns = sentence.lists.noun_forms
    if word not in nouns and noun(word, "it") not in nouns:
        return True
    behind = at + 1
    opens = sentence.begins(at) and behind < len(sentence.words) and sentence.joined(behind)
    # "schermo distrutto"
    if opens and (
        sentence.classes[behind] is WordClass.QUALITY
        or sentence.lists.participle.search(sentence.words[behind])
    ):
        return False
    return opens or before in sentence.lists.before_verbs


def _is_predicate(sentence: TaggedText, at: int) -> bool:
    """Say whether a word says how something is, or is a participle: behind "è", "ho", "sono già"."""
    verb = _verb_before(sentence, at)
    if verb in sentence.lists.copulas:
        return True
    return (
        verb in sentence.lists.auxiliaries
        and sentence.lists.participle.search(sentence.words[at]) is not None
    )


def _verb_before(sentence: TaggedText, at: int) -> str:
    """Return the auxiliary or copula before a word, only adverbs between; nothing where there is none."""
    known = sentence.lists
    for back in range(at - 1, max(-1, at - 1 - _REACH), -1):
        word = sentence.words[back]
        if not sentence.joined(back + 1):
            return ""
        if word in known.auxiliaries or word in known.copulas:
            return word
        if sentence.classes[back] is not WordClass.NOTHING:
            return ""
        if word in known.determiners or word in known.prepositions:
            return ""
    return ""


def _is_object_of(word: str, before: str, known: Lists) -> bool:
    """Say whether what looks like an article is the object of a verb: "la porto", "li chiamo", "lo vedo"."""
    if before in {"la", "le"}:
        return word.endswith("o") and word not in known.feminine_in_o
    if before == "lo":
        return known.takes_lo.match(word) is None
    return before == "li" or (before == "gli" and known.takes_lo.match(word) is None)
