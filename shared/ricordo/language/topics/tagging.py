"""Tags the nouns and names of a text by the words themselves and by the words around them."""

import re
from collections.abc import Collection, Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Final

from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.document import Document
from ricordo.language.lemmas import noun
from ricordo.language.name_lists import load_names
from ricordo.language.tokenization import Token
from ricordo.language.topics.tagged_text import Tag, TaggedText
from ricordo.language.topics.word_classes import Lists, WordClass, is_person, lists, word_class


def in_idioms(document: Document) -> frozenset[int]:
    """Return the places of the words that belong to an idiom, by their index."""
    text, tokens, language = document.text, document.words, document.language
    cues = _idioms(language) if language in LANGUAGES else {}
    spoken = cues.keys() & {token.folded for token in tokens}
    if not spoken:
        return frozenset()
    spans = list(_spans(text, {pattern for word in spoken for pattern in cues[word]}))
    return frozenset(
        at for at, token in enumerate(tokens) if any(start <= token.start < end for start, end in spans)
    )


def _spans(text: str, patterns: Collection[re.Pattern[str]]) -> Iterator[tuple[int, int]]:
    low = text.lower().replace("\u2019", "'")
    if len(low) == len(text):  # one letter is longer when it is small
        for pattern in patterns:
            yield from (match.span() for match in pattern.finditer(low))


@lru_cache(maxsize=len(LANGUAGES))
def _idioms(language: str) -> dict[str, tuple[re.Pattern[str], ...]]:
    """Return the patterns of `idioms.toml` by the words that they need, read once."""
    table: list[tuple[str, str]] = read_table("idioms", language)["patterns"]
    found: dict[str, tuple[re.Pattern[str], ...]] = {}
    for cues, pattern in table:
        compiled = re.compile(pattern)
        for word in cues.split():
            found[word] = (*found.get(word, ()), compiled)
    return found


# Tuples and names of their own: members of an enumeration are slow to hash and to look up.
_NOTHING: Final = WordClass.NOTHING
_SELDOM: Final = (WordClass.QUALITY, WordClass.VAGUE)


def tagged(
    document: Document,
    named: AbstractSet[int],
    people: AbstractSet[str],
    *,
    idle: AbstractSet[int] = frozenset(),
) -> TaggedText:
    """Return the words of a text with their tags."""
    tokens, language = document.words, document.language
    sentence = TaggedText(document, people, lists(language if language in LANGUAGES else ""))
    tag = {"it": _tag_italian, "en": _tag_english}.get(language, _tag_by_class)
    for at, what in enumerate(sentence.classes):
        if what is _NOTHING and at not in named:
            continue
        word = sentence.words[at]
        if at in idle or (word in people and not _is_thing(tokens[at])):
            continue
        if at in named and not is_plain(word):
            sentence.tags[at] = Tag.NAME
        elif what in _SELDOM or what is _NOTHING:
            if sentence.is_nominal(at):
                sentence.tags[at] = Tag.NOUN
        elif not (sentence.hyphened and sentence.is_put_together(at)):
            sentence.tags[at] = tag(sentence, at)
    return sentence


def _is_thing(token: Token) -> bool:
    """Return whether a word that is a name as well is written small: the "bill" that Bill sent."""
    return token.folded in load_names().also_words and token.written.islower()


def _tag_by_class(sentence: TaggedText, at: int) -> Tag:
    """Tag by class and article alone, in a language without rules of its own."""
    found = sentence.classes[at]
    is_noun = found is WordClass.NOUN or (found is WordClass.EITHER and sentence.determined(at))
    return Tag.NOUN if is_noun else Tag.NONE


def _tag_english(sentence: TaggedText, at: int) -> Tag:
    return Tag.NOUN if _is_english_noun(sentence, at) else Tag.NONE


@lru_cache(maxsize=16_384)
def is_plain(word: str) -> bool:
    """Say whether the capital of a case-folded word tells nothing: of a weekday, an "I", a title's "The"."""
    classes = {word_class(word, language) for language in LANGUAGES}
    listed = any(word in lists(language).plain for language in LANGUAGES)
    return len(word) > 1 and (listed or not classes.isdisjoint({WordClass.VAGUE, WordClass.NOTHING}))


_REACH: Final = 3  # words back to an auxiliary: "ho già quasi finito"


def _tag_italian(sentence: TaggedText, at: int) -> Tag:
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
    return Tag.NOUN if found is WordClass.NOUN or not _is_italian_verb(sentence, at) else Tag.NONE


def _is_led(sentence: TaggedText, at: int) -> bool:
    """Say whether a word goes with the vague noun before it, or an article stands behind it as behind a verb.

    "A tempo indeterminato"; "tosta il riso".
    """
    qualifies = at > 0 and sentence.joined(at) and sentence.classes[at - 1] is WordClass.VAGUE
    return qualifies or (sentence.word(at + 1) in sentence.lists.articles and sentence.joined(at + 1))


def _is_italian_verb(sentence: TaggedText, at: int) -> bool:
    """Return whether a word that can be a noun or a verb, and that nothing determines, is a verb here."""
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
    """Return whether a word says how something is, or is a participle: behind "è", "ho", "sono già"."""
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


def _is_english_noun(sentence: TaggedText, at: int) -> bool:
    found, word, known = sentence.classes[at], sentence.words[at], sentence.lists
    before = sentence.words[at - 1] if at else ""
    if is_person(word, "en") and sentence.leads_to_person(at):
        return False
    if found is WordClass.NOUN:
        named = before not in known.copulas or sentence.determined(at)
        return named or not _is_lone_predicate(sentence, at)
    if found is WordClass.VERB:
        # "a publishing house"
        return word.endswith("ing") and sentence.may_be_noun(at + 1) and sentence.determined(at)
    if found is WordClass.GERUND:
        acts = before in known.copulas or before in known.before_verbs
        return sentence.determined(at) or not (acts or sentence.word(at + 1) in known.objects)
    return found is WordClass.EITHER and (sentence.determined(at) or not _is_english_verb(sentence, at))


def _is_lone_predicate(sentence: TaggedText, at: int) -> bool:
    """Say whether a word right behind "is" is an adjective that no list knows, as far as that can be told."""
    word = sentence.words[at]
    return noun(word, "en") == word and not sentence.may_be_noun(at + 1)


def _is_english_verb(sentence: TaggedText, at: int) -> bool:
    """Return whether a word that can be a noun or a verb is a verb here."""
    before, known = sentence.word(at - 1), sentence.lists
    if before == "to":
        return sentence.word(at - 2) not in known.motions
    if before in known.before_verbs:
        return True
    if sentence.begins(at):
        return sentence.word(at + 1) in known.objects
    return _agrees(sentence, at)


def _agrees(sentence: TaggedText, at: int) -> bool:
    """Say whether a word is the verb of the one before it: "my sister works", "the panels save us money"."""
    word, before = sentence.words[at], sentence.word(at - 1)
    third_person, many = noun(word, "en") != word, noun(before, "en") != before
    acting = before in sentence.people or is_person(before, "en")
    if acting and not sentence.possesses(at - 1):
        return third_person != many
    if sentence.tags[at - 1] is not Tag.NOUN:
        return False
    if third_person:
        return not many and sentence.opens_clause(at - 1) and _is_followed_as_verb(sentence, at)
    if not many:
        return False
    return sentence.word(at + 1) in sentence.lists.objects or sentence.may_be_noun(at + 1)


def _is_followed_as_verb(sentence: TaggedText, at: int) -> bool:
    """Return whether an object stands behind a word, or nothing: "the insurance covers the damage"."""
    behind = at + 1
    if behind == len(sentence) or sentence.begins(behind):
        return True
    return sentence.words[behind] in sentence.lists.objects
