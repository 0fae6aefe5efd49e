"""How insights name things, feelings and times, in the words of `insights.toml`."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ricordo.language.data_files import languages_with, read_table
from ricordo.language.document import Document
from ricordo.language.lemmas import article_of, noun, with_article
from ricordo.language.name_lists import is_proper_noun, starts_sentence
from ricordo.language.text import normalise, stop_words
from ricordo.language.topics import topic_key
from ricordo.memory.context.fact_sentences import noun_gender

_LONGEST = 5  # words of a topic, those that say nothing included
_LONGEST_READ = 6_000
_VOWELS: Final = frozenset("aeiouàèéìòù")


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A mention of a thing by the user.

    Attributes:
        form: as written, in lower case unless it is a name.
        before: the two words before it in its sentence, in lower case, the nearer one last; "" for none.
        plural: whether it is plural.
        is_name: whether it is capitalised where grammar does not require it.
    """

    form: str
    before: tuple[str, str]
    plural: bool
    is_name: bool


def occurrences(key: str, texts: Iterable[str], language: str) -> Iterator[Occurrence]:
    """Yield the mentions in `texts` of the thing with that topic key."""
    for text in texts:
        yield from _in(key, Document(normalise(text)[:_LONGEST_READ], language))


def _in(key: str, document: Document) -> Iterator[Occurrence]:
    text, language, tokens = document.text, document.language, document.words
    head_first = INSIGHT_PHRASES[language].gendered
    for start, end in _spans(key, document):
        span = text[tokens[start].start : tokens[end - 1].end].removesuffix("'s")
        head = tokens[start if head_first else end - 1].folded.removesuffix("'s")
        is_name = is_proper_noun(text, tokens[start])
        form = span if is_name else span.lower()
        yield Occurrence(form, _before(document, start), noun(head, language) != head, is_name)


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
        gendered: whether nouns have a gender, and come before what qualifies them.
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
        self._words = {
            key: frozenset(value.split()) for key, value in table.items() if isinstance(value, str)
        }
        self._possessives: Mapping[str, str] = table["possessives"]
        self._the_feelings: Mapping[str, str] = table["the_feelings"]
        self._quoted, self._of = table["quoted"], table["of"] or "{}"
        self._plurals = [(re.compile(ending), form) for ending, form in table["plurals"]]
        self.gendered: bool = table["gendered"]
        self.vague = self._words["vague"]
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
        """Name a thing that the user never named so."""
        return self.person(self._quoted.format(topic))

    def thing(self, found: Sequence[Occurrence]) -> NounPhrase | None:
        """Name a thing as the user mostly does, addressed to them: "my boss" becomes "your boss".

        None where their words do not show how.
        """
        if not found:
            return None
        names = Counter(each.form for each in found if each.is_name)
        if 2 * names.total() > len(found):
            return self._named(max(sorted(names), key=names.__getitem__), found)
        return self._gendered_thing(found) if self.gendered else self.person(self._plain_thing(found))

    def _plain_thing(self, found: Sequence[Occurrence]) -> str:
        kinds = Counter(self._determiner(each) for each in found)
        form = _most([each.form for each in found if not each.plural] or [each.form for each in found])
        many = _most([each.form for each in found if each.plural])
        if 2 * kinds["own"] >= len(found):
            yours = _most([self._yours(each) for each in found if self._determiner(each) == "own"])
            return f"{yours} {_most([each.form for each in found if self._determiner(each) == 'own'])}"
        the = article_of(form, "", self._language)
        if 2 * sum(each.plural for each in found) > len(found):
            is_bare = kinds["definite"] <= kinds["bare"] + kinds["indefinite"]
            return many if is_bare else with_article("", the, many, self._language)
        if kinds["indefinite"] >= max(kinds["bare"], kinds["definite"]):
            return many or self._plural(form)
        return form if kinds["bare"] >= kinds["definite"] else with_article("", the, form, self._language)

    def _determiner(self, found: Occurrence) -> str:
        for word in reversed(found.before):
            if word in self._possessives:
                return "own"
            for kind in ("definite", "indefinite"):
                if word in self._words[kind]:
                    return kind
            if not word.isalpha():
                return "bare"
        return "bare"

    def _yours(self, found: Occurrence) -> str:
        return next(self._possessives[word] for word in reversed(found.before) if word in self._possessives)

    def _plural(self, form: str) -> str:
        return next(
            (ending.sub(many, form, count=1) for ending, many in self._plurals if ending.search(form)), form
        )

    def _gendered_thing(self, found: Sequence[Occurrence]) -> NounPhrase | None:
        plural = 2 * sum(self._is_plural(each) for each in found) > len(found)
        alike = [each for each in found if self._is_plural(each) is plural]
        form = _most([each.form for each in alike])
        owned = [each for each in alike if each.before[1] in self._possessives]
        if 2 * len(owned) >= len(alike):
            return self._owned(form, owned)
        gender = self._gender(form, alike)
        if form in self._words["bare"]:
            return NounPhrase(
                self._with_article(form, gender or "m", plural=plural).alone, self._of.format(form)
            )
        if not gender and not _is_elided(form, plural=plural):
            return None
        return self._with_article(form, gender, plural=plural)

    def _named(self, name: str, found: Sequence[Occurrence]) -> NounPhrase:
        """Return a name, with an article if it mostly has one: "la Juventus"."""
        articles = self._words["definite"] | self._words["elided"]
        behind = sum(each.before[1] in articles for each in found)
        gender = self._gender(name, found)
        has_article = self.gendered and 2 * behind >= len(found)
        if not has_article or not (gender or _is_elided(name.casefold(), plural=False)):
            return self.person(name)
        return self._with_article(name, gender)

    def _owned(self, form: str, owned: Sequence[Occurrence]) -> NounPhrase:
        yours = _most([self._possessives[each.before[1]] for each in owned])
        named = f"{yours} {form}"
        if 2 * sum(each.before[0] in self._words["definite"] for each in owned) < len(owned):
            return self.person(named)  # "tua madre"
        feminine, plural = yours in self._words["feminine_yours"], yours in self._words["plural_yours"]
        return self._with_article(named, "f" if feminine else "m", plural=plural)

    def _with_article(self, form: str, gender: str, *, plural: bool = False) -> NounPhrase:
        article = article_of(form, gender, self._language, plural=plural)
        preposition = self._of.removesuffix("{}").strip()
        alone, of = (with_article(before, article, form, self._language) for before in ("", preposition))
        return NounPhrase(alone, of)

    def _is_plural(self, found: Occurrence) -> bool:
        return (
            found.plural
            or found.before[1] in self._words["masculine_plural"] | self._words["feminine_plural"]
        )

    def _gender(self, form: str, found: Sequence[Occurrence]) -> str:
        """Return "f" or "m" by the words before it, else by the noun; "" if neither decides."""
        counts = Counter(self._gender_before(each.before[1]) for each in found)
        if counts["f"] != counts["m"]:
            return "f" if counts["f"] > counts["m"] else "m"
        return noun_gender(form.split(maxsplit=1)[0], self._language)

    def _gender_before(self, word: str) -> str:
        for gender, name in (("f", "feminine"), ("m", "masculine")):
            if word in self._words[name] or word in self._words[f"{name}_plural"]:
                return gender
        return ""


def _is_elided(form: str, *, plural: bool) -> bool:
    """Whether its article is the same for both genders."""
    return not plural and form[:1] in _VOWELS


def _most(forms: Sequence[str]) -> str:
    counts = Counter(forms)
    return max(sorted(counts), key=counts.__getitem__, default="")


INSIGHT_PHRASES: Final[Mapping[str, InsightPhrases]] = {
    language: InsightPhrases(language) for language in languages_with("insights")
}
"""By language."""
