"""Tokens of a message with their offsets, without the parts that are not the writer's own words."""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.name_lists import is_known_given
from ricordo.language.text import with_straight_apostrophes
from ricordo.language.tokenization import CLITIC

_Pieces = tuple[tuple[int, str], ...]
"""The tokens that a written word stands for: how many of its characters each takes, and the word it means."""


def _cut(text: str) -> Mapping[str, _Pieces]:
    """Read `written=a|b:meaning meaning` items: where the written word is cut, and what its parts mean."""
    found: dict[str, _Pieces] = {}
    for item in text.split():
        parts, _, meaning = item.partition("=")
        pieces = parts.split("|")
        meant = meaning.split("+") if meaning else pieces
        found["".join(pieces)] = tuple((len(p), m) for p, m in zip(pieces, meant, strict=True))
    return found


_TABLES: Final = {language: read_table("fact_spellings", language) for language in LANGUAGES}
_SPELLINGS: Final = {language: _cut(table["spellings"]) for language, table in _TABLES.items()}
_HAVING: Final = frozenset(word for table in _TABLES.values() for word in table["having"].split())
_SAME_LENGTH: Final = str.maketrans(
    {"’": "'", "‘": "'", "`": " ", "´": "'", "\u00a0": " ", "“": '"', "”": '"', "«": '"', "»": '"'}
)

_NOT_OWN: Final = re.compile(
    r"```.*?(?:```|\Z)"  # code
    r"|https?://\S+|www\.\S+|[^\s@]{1,64}@[^\s@]{1,255}\.\w+"  # addresses, as long as they may be
    r"|^[ \t]*>[^\n]*"  # the lines of a mail that answers another
    r"|<recalled\b.*?(?:</recalled>|\Z)",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_QUOTED: Final = re.compile(r'"([^"\n]{1,400})"|(?<![\w\'])\'([^\'\n]{12,400})\'(?!\w)')
_SPOKEN_WORDS: Final = 4
"""From so many quoted words on, a quotation is somebody's speech; shorter ones are titles and names."""

_OF_ONESELF: Final = re.compile(
    r"\s*(?:i|i'm|i've|my|we|we're|call\s+me|io|noi|mi|ci|sono|siamo|ho|abbiamo|vivo|abito|lavoro|amo|odio|adoro)\s+\S",
    re.IGNORECASE,
)
"""What speaks of itself between quotation marks is a title or somebody else's speech, however short."""

_TURN: Final = re.compile(r"^[ \t]*([^\W\d_]\w{1,20}(?: [^\W\d_]\w{1,20})?):[ \t]+(\S[^\n]*)", re.MULTILINE)
"""A turn of a conversation: who speaks, and what they say."""


class Tokens(NamedTuple):
    """The words of a text in lower case, and their offsets in it: parallel lists, read by index."""

    text: str
    low: list[str]
    starts: list[int]
    ends: list[int]

    def is_capital(self, at: int) -> bool:
        """Whether a word is written with a capital."""
        return self.text[self.starts[at]].isupper()


def tokenise(own: str, language: str) -> Tokens:
    """Return the tokens of what `own_words` leaves of a text, in standard spelling.

    What other people say in a pasted conversation ("Anna: I live in Rome") is left out.
    """
    if ":" in own:
        own = _TURN.sub(_own_turn, own)
    spellings = _SPELLINGS.get(language, {})
    found = Tokens(own, [], [], [])
    for match in CLITIC.get(language, CLITIC["it"]).finditer(own):
        word, start, end = match[0].lower(), match.start(), match.end()
        if word in _HAVING and found.low and found.low[-1] == "c'":
            start = found.starts.pop()  # "c'ho" is one word
            del found.low[-1], found.ends[-1]
        for length, meaning in spellings.get(word) or ((end - start, word),):
            found.low.append(meaning)
            found.starts.append(start)
            start += length
            found.ends.append(start)
    return found


def own_words(text: str) -> str:
    """Return a text with quotations and code blanked out, offsets kept."""
    if "```" in text or "http" in text or "www." in text or "@" in text or ">" in text:
        text = _NOT_OWN.sub(_blank, text)
    text = with_straight_apostrophes(text).translate(_SAME_LENGTH)
    if '"' in text or "'" in text:
        text = _QUOTED.sub(_unquote, text)
    return text


def _own_turn(match: re.Match[str]) -> str:
    known = is_known_given(match[1].split()[0].casefold()) and match[2]
    return _blank(match) if known else match[0]


def _blank(match: re.Match[str]) -> str:
    return "\n" + " " * (len(match.group()) - 1)


def _unquote(match: re.Match[str]) -> str:
    inner = match.group(1) or match.group(2)
    if len(inner.split()) >= _SPOKEN_WORDS or _OF_ONESELF.match(inner):
        return '"' + " " * len(inner) + '"'
    return " " + inner + " "
