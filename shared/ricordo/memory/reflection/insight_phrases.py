"""How insights name things, feelings and times, in the words of `insights.toml`."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ricordo.language.data_files import languages_with, read_table
from ricordo.language.document import Document
from ricordo.language.lemmas import article_of, with_article
from ricordo.language.name_lists import is_proper_noun, starts_sentence
from ricordo.language.text import normalise, stop_words
from ricordo.language.topics import topic_key
from ricordo.memory.context.fact_sentences import VOWELS, noun_number

_LONGEST = 5  # words of a topic, those that say nothing included
_LONGEST_READ = 6_000


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A mention of a thing by the user.

    Attributes:
        form: as written, in lower case unless it is a name.
        before: the two words before it in its sentence, in lower case, the nearer one last; "" for none.
        is_name: whether it is capitalised where grammar does not require it.
    """

    form: str
    before: tuple[str, str] = ("", "")
    is_name: bool = False


def occurrences(key: str, texts: Iterable[str], language: str) -> Iterator[Occurrence]:
    """Yield the mentions in `texts` of the thing with that topic key."""
    for text in texts:
        document = Document(normalise(text)[:_LONGEST_READ], language)
        tokens = document.words
        for start, end in _spans(key, document):
            is_name = is_proper_noun(document.text, tokens[start])
            form = document.text[tokens[start].start : tokens[end - 1].end].removesuffix("'s")
            yield Occurrence(form if is_name else form.lower(), _before(document, start), is_name)


def _spans(key: str, document: Document) -> Iterator[tuple[int, int]]:
    text, language, tokens = document.text, document.language, document.words
    ignored = stop_words(language)
    wanted = len(key.split())
    longest = 1 if wanted == 1 else _LONGEST
    for start in range(len(tokens)):
        for end in range(start + wanted, min(start + longest, len(tokens)) + 1):
            if tokens[start].folded in ignored or tokens[end - 1].folded in ignored:
                continue
            if topic_key(text[tokens[start].start : tokens[end - 1].end], language) == key:
                yield start, end
                break


def _before(document: Document, start: int) -> tuple[str, str]:
    text, tokens = document.text, document.words
    found = ["", ""]
    for back in (1, 2):
        if start - back < 0 or starts_sentence(text, tokens[start - back + 1].start):
            break
        found[-back] = tokens[start - back].folded
    return found[0], found[1]


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """A person or thing as a sentence names it.

    Attributes:
        alone: as subject or object: "the exam", "l'esame".
        of: after the preposition "about": "the exam", "dell'esame".
    """

    alone: str
    of: str


class InsightPhrases:
    """The phrases of one language.

    Attributes:
        vague: nouns that are no topics, such as "day".
        feelings: a noun for each label of GoEmotions and for the two tones, as after "with".
        times: a time as at the end of a sentence.
        sentences: of each insight and its question, with `{who}`, `{what}`, `{of}`, `{feeling}`, `{Feeling}`,
            `{the_feeling}` and `{time}`.
        rider: the end of a sentence that also states a feeling.
    """

    def __init__(self, language: str) -> None:
        table: dict[str, Any] = read_table("insights", language)
        self._language = language
        self._articles, self._bare = (frozenset(table[name].split()) for name in ("articles", "bare"))
        self._possessives: Mapping[str, str] = table["possessives"]
        self._the_feelings: Mapping[str, str] = table["the_feelings"]
        self._quoted, self._of = table["quoted"], table["of"] or "{}"
        self._gendered: bool = table["gendered"]
        self.vague = frozenset(table["vague"].split())
        self.feelings: Mapping[str, str] = table["feelings"]
        self.times: Mapping[str, str] = table["times"]
        self.sentences: Mapping[str, str] = table["sentences"]
        self.rider: str = table["rider"]

    def the_feeling(self, label: str) -> str:
        """Return a feeling as the subject of a sentence."""
        return self._the_feelings.get(label) or self.feelings[label]

    def person(self, name: str) -> NounPhrase:
        """Name a person."""
        return NounPhrase(name, self._of.format(name))

    def quoted(self, topic: str) -> NounPhrase:
        """Name a thing as a quotation, where its article is not known."""
        return self.person(self._quoted.format(topic))

    def thing(self, found: Sequence[Occurrence]) -> NounPhrase | None:
        """Name a thing as the user mostly does, addressed to them: "my boss" becomes "your boss".

        None where they name none, or grammar does not tell its article.
        """
        if not found:
            return None
        form = _most([each.form for each in found])
        if 2 * sum(each.is_name for each in found) > len(found):
            return self.person(form)
        owned = [each for each in found if each.before[1] in self._possessives]
        if 2 * len(owned) >= len(found):
            return self._owned(form, owned)
        if form in self._bare or not (self._gendered or self._has_article(found)):
            return self.person(form)
        return self._with_article(form, form.split(maxsplit=1)[0])

    def _has_article(self, found: Sequence[Occurrence]) -> bool:
        words = self._articles | self._possessives.keys()
        return 2 * sum(not words.isdisjoint(each.before) for each in found) >= len(found)

    def _owned(self, form: str, owned: Sequence[Occurrence]) -> NounPhrase | None:
        yours = _most([self._possessives[each.before[1]] for each in owned])
        if 2 * sum(each.before[0] in self._articles for each in owned) < len(owned):
            return self.person(f"{yours} {form}")  # "tua madre"
        return self._with_article(f"{yours} {form}", yours)

    def _with_article(self, named: str, noun: str) -> NounPhrase | None:
        """Return a thing with its article, by the gender and number of a noun or of its possessive."""
        number = noun_number(noun, self._language)
        if number is None and self._gendered and named[:1] not in VOWELS:
            return None
        gender, plural = number or ("", False)
        article = article_of(named, gender, self._language, plural=plural)
        preposition = self._of.removesuffix("{}").strip()
        alone, of = (with_article(before, article, named, self._language) for before in ("", preposition))
        return NounPhrase(alone, of)


def _most(forms: Sequence[str]) -> str:
    counts = Counter(forms)
    return max(sorted(counts), key=counts.__getitem__)


INSIGHT_PHRASES: Final[Mapping[str, InsightPhrases]] = {
    language: InsightPhrases(language) for language in languages_with("insights")
}
"""By language."""
