"""English around the words of a fact: genitives and articles."""

from ricordo.domain.context.lexicon import word_lists
from ricordo.domain.facts import USER
from ricordo.domain.facts.extraction.english.nouns import INSTRUMENTS
from ricordo.domain.facts.extraction.english.people import KIN

_VOWELS = frozenset("aeiou")


def words_around(subject: str, value: str) -> dict[str, str]:
    """Return what a phrase may say of a fact's subject and object, by placeholder."""
    if subject == USER:
        who = "The user"
    else:
        named = f"the user's {subject}" if subject.islower() and subject in KIN else subject
        who = named[:1].upper() + named[1:]
    takes_the = value.casefold().replace(" ", "_") in word_lists("en")["the"]
    return {
        "who": who,
        "whose": f"{who}'s",
        "what": value,
        "a_what": f"{'an' if value[:1].casefold() in _VOWELS else 'a'} {value}",
        "the_what": f"the {value}",
        "the_place": f"the {value}" if takes_the else value,
    }


def shape(value: str) -> str:
    """Say what an object is: `of_names`, `of_instruments`, or nothing in particular."""
    if value[:1].isupper():
        return "of_names"
    return "of_instruments" if value.casefold() in INSTRUMENTS else ""
