"""Which English words are nouns where they stand."""

from ricordo.domain.lemmas import noun
from ricordo.domain.topics.sentence import Sentence, Tag
from ricordo.domain.topics.word_classes import Word, around, lists


def tag(sentence: Sentence, at: int, *, determined: bool) -> Tag:
    """Tag a word that is no name.

    Args:
        sentence: the word and its neighbours.
        at: its place.
        determined: whether an article or the like leads up to it.
    """
    return Tag.NOUN if _is_noun(sentence, at, determined=determined) else Tag.NONE


def _is_noun(sentence: Sentence, at: int, *, determined: bool) -> bool:
    found, before = sentence.classes[at], sentence.word(at - 1)
    if noun(sentence.words[at], "en") in lists("en").persons and sentence.leads_to_person(at):
        return False
    if found is Word.NOUN:
        return determined or before not in lists("en").copulas or not _is_lone_predicate(sentence, at)
    if found is Word.VERB:
        # "a publishing house"
        return determined and sentence.words[at].endswith("ing") and sentence.may_be_noun(at + 1)
    if found is Word.GERUND:
        acts = before in lists("en").copulas or before in around("before_verbs")
        return determined or not (acts or sentence.word(at + 1) in around("objects"))
    return found is Word.EITHER and (determined or not _acts(sentence, at))


def _is_lone_predicate(sentence: Sentence, at: int) -> bool:
    """Say whether a word right behind "is" is an adjective that no list knows, as far as that can be told."""
    word = sentence.words[at]
    return noun(word, "en") == word and not sentence.may_be_noun(at + 1)


def _acts(sentence: Sentence, at: int) -> bool:
    """Say whether a word that can be a noun or a verb is a verb here."""
    before = sentence.word(at - 1)
    if before == "to":
        return sentence.word(at - 2) not in around("motions")
    if before in around("before_verbs"):
        return True
    if sentence.begins[at]:
        return sentence.word(at + 1) in around("objects")
    return _agrees(sentence, at)


def _agrees(sentence: Sentence, at: int) -> bool:
    """Say whether a word is the verb of the one before it: "my sister works", "the panels save us money"."""
    word, before = sentence.words[at], sentence.word(at - 1)
    third_person, many = noun(word, "en") != word, noun(before, "en") != before
    acting = before in sentence.people or noun(before, "en") in lists("en").persons
    if acting and before == sentence.found[at - 1].token.folded:
        return third_person != many
    has_object = sentence.word(at + 1) in around("objects") or sentence.may_be_noun(at + 1)
    return many and not third_person and has_object and sentence.found[at - 1].tag is Tag.NOUN
