"""The grammars: built from the data files `fact_*.toml`, and chosen for a text."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, cast

from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.document import Document
from ricordo.language.facts.fact_grammar import Gender, Grammar, Kin
from ricordo.language.facts.phrase_trees import Node, ObjectReader, Rule, compile_phrases, parse_rules

_NOUNS: Final = {
    ObjectReader.LANGUAGE: "languages",
    ObjectReader.CONDITION: "conditions",
    ObjectReader.POSSESSION: "ownables",
    ObjectReader.INSTRUMENT: "instruments",
    ObjectReader.SUBJECT_OF_STUDY: "fields",
}


@lru_cache(maxsize=len(LANGUAGES))
def load_grammar(language: str) -> Grammar:
    """Return the grammar of a language of `LANGUAGES`, built once."""
    nouns, people, words = (read_table(f"fact_{name}", language) for name in ("nouns", "people", "words"))
    rules = _rules(language)
    phrases = cast("Node", rules["phrases"])
    fields: dict[str, Any] = {key: _set(value) for key, value in words.items()} | {
        "third_pronouns": _pairs(words["third_pronouns"]),
        "others_possessives": _pairs(words["others_possessives"]),
        "in_youth": frozenset(tuple(phrase.split()) for phrase in words["in_youth"]),
        "clause_starts": {word for word in phrases.words if not word.isupper()}
        | _set(words["clause_starts"])
        | _set(words["user_pronouns"]),
        "manner": re.compile(words["manner"]),
        "orders": re.compile(words["orders"]),
        "infinitive": words["infinitive"],
        "drops_subjects": words["drops_subjects"],
        "repeats_prepositions": words["repeats_prepositions"],
    }
    return Grammar(
        code=language,
        kin=_kin(people),
        kin_adjectives=_set(people["kin_adjectives"]),
        naming=compile_phrases(((Rule("name", ObjectReader.NAME), people["naming"]),), {}),
        companions=_set(people["companions"]),
        meeting_places=_set(people["meeting_places"]),
        lexicon={reader: _set(nouns[key]) for reader, key in _NOUNS.items()},
        occupations=_set(nouns["occupations"]),
        occupation_endings=tuple(nouns["occupation_endings"].split()),
        roles=_set(nouns["roles"]) | _set(nouns["breeds"]),
        role_endings=tuple(nouns["role_endings"].split()),
        breeds=_set(nouns["breeds"]),
        organisations=_set(nouns["organisations"]),
        areas=_set(nouns["areas"]),
        months=_set(nouns["months"]),
        numbers=_pairs(nouns["numbers"]),
        **rules,
        **fields,
    )


def _rules(language: str) -> dict[str, Any]:
    table = read_table("fact_rules", language)
    macros = {name: tuple(words) for name, words in table["macros"].items()}

    def compiled(text: str) -> Node:
        return compile_phrases(parse_rules(text), macros)

    return {
        "phrases": compiled(table["circumstances"] + table["pursuits"]),
        "after": {predicate: compiled(text) for predicate, text in table["after"].items()},
        **{name: compiled(table[name]) for name in ("attributes", "belongings", "couples", "reminders")},
    }


def _kin(people: Mapping[str, Any]) -> dict[str, Kin]:
    found = {word: Kin("partner", word, over=True) for word in people["former"].split()}
    groups: Iterable[tuple[str, Gender, str]] = people["kin"]
    for predicate, gender, group in groups:
        for item in group.split():
            forms, _, noun = item.partition("=")
            singular, *plurals = forms.split("/")
            noun = noun or singular.removeprefix("-")
            if not singular.startswith("-"):
                found[singular] = Kin(predicate, noun, gender)
            found |= {plural: Kin(predicate, noun, gender, plural=True) for plural in plurals}
    return found


def _set(words: object) -> frozenset[str]:
    """Return words that a text or a list holds; of anything else none."""
    return frozenset(words.split() if isinstance(words, str) else words if isinstance(words, list) else ())


def _pairs(text: str) -> dict[str, Any]:
    return dict(pair.split("=") for pair in text.split())


_WORDS: Final = re.compile(r"\w+'?")
_SAMPLE: Final = 2_000  # characters that are looked at
_OVERRULED: Final = 3  # signs of another language that outweigh a stated one of which there is none


def recognise(document: Document, grammars: Mapping[str, Grammar]) -> Grammar | None:
    """Return the grammar of a text, or None when it is in a language that has none.

    The stated language is believed unless nothing in the text speaks for it and much for the other one.
    """
    stated = grammars.get(document.language.lower()[:2])
    if document.language and stated is None:
        return None
    words = _WORDS.findall(document.text[:_SAMPLE].replace("’", "'").lower())
    signs = {
        code: sum(word in grammar.signs or word.rstrip("'") in grammar.signs for word in words)
        for code, grammar in grammars.items()
    }
    likeliest = max(signs, key=lambda code: signs[code])
    if stated is None:
        return grammars[likeliest] if signs[likeliest] else None
    return grammars[likeliest] if not signs[stated.code] and signs[likeliest] >= _OVERRULED else stated
