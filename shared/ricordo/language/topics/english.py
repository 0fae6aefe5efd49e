"""Which English words are nouns where they stand."""

from ricordo.language.lemmas import noun
from ricordo.language.topics.tagged_text import Tag, TaggedText
from ricordo.language.topics.word_classes import WordClass, is_person


def tag(sentence: TaggedText, at: int) -> Tag:
    """Tag a word that is no name."""
    return Tag.NOUN if _is_noun(sentence, at) else Tag.NONE


def _is_noun(sentence: TaggedText, at: int) -> bool:
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
    return found is WordClass.EITHER and (sentence.determined(at) or not _acts(sentence, at))


def _is_lone_predicate(sentence: TaggedText, at: int) -> bool:
    """Say whether a word right behind "is" is an adjective that no list knows, as far as that can be told."""
    word = sentence.words[at]
    return noun(word, "en") == word and not sentence.may_be_noun(at + 1)


def _acts(sentence: TaggedText, at: int) -> bool:
    """Say whether a word that can be a noun or a verb is a verb here."""
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
    """Say whether an object stands behind a word, or nothing: "the insurance covers the damage"."""
    behind = at + 1
    if behind == len(sentence) or sentence.begins(behind):
        return True
    return sentence.words[behind] in sentence.lists.objects
