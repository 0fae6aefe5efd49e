"""Completes a question that leans on the one before it: "and where does he work?", "e Marco?"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ricordo.language.data_files import LANGUAGES, read_patterns
from ricordo.language.text import collapse

_LAST_WORD: Final = re.compile(r"\w+(?=\W*$)")
_LONGEST: Final = 15  # words of a question that leans on another
_READ: Final = 400  # characters that are read of a question
_SHORT: Final = 3  # words of a name, where no question mark tells that it is asked for
_NAMED: Final = 5  # words of whom or what a question may name that asks nothing of its own


@dataclass(frozen=True, slots=True)
class EarlierQuestion:
    """What was asked before in a conversation.

    Attributes:
        text: as it was completed.
        about: whom or what it names, as it writes them.
        told: the words that answered it; empty where nothing did.
    """

    text: str
    about: Sequence[str] = ()
    told: str = ""


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A question in full.

    Attributes:
        kept: the same without words of any message, which may be kept longer than that.
        instead: whom or what it asks about in place of what the earlier one named; empty for the same.
        of_another_time: whether it asks for what was before or came after what has been told.
    """

    text: str
    kept: str
    instead: str = ""
    of_another_time: bool = False


def leans(question: str) -> bool:
    """Whether a question may lean on the one before, in any language; a long one says all of it."""
    asked = collapse(question[:_READ]).casefold()
    return len(asked.split()) <= _LONGEST and any(
        each.search(asked)
        for patterns in map(_patterns, LANGUAGES)
        for each in (patterns["opening"], patterns["correcting"], patterns["pronoun"], patterns["bare"])
    )


def completed(question: str, earlier: EarlierQuestion, language: str, *, named: bool = False) -> FollowUp:
    """Return a question that leans on an earlier one in words that say all of it.

    Who says only another name asks the same of it; what asks something else asks it of whom the earlier
    question named, and else of what answered that.

    Args:
        named: whether the question itself names somebody, of whom it then asks.
    """
    if language not in LANGUAGES:
        return FollowUp(question, question)
    patterns, asked = _patterns(language), collapse(question)
    low = asked.casefold()
    correcting, opening = patterns["correcting"].match(low), patterns["opening"].match(low)
    begun = correcting or opening
    rest = asked[begun.end() :] if begun else asked
    if earlier.text and rest and patterns["bare"].match(rest.casefold()):
        another = patterns["another_time"].search(rest.casefold()) is not None
        text = f"{earlier.text.rstrip('? ')}, {rest}"
        return FollowUp(text, text, of_another_time=another)
    # "And I love pizza" asks nothing.
    words = len(rest.split())
    names = 0 < words <= (_NAMED if correcting or rest.endswith("?") else _SHORT)
    if earlier.text and begun and names and not patterns["asks"].search(rest.casefold()):
        instead = patterns["another"].sub("", rest).rstrip("?!. ")
        text = _asked_of(earlier, instead, patterns["named"])
        return FollowUp(text, text, instead)
    is_asked = asked.endswith("?") or patterns["asks"].search(low) is not None
    if is_asked and not named and (begun or patterns["pronoun"].search(low)):
        short = [earlier.told] if 0 < len(earlier.told.split()) <= _NAMED else []
        meant = dict.fromkeys((*earlier.about, *short))
        kept = f"{rest.rstrip()} ({', '.join(earlier.about)})" if earlier.about else question
        return FollowUp(f"{rest.rstrip()} ({', '.join(meant)})" if meant else question, kept)
    return FollowUp(question, question)


def _asked_of(earlier: EarlierQuestion, other: str, named: re.Pattern[str]) -> str:
    """Return the earlier question about somebody or something else: in place of what it names last."""
    mentions = [re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE) for name in earlier.about]
    patterns = (*mentions, named, _LAST_WORD)
    found = [match for pattern in patterns for match in [*pattern.finditer(earlier.text)][-1:]]
    if not found:
        return f"{earlier.text.rstrip('? ')}: {other}"
    return f"{earlier.text[: found[0].start()]}{other}{earlier.text[found[0].end() :]}"


def _patterns(language: str) -> dict[str, re.Pattern[str]]:
    return read_patterns("follow_ups", language)
