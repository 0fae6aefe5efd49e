"""A fact as a sentence, said to the user in person."""

import re
from datetime import UTC, datetime, tzinfo
from typing import Final, cast

from ricordo.language.text import collapse
from ricordo.memory.context import english, italian
from ricordo.memory.context.lexicon import phrase, phrases
from ricordo.memory.context.lines import quoted
from ricordo.memory.facts import USER, Fact

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_END: Final = frozenset(".!?…")


def fact_sentence(fact: Fact, language: str, zone: tzinfo = UTC) -> str:
    """Say a fact in a sentence: "You live in Turin, since March 2026.", by the months of a zone."""
    tongue = italian if language == "it" else english
    subject, value = collapse(fact.subject), collapse(fact.object)
    template = _template(language, subject, fact.predicate, tongue.shape(value))
    words = tongue.words_around(subject, value)
    # All at once: a brace in what a user said is no placeholder.
    said = _PLACEHOLDER.sub(lambda match: words[match[1]], template)
    sentence = ", ".join((said[:1].upper() + said[1:], *_remarks(fact, language, zone)))
    return quoted(sentence if sentence[-1:] in _END else f"{sentence}.")


def _remarks(fact: Fact, language: str, zone: tzinfo) -> list[str]:
    remarks = []
    if fact.valid_to is not None:
        remarks.append(_month("until", fact.valid_to.astimezone(zone), language))
    elif fact.valid_from is not None:
        since, heard = fact.valid_from.astimezone(zone), fact.first_seen.astimezone(zone)
        # Where nobody has told since when it holds, it is known since it was first said.
        if since.date() != heard.date():
            remarks.append(_month("since", since, language))
    return [*remarks, phrase(language, "disputed")] if fact.disputed else remarks


def _template(language: str, subject: str, predicate: str, shape: str) -> str:
    every = phrases(language)
    about = "of_user" if subject == USER else "of_others"
    for table in (f"{about}_{shape}", about):
        found = cast("dict[str, str]", every.get(table, {})).get(predicate)
        if found is not None:
            return found
    return f"{{who}} {predicate.replace('_', ' ')} {{what}}"


def _month(name: str, instant: datetime, language: str) -> str:
    month = phrase(language, "months").split()[instant.month - 1]
    return phrase(language, name, month=month, year=instant.year)
