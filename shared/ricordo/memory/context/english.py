"""English around the words of a fact: genitives and articles."""

import re
from typing import Final

from ricordo.language.facts.english.nouns import INSTRUMENTS
from ricordo.language.facts.english.people import KIN
from ricordo.memory.context.lexicon import word_lists
from ricordo.memory.facts import USER

_VOWELS = frozenset("aeiou")
_COUNTED: Final = re.compile(
    r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|some|many|several|few|no|my|an?|the)\b",
    re.IGNORECASE,
)
_PLURAL: Final = re.compile(r"(?:children|people|(?:\w*[^\Wsui])s)(?:\W|$)")


def words_around(subject: str, value: str) -> dict[str, str]:
    """Return what a phrase may say of a fact's subject and object, by placeholder."""
    if subject == USER:
        who, whose = "you", "your"
    else:
        who = f"your {subject}" if subject.islower() and subject in KIN else subject
        whose = f"{who}'s"
    takes_the = value.casefold().replace(" ", "_") in word_lists("en")["the"]
    return {
        "who": who,
        "whose": whose,
        "what": value,
        "a_what": _with_indefinite(value),
        "the_what": f"the {value}",
        "the_place": f"the {value}" if takes_the else value,
    }


def shape(value: str) -> str:
    """Say what an object is: `names`, `instruments`, or nothing in particular."""
    if value[:1].isupper():
        return "names"
    return "instruments" if value.casefold() in INSTRUMENTS else ""


def _with_indefinite(value: str) -> str:
    """Return a noun behind its article, which a plural, or one with a number before it, does not take."""
    noun = value.partition(" of ")[0].rpartition(" ")[2]
    if _COUNTED.match(value) or _PLURAL.match(noun):
        return value
    return f"{'an' if value[:1].casefold() in _VOWELS else 'a'} {value}"
