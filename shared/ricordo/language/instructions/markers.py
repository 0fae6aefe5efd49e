"""Signs of a prompt that are no words: templates of chats, text that a page hides, letters in a code."""

import base64
import binascii
import html
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from ricordo.language.data_files import read_table

_CODED: Final = re.compile(
    r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{24,4000}+={0,2}+(?![A-Za-z0-9+/=])"
    r"|(?<![0-9A-Za-z%])(?:%[0-9A-Fa-f]{2}|[\w.,'-]){12,4000}+"
    r"|(?:&#x?[0-9A-Fa-f]{1,6};?[ \w.,'-]{0,40}){8,1000}+"
)
_BASE64: Final = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}")
_PERCENT: Final = re.compile(rb"%([0-9A-Fa-f]{2})")
_HEX: Final = re.compile(r"(?:[0-9A-Fa-f]{2}){12,}")
_READABLE: Final = 0.9  # the share of letters and spaces of what is taken for a decoded text


def marks(folded: str) -> Iterator[tuple[int, int]]:
    """Yield where an unmasked text holds a sign of a prompt, or hides words that speak to its reader."""
    known = _markers()
    if not known["needed"].search(folded):
        return
    plain = folded.replace("\n", " ")
    for pattern in (known["signs"], known["link"]):
        yield from (match.span() for match in pattern.finditer(plain))
    for match in known["hidden"].finditer(plain):
        if known["spoken_to"].search(match[match.lastgroup or 0]):
            yield match.span()


@lru_cache(maxsize=1)
def _markers() -> dict[str, re.Pattern[str]]:
    table = read_table("instruction_rules")["markers"]
    return {
        name: re.compile(each if isinstance(each, str) else "|".join(each)) for name, each in table.items()
    }


def decoded(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield what is written in Base64, in hexadecimal, percent signs or entities: where, and what it says."""
    for match in _CODED.finditer(text):
        said = _plain(match[0])
        if said and said != match[0]:
            yield *match.span(), said


def _plain(coded: str) -> str:
    if "&#" in coded:
        return html.unescape(coded)
    if "%" in coded:
        raw = _PERCENT.sub(lambda match: bytes.fromhex(match[1].decode()), coded.encode())
        return raw.decode("utf-8", "replace")
    raw = b""
    try:
        if _HEX.fullmatch(coded):
            raw = bytes.fromhex(coded)
        elif _BASE64.fullmatch(coded):
            raw = base64.b64decode(coded + "=" * (-len(coded) % 4), validate=True)
    except (binascii.Error, ValueError):
        return ""
    said = raw.decode("utf-8", "replace")
    readable = sum(one.isalpha() or one.isspace() for one in said)
    return said if said and readable >= _READABLE * len(said) else ""
