"""Removes quoted code, addresses, file names, tags and other markup from a message."""

import re
from typing import Final

from ricordo.language.text import normalise

# What is cut out ends a phrase, so that the words on both sides of it do not meet. No quantifier gives back.
_CUT = re.compile(
    r"```.*?(?:```|\Z)"
    r"|`[^`\n]{1,400}+`"
    r"|(?<![\w/])(?:[a-z][a-z0-9+.-]{1,15}+://|www\.)[^\s<>\"']++"
    r"|(?<![\w.+-])[\w.+-]{1,64}+@[\w-]{1,64}+(?:\.[\w-]{1,64}+)++"
    r"|(?<![\w.-])[\w-]{1,64}+\.(?:py|js|ts|json|ya?ml|toml|md|txt|csv|html?|css|pdf|docx?|xlsx?|png|jpe?g|gif|zip|sh|sql|log|java|rs|go|cpp|exe)\b"
    r"|&(?:[a-z]{2,8}|#\d{1,6});",
    re.DOTALL | re.IGNORECASE,
)
_LINK = re.compile(r"!?\[([^\[\]]{1,200}+)\]\([^()\s]{1,400}+\)")
_INLINE_TAG = re.compile(
    r"</?(?:b|i|u|s|em|strong|span|code|a|mark|small|font)(?:\s[^<>]{0,200}+)?>", re.IGNORECASE
)
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}+>")
_MARKS = re.compile(
    r"(?<!\w)\*{1,3}|\*{1,3}(?!\w)|~~|(?<!\w)_{1,3}(?=\w)|(?<=\w)_{1,3}(?!\w)"
    r"|^[ \t]*+(?:#{1,6}(?=\s)|>+|[-+•](?=\s))|[#@](?=\w)",
    re.MULTILINE,
)


MOST_READ: Final = 6_000  # characters: what a longer text is about, it says by then


def visible(text: str) -> str:
    """Return the first 6,000 characters of `text`, in normal form C and without markup."""
    return in_words(normalise(text[:MOST_READ]))


def in_words(text: str) -> str:
    """Return `text` without markup; what is no sentence at all (code, an address) leaves a full stop."""
    linked = _LINK.sub(r"\1", text)
    return _MARKS.sub("", _TAG.sub(" ", _INLINE_TAG.sub("", _CUT.sub(" . ", linked))))
