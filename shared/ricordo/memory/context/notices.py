"""What a context says of itself: that nothing was found, that something could not be asked, where more is."""

from collections.abc import Iterator
from typing import Final

from ricordo.language.text import excerpt
from ricordo.memory.context.lexicon import counted, phrase
from ricordo.memory.context.lines import is_blank, quoted
from ricordo.memory.context.material import Material
from ricordo.memory.context.page import CLOSING, OPENING

ABOUT_LENGTH: Final = 80
_SIGNS: Final = {"nothing": "∅", "degraded": "?", "omitted": "…"}
"""What is left to say with one token."""


def notices(material: Material, language: str) -> Iterator[list[str]]:
    """Yield what has to be said, the most needed first: each as lines to choose from, the longest first."""
    if material.degraded:
        missing = ", ".join(sorted(material.degraded))
        yield [phrase(language, "degraded", missing=missing), phrase(language, "degraded_short")]
    if material.found_nothing:
        about = _about("nothing_about", material, language)
        yield [*about, phrase(language, "nothing"), phrase(language, "nothing_short")]
    elif material.uncertain:
        yield [*_about("uncertain", material, language), phrase(language, "uncertain_short")]
    if material.archived_matches > 0:
        name = "archive_instead" if material.found_nothing else "archive_more"
        count = material.archived_matches
        yield [counted(language, name, count), phrase(language, "archive_short", count=count)]
    if material.minor > 0:
        yield [counted(language, "minor", material.minor)]


def _about(name: str, material: Material, language: str) -> Iterator[str]:
    about = material.subject or material.about
    if not is_blank(about):
        yield quoted(phrase(language, name, about=excerpt(about[: 2 * ABOUT_LENGTH], ABOUT_LENGTH)))


def least(material: Material, language: str) -> Iterator[str]:
    """Yield what can be said with next to no budget, the longest first: in the end a sign of one token.

    All but the last two stand in a tag, so that they are known for an echo too.
    """
    name = "degraded" if material.degraded else "nothing" if material.found_nothing else "omitted"
    word = phrase(language, f"{name}_word")
    yield f"{OPENING}{phrase(language, f'{name}_short')}{CLOSING}"
    yield f"<recalled {word}/>"
    yield word
    yield _SIGNS[name]
