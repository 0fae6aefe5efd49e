"""Tokens of a message with their offsets, without the parts that are not the writer's own words."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.document import Document
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


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of one message: parallel lists, so that reading is a matter of indices.

    Attributes:
        source: the message as it came.
        raw: the words as written; low: the same in lower case; starts, ends: offsets into `source`.
    """

    source: str
    raw: list[str]
    low: list[str]
    starts: list[int]
    ends: list[int]


def tokenise(document: Document, language: str) -> Tokens:
    """Return the tokens of a text without code, addresses and quoted speech; `low` has standard spelling.

    What other people say in a pasted conversation ("Anna: I live in Rome") is left out.
    """
    own = own_words(document)
    if ":" in own:
        own = _TURN.sub(_own_turn, own)
    spellings = _SPELLINGS.get(language, {})
    low: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in CLITIC.get(language, CLITIC["it"]).finditer(own):
        word, start, end = match[0].lower(), match.start(), match.end()
        if word in _HAVING and low and low[-1] == "c'":
            start = starts.pop()  # "c'ho" is one word
            del low[-1], ends[-1]
        for length, meaning in spellings.get(word) or ((end - start, word),):
            low.append(meaning)
            starts.append(start)
            start += length
            ends.append(start)
    raw = [own[start:end] for start, end in zip(starts, ends, strict=True)]
    return Tokens(document.text, raw, low, starts, ends)


def own_words(document: Document) -> str:
    """Return a text with quotations and code blanked out, offsets kept."""
    text = document.text
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
