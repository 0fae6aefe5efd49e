"""Matches the rules of `instruction_rules.toml`, patterns of concepts, against a row of signs."""

import base64
import binascii
import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Final

from ricordo.language.data_files import languages_with, read_table
from ricordo.language.instructions.concepts import (
    ADDRESS,
    COMMA,
    END,
    LINE,
    QUESTION,
    START,
    ConceptToken,
    bits,
    lexicon,
    possible_bits,
    row,
    tokens,
    words_of,
)

_CODED: Final = re.compile(
    r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{24,4000}+={0,2}+(?![A-Za-z0-9+/=])"
    r"|(?<![0-9A-Za-z%])(?:%[0-9A-Fa-f]{2}|[\w.,'-]){12,4000}+"
    r"|(?:&#x?[0-9A-Fa-f]{1,6};?[ \w.,'-]{0,40}){8,1000}+"
)
_SHORTEST: Final = 24  # characters of what is written in Base64 or in hexadecimal
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
    if "%" not in text and "&#" not in text and max(map(len, text.split()), default=0) < _SHORTEST:
        return
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


_ENDS: Final = END + QUESTION
_STRUCTURE: Final = {"end": _ENDS, "comma": COMMA, "start": START, "line": LINE, "address": ADDRESS}
_MARKS: Final = frozenset("".join(_STRUCTURE.values()))
_FIXED: Final = {
    "^": ("start|end|comma|line|conj|order|henceforth|polite", "soft", "{0,3}"),
    "-of": (
        "(?!",
        "of",
        "(?!",
        "this",
        "{0,1}",
        "your|user|model|bot|maker|ownmaker|prompt|you|address",
        "))",
    ),
    ">break": ("(?=", "end|comma|line|conj", "|$)"),
    "-style": (f"(?![^{re.escape(_ENDS)}]{{0,3}}", "style", ")"),
}
"""Items with a meaning of their own: pieces of an expression, and concepts between them."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """A pattern over the signs of words; of each of `needed`, bits of signs, it cannot match without one."""

    pattern: re.Pattern[str]
    needed: tuple[int, ...]
    refused: frozenset[str]


def orders(folded: str) -> Iterator[tuple[int, int]]:
    """Yield where in an unmasked text a rule matches, `[begin, end)`."""
    words, read = words_of(folded), list[ConceptToken]()
    for language in languages_with("instruction_words"):
        possible = possible_bits(words, language)
        rules = [
            rule
            for rarest, some in _rules(language)
            if possible & rarest
            for rule in some
            if all(map(possible.__and__, rule.needed))
        ]
        if not rules:
            continue  # as in nearly all texts
        read = read or tokens(folded)
        signs, places = row(read, language)
        for rule in rules:
            for begin, end in _matches(rule, signs):
                # The mark in front of an order, with which a match may begin, belongs to what is before.
                first = begin + (places[begin] < 0 or bool(read[places[begin]].sign))
                last = places[end] - 1 if end < len(places) else len(read) - 1
                yield read[places[first]].begin, read[last].end


def _matches(rule: _Rule, signs: str) -> Iterator[tuple[int, int]]:
    read_to, refused = 0, False
    for match in rule.pattern.finditer(signs):
        if match.end() > read_to:  # each sentence once, however much of it matches
            begin = max(signs.rfind(one, 0, match.start() + 1) for one in _ENDS) + 1
            ends = [at for one in _ENDS if (at := signs.find(one, match.end())) >= 0]
            read_to = min(ends, default=len(signs))
            refused = not rule.refused.isdisjoint(signs[begin:read_to])
        if not refused:
            yield match.span()


@lru_cache(maxsize=16)
def _rules(language: str) -> list[tuple[int, list[_Rule]]]:
    """Return the rules, together where they share the rarest concept that they need, behind its bits."""
    found: dict[int, list[_Rule]] = {}
    for written in chain.from_iterable(read_table("instruction_rules")["rules"].values()):
        rule = _rule(written, language)
        found.setdefault(min(rule.needed, key=int.bit_count), []).append(rule)
    return list(found.items())


def _rule(written: str, language: str) -> _Rule:
    pattern, _, refused = written.partition(" | ")
    items = pattern.split()
    needed = [_signs(item, language) for item in items if item[0].isalpha() and not item.endswith("?")]
    concepts = [each for each in needed if _MARKS.isdisjoint(each)]
    return _Rule(
        re.compile("".join(_expression(item, language) for item in items)),
        tuple(map(bits, concepts)),
        frozenset("".join(_signs(name, language) for name in refused.split())),
    )


def _signs(names: str, language: str) -> str:
    known = lexicon(language).signs
    return "".join(_STRUCTURE.get(name) or known.get(name, "") for name in names.removesuffix("?").split("|"))


def _expression(item: str, language: str) -> str:
    if item in _FIXED:
        return "".join(part if part[0] in "({)|" else _expression(part, language) for part in _FIXED[item])
    if item.startswith((".", "~")):
        shut, most = _ENDS + (_signs("me", language) if item[0] == "~" else ""), item.lstrip(".~")
        return f"[^{re.escape(shut)}]{{0,{most}}}?"
    signs = _signs(item, language)
    return (f"[{re.escape(signs)}]" if signs else "(?!)") + ("?" if item.endswith("?") else "")
