"""Signs of a prompt that are no words: templates of chats, text that a page hides, letters in a code."""

# ruff: noqa: E501 - a pattern broken into short lines is harder to read

import base64
import binascii
import html
import re
from collections.abc import Iterator
from typing import Final

_MARKERS: Final = re.compile(
    r"\[/?inst\]|<</?sys>>|<\|[a-z_]{2,24}\|>|</?(?:start|end)_of_turn>|</?tool_(?:call|result|use)s?>|</?function_calls?>"
    r"|(?<!\w)<(?:assistant|system)>|</(?:assistant|system)>"
    r"|<system(?:[-_ ]?(?:prompt|message|instructions))>"
    r"|#{2,6} {0,3}(?:system|assistant|instruction|human|developer)(?: {1,3}(?:prompt|message))? {0,3}:"
    r"|\[ {0,2}(?:system|developer|assistant|admin)(?: {1,3}(?:message|note|prompt|override|update|instruction|command)){0,2} {0,2}(?:\]|:)"
    r"|\b(?:begin|start|end)(?: {1,3}of)?(?: {1,3}the)?(?: {1,3}new)? {1,3}(?:system|developer|hidden) {1,3}(?:prompt|message|instructions)\b"
    r"|\b(?:system|admin|administrator|developer|priority|root) {1,3}(?:override|overrule)\b"
    r"|\b(?:messaggio|nota|ordine|comando|avviso|istruzione) {1,3}(?:di|del|dal) {1,3}sistema {0,3}:"
    r"|\b(?:system|developer)(?: {1,3}(?:message|note|override|instruction|command|notice|directive))? {0,3}: {0,3}[^.!?]{0,40}?\b(?:obey|ignore|override|you {1,3}must|you {1,3}are {1,3}now|access {1,3}granted|new {1,3}(?:instructions|directive))\b"
)
_SIGNS: Final = ("[", "<", "#", "system", "admin", "developer", "priority", "root", "sistema")
_LINK: Final = re.compile(
    r"!?\[[^\[\]]{0,120}\]\([^()\s]{1,300}?[?&=/][^()\s]{0,100}?(?:\{[^{}\s]{0,60}\}|\[[^\[\]\s]{0,60}\]|<[^<>\s]{0,60}>|%7b)"
)
_HIDDEN: Final = re.compile(
    r"<!--(?P<comment>.{1,600}?)-->"
    r"|\[//\]: {0,2}# {0,2}[(\"'](?P<note>.{1,600}?)[)\"'](?=\s|$)"
    r"|<(?:span|div|p|font|td)\b[^<>]{0,200}?(?:display: {0,2}none|visibility: {0,2}hidden|font-size: {0,2}0|opacity: {0,2}0\b|color: {0,2}(?:white|#fff))[^<>]{0,200}>(?P<styled>.{1,600}?)(?:</|$)",
    re.DOTALL,
)
_SPOKEN_TO: Final = re.compile(
    r"\b(?:assistants?|ai|llm|language model|chatbot|(?:the|l') ?(?:user|utente)|you (?:must|are|should)|assistente|modello|devi|dovete|all'utente)\b"
)
_CODED: Final = re.compile(
    r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{24,4000}+={0,2}+(?![A-Za-z0-9+/=])"
    r"|(?<![0-9A-Za-z%])(?:%[0-9A-Fa-f]{2}|[\w.,'-]){12,4000}+"
    r"|(?:&#x?[0-9A-Fa-f]{1,6};?[ \w.,'-]{0,40}){8,1000}+"
)
_BASE64: Final = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}")
_PERCENT: Final = re.compile(rb"%([0-9A-Fa-f]{2})")
_HEX: Final = re.compile(r"(?:[0-9A-Fa-f]{2}){12,}")
_READABLE: Final = 0.9
"""The share of letters and spaces of what is taken for a decoded text."""


def marks(folded: str) -> Iterator[tuple[int, int]]:
    """Yield where an unmasked text holds a sign of a prompt, or hides words that speak to its reader."""
    if not any(sign in folded for sign in _SIGNS):
        return
    plain = folded.replace("\n", " ")
    for match in _MARKERS.finditer(plain):
        yield match.span()
    if "](" in plain:
        for match in _LINK.finditer(plain):
            yield match.span()
    if "<!--" in plain or "[//]" in plain or "style" in plain or "<font" in plain:
        for match in _HIDDEN.finditer(plain):
            if _SPOKEN_TO.search(match[match.lastgroup or 0]):
                yield match.span()


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
