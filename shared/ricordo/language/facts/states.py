"""How somebody is, or where, said with a word that could be a name: "I'm Home", "sono Felice"."""

from typing import Final

from ricordo.language.facts.acquaintance import GIVEN
from ricordo.language.lemmas import is_known
from ricordo.language.names import load_names
from ricordo.language.topics.word_classes import WordClass, word_class

_STATES: Final = frozenset(
    """
    felice libero sereno fortunato gentile modesto bella sazio sazia single incinta casa sveglia sveglio
    sola brillo sobrio sorpreso commosso commossa stufa celiaco celiaca diabetica allergica offeso offesa
    assente online offline ok apposto carica carico qua rich merry home outside inside toast legend human
    mom mum dad family diabetic asthmatic allergic livid sober evil heartbroken beat hungover sunburnt
    barefoot hangry skint poorly mediocre fluent bilingual mute
    """.split()
)
"""What somebody is or where, of which some are names too: "I'm Home", "sono Felice"."""

_SHORT_NAME: Final = 4
_NO_NAMES: Final = frozenset({WordClass.QUALITY, WordClass.VERB, WordClass.GERUND, WordClass.VAGUE})
_MAYBE_NOUNS: Final = frozenset({WordClass.NOUN, WordClass.EITHER})
_PARTICIPLES: Final = {"en": ("ed", "ing"), "it": tuple(f"{a}t{o}" for a in "aiu" for o in "oaie")}


def is_state(words: list[str], language: str) -> bool:
    """Say whether what stands after "I'm" tells how somebody is, for all its capital: "I'm Tired".

    Args:
        words: what would be the name, in lower case.
        language: ISO 639-1.
    """
    first = words[0]
    if first in load_names().listed or first in GIVEN:
        return len(words) == 1 and first in _STATES
    if first in _STATES or word_class(first, language) in _NO_NAMES:
        return True
    if not is_known(first, language):
        return False
    if word_class(first, language) not in _MAYBE_NOUNS:
        return True  # "outside"
    return len(first) > _SHORT_NAME and first.endswith(_PARTICIPLES[language])
