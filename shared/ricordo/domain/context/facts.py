"""A fact as a sentence."""

import re
from datetime import datetime
from typing import Final, cast

from ricordo.domain.context import english, italian
from ricordo.domain.context.lexicon import phrase, phrases
from ricordo.domain.context.lines import safe
from ricordo.domain.facts import Fact
from ricordo.domain.text import collapse

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
# What begins one day and goes on: of the rest, a fact knows only when it was first said.
_LASTING: Final = frozenset({"lives_in", "works_at"})


def fact_line(fact: Fact, language: str) -> str:
    """Say a fact in a sentence, and how firmly: "The user lives in Turin (×4, since March 2026)"."""
    tongue = italian if language == "it" else english
    subject, value = collapse(fact.subject), collapse(fact.object)
    template = _template(language, fact.predicate, tongue.shape(value))
    words = tongue.words_around(subject, value)
    # All at once: a brace in what a user said is no placeholder.
    said = _PLACEHOLDER.sub(lambda match: words[match[1]], template)
    remarks = [f"×{fact.confidence}"]
    if fact.valid_to is not None:
        remarks.append(phrase(language, "until", date=fact.valid_to.date().isoformat()))
    elif fact.predicate in _LASTING and fact.valid_from is not None:
        remarks.append(_since(fact.valid_from, language))
    if fact.disputed:
        remarks.append(phrase(language, "disputed"))
    return safe(f"- {said} ({', '.join(remarks)})")


def _template(language: str, predicate: str, shape: str) -> str:
    every = phrases(language)
    for table in (shape, "predicates"):
        found = cast("dict[str, str]", every.get(table, {})).get(predicate)
        if found is not None:
            return found
    return f"{{who}} {predicate.replace('_', ' ')} {{what}}"


def _since(instant: datetime, language: str) -> str:
    month = phrase(language, "months").split()[instant.month - 1]
    return phrase(language, "since", month=month, year=instant.year)
