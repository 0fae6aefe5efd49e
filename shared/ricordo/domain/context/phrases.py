"""What a context says in its own words, in Italian or English."""

import re
import tomllib
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from importlib import resources
from typing import cast

from ricordo.domain.facts import USER, Fact
from ricordo.domain.memory import Memory
from ricordo.domain.text import collapse, escape_recalled
from ricordo.domain.working import SpokenTurn

FALLBACK = "en"
_PLACEHOLDER = re.compile(r"\{(who|what|a_what)\}")
_VOWELS = frozenset("aeiou")
# What begins one day and goes on: of the rest, a fact knows only when it was first said.
_LASTING = frozenset({"lives_in", "works_at"})


@lru_cache(maxsize=1)
def load_phrases() -> Mapping[str, Mapping[str, object]]:
    """Return the phrases of `lexicon/context.toml` by language, read once."""
    file = resources.files("ricordo.domain.lexicon").joinpath("context.toml")
    return cast("Mapping[str, Mapping[str, object]]", tomllib.loads(file.read_text("utf-8")))


def phrase(language: str, name: str, **values: object) -> str:
    """Return a phrase, filled in; English for a language without phrases."""
    phrases = load_phrases().get(language) or load_phrases()[FALLBACK]
    # Values are put in by replacement: a brace in what a user said is no placeholder.
    text = str(phrases[name])
    for key, value in values.items():
        text = text.replace(f"{{{key}}}", str(value))
    return text


def fact_line(fact: Fact, language: str) -> str:
    """Say a fact in a sentence, and how firmly: "The user lives in Turin since March 2026 (×4)"."""
    said = _sentence(fact, language)
    if fact.predicate in _LASTING and fact.valid_from is not None and fact.valid_to is None:
        said = f"{said} {_since(fact.valid_from, language)}"
    remarks = [f"×{fact.confidence}"]
    if fact.valid_to is not None:
        remarks.append(phrase(language, "until", date=fact.valid_to.date().isoformat()))
    if fact.disputed:
        remarks.append(phrase(language, "disputed"))
    return escape_recalled(f"- {collapse(said)} ({', '.join(remarks)})")


def _sentence(fact: Fact, language: str) -> str:
    phrases = load_phrases().get(language) or load_phrases()[FALLBACK]
    predicates = cast("Mapping[str, str]", phrases["predicates"])
    said = predicates.get(fact.predicate, f"{{who}} {fact.predicate.replace('_', ' ')} {{what}}")
    values = {
        "who": phrase(language, "the_user") if fact.subject == USER else fact.subject,
        "what": fact.object,
        "a_what": f"{'an' if fact.object[:1].casefold() in _VOWELS else 'a'} {fact.object}",
    }
    # All at once: a brace in what a user said is no placeholder.
    return _PLACEHOLDER.sub(lambda match: values[match[1]], said)


def _since(instant: datetime, language: str) -> str:
    month = phrase(language, "months").split()[instant.month - 1]
    return phrase(language, "since", month=month, year=instant.year)


def turn_line(turn: SpokenTurn, language: str) -> str:
    """Say a turn in a line: who said what."""
    who = collapse(turn.speaker) or phrase(language, turn.role)
    return escape_recalled(f"{who}: {turn.content.strip()}")


def memory_block(memory: Memory, told: str, language: str) -> str:
    """Say a memory: when, who, and what is told of it, inside its span."""
    who = collapse(memory.speaker) or phrase(language, memory.role.value)
    inner = escape_recalled(f"{memory.date.isoformat()}, {who}: {told.strip()}")
    return f'<recalled id="{memory.id}">{inner}</recalled>'
