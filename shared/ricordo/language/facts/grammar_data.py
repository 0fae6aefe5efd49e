"""Loads the grammars from the data files `fact_*.toml`, and selects that of a text."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

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
    rules, kin = _rules(language), _kin(people)
    lists = {**nouns, **people, **words}
    fields: dict[str, Any] = {name: _set(value) for name, value in lists.items() if name != "kin"}
    fields |= {name: words[name] for name in ("infinitive", "drops_subjects", "repeats_prepositions")}
    fields |= {name: _pairs(words[name]) for name in ("third_pronouns", "others_possessives")}
    fields |= {name: re.compile(words[name]) for name in ("manner", "orders")}
    fields |= {name: tuple(nouns[name].split()) for name in ("occupation_endings", "role_endings")}
    fields["naming"] = compile_phrases(((Rule("name", ObjectReader.NAME), people["naming"]),), {})
    fields["lexicon"] = {reader: fields[name] for reader, name in _NOUNS.items()}
    fields["roles"] |= fields["breeds"]
    fields["numbers"] = _pairs(nouns["numbers"])
    fields["in_youth"] = frozenset(tuple(phrase.split()) for phrase in words["in_youth"])
    fields["clause_starts"] |= fields["user_pronouns"]
    fields["clause_starts"] |= {word for word in rules["phrases"].words if not word.isupper()}
    return Grammar(code=language, kin=kin, **rules, **fields)


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
    if stated is not None and not stated.signs.isdisjoint(words):
        return stated
    signs = {
        code: sum(word in grammar.signs or word.rstrip("'") in grammar.signs for word in words)
        for code, grammar in grammars.items()
    }
    likeliest = max(signs, key=lambda code: signs[code])
    if stated is None:
        return grammars[likeliest] if signs[likeliest] else None
    return grammars[likeliest] if not signs[stated.code] and signs[likeliest] >= _OVERRULED else stated
