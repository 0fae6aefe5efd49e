"""Writes a fact as a sentence to the user."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from typing import Any, Final, cast

from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.facts.fact_words import load_words
from ricordo.language.facts.vocabulary import USER
from ricordo.language.lemmas import article_of, with_article
from ricordo.language.text import collapse
from ricordo.memory.context.formatting import escape_lines
from ricordo.memory.context.syntax import FALLBACK, load_phrases, phrase, phrase_table, word_lists
from ricordo.memory.facts.fact_model import Fact

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_END: Final = frozenset(".!?…")
VOWELS: Final = frozenset("aeiouàèéìòù")
# Of the family, a single one takes no article: "tua sorella".
_FAMILY: Final = frozenset({"has_sibling", "has_parent", "has_child", "related_to"})


def fact_sentence(fact: Fact, language: str, zone: tzinfo = UTC) -> str:
    """Write a fact as a sentence, "You live in Turin, since March 2026."; months are those of `zone`."""
    subject, value = collapse(fact.subject), collapse(fact.object)
    writer = _writer(language if language in load_phrases() else FALLBACK)
    template = _template(language, subject, fact.predicate, writer.shape(value))
    words = writer.words(subject, value)
    # All at once: a brace in what a user said is no placeholder.
    said = _PLACEHOLDER.sub(lambda match: words[match[1]], template)
    sentence = ", ".join((said[:1].upper() + said[1:], *_remarks(fact, language, zone)))
    return escape_lines(sentence if sentence[-1:] in _END else f"{sentence}.")


def _remarks(fact: Fact, language: str, zone: tzinfo) -> list[str]:
    remarks = []
    if fact.valid_to is not None:
        remarks.append(_month("until", fact.valid_to.astimezone(zone), language))
    elif fact.valid_from is not None:
        since, first_seen_at = fact.valid_from.astimezone(zone), fact.first_seen.astimezone(zone)
        # Without a stated beginning, a fact is known since its first message.
        if since.date() != first_seen_at.date():
            remarks.append(_month("since", since, language))
    return [*remarks, phrase(language, "disputed")] if fact.disputed else remarks


def _template(language: str, subject: str, predicate: str, shape: str) -> str:
    every = phrase_table(language)
    about = "of_user" if subject == USER else "of_others"
    shaped = cast("dict[str, str]", every.get(f"{about}_{shape}", {}))
    return shaped.get(predicate) or cast("dict[str, str]", every[about])[predicate]


def _month(name: str, instant: datetime, language: str) -> str:
    month = phrase(language, "months").split()[instant.month - 1]
    to = "ad" if month.startswith("a") else "a"  # of Italian: fino ad aprile
    return phrase(language, name, month=month, year=instant.year, to=to)


class _FactWriter:
    def __init__(self, language: str) -> None:
        self._language = language
        self._phrases: Mapping[str, Any] = read_table("fact_phrases", language)
        self._lists = word_lists(language)
        self._words = load_words(language)

    def shape(self, value: str) -> str:
        """Classify an object: `names`, `instruments`, `verbs`, `one`, `many` or ""."""
        if value[:1].isupper():
            return "names"
        if value.casefold() in self._words.instruments:
            return "instruments"
        verb = re.match(self._phrases["infinitive"], value.casefold())
        if verb is not None and verb[0] not in self._lists.get("nouns_like_verbs", ()):
            return "verbs"
        number = self.number_of(value)
        return "" if number is None else "many" if number[1] else "one"

    def words(self, subject: str, value: str) -> dict[str, str]:
        """Return the values of the placeholders."""
        gender, plural = self.number_of(value) or ("f" if value.endswith("a") else "m", False)
        article = self._phrases["definite"].get(value.casefold()) or self._article(
            value, gender, plural=plural
        )
        return {
            **self._subject(subject),
            **self._place(value),
            "what": value,
            "the_what": self._joined("", article, value),
            "a_what": self._indefinite(gender, value),
        }

    def number_of(self, value: str) -> tuple[str, bool] | None:
        """Return the gender of a noun by its ending, and whether it is plural; None where ambiguous."""
        noun = re.split(r"\W", value.casefold(), maxsplit=1)[0]
        # Of several words of which the last ends in a consonant, the first is hardly a noun of the language.
        foreign = " " in value and value[-1:].isalpha() and value[-1:].casefold() not in VOWELS
        if not noun.isalpha() or foreign or noun in self._lists.get("numbers", ()):
            return None
        for name, ending, gender, number in self._phrases["nouns"]:
            if noun in self._lists.get(name, ()) or re.search(ending, noun):
                return (gender, number == "plural") if gender else None
        return None

    def _indefinite(self, gender: str, value: str) -> str:
        if re.search(self._phrases["uncounted"], value):
            return value
        rows = self._phrases["indefinite"]
        articles = (
            form for of, begin, form in rows if of in {"", gender} and re.match(begin, value.casefold())
        )
        return self._joined("", next(articles, ""), value)

    def _subject(self, subject: str) -> Mapping[str, str]:
        if subject == USER and self._phrases["user"]:
            return cast("Mapping[str, str]", self._phrases["user"])
        who, article = subject, ""
        kin = self._words.kin.get(subject) if subject.islower() else None
        if kin is not None:
            gender = kin.gender or "m"
            who = f"{self._phrases['your'][gender + '_plural' * kin.plural]} {subject}"
            bare = kin.predicate in _FAMILY or subject in self._phrases["bare_kin"].split()
            if self._phrases["kin_articles"] and (kin.plural or not bare):
                article = self._article("t", gender, plural=kin.plural)
        parts = {name: template.partition("{}") for name, template in self._phrases["subject"].items()}
        return {
            name: self._joined(before.strip(), article, who) + after
            for name, (before, _, after) in parts.items()
        }

    def _place(self, place: str) -> dict[str, str]:
        folded = place.casefold().replace(" ", "_")
        kinds = (
            row
            for row in self._phrases["places"]
            if (folded.partition("_")[0] if row[0] == "areas" else folded) in self._lists.get(row[0], ())
        )
        others = (
            before for begin, before in self._phrases["other_places"] if re.match(begin, place.casefold())
        )
        _, article, before, joins = next(kinds, ("", "", next(others, ""), True))
        if article in {"il", "la"} and place[:1].casefold() in VOWELS:
            article = "l'"
        return {
            "in_what": self._joined(before, article if joins else "", place),
            "from_what": self._joined(self._phrases["from"], article, place),
            "the_place": self._joined("", article, place),
        }

    def _article(self, noun: str, gender: str, *, plural: bool) -> str:
        return article_of(noun, gender, self._language, plural=plural)

    def _joined(self, preposition: str, article: str, noun: str) -> str:
        return with_article(preposition, article, noun, self._language)


def noun_number(noun: str, language: str) -> tuple[str, bool] | None:
    """Return the gender ("f" or "m") that a noun shows by its ending, and whether it is plural; else None."""
    return _writer(language).number_of(noun) if noun[-1:].casefold() in VOWELS else None


@lru_cache(maxsize=len(LANGUAGES))
def _writer(language: str) -> _FactWriter:
    return _FactWriter(language)
