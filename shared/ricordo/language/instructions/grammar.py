"""How concepts join to an order to a model: kinds of injection, each in a few patterns over signs of words.

A pattern is a row of items, separated by spaces. Behind ` | ` stand concepts that must not occur in the same
sentence: with "me" in it, most of them are what people ask of a bot.

- `name`, `one|other`: a word that stands for the concept, or for one of several; with `?` it may be absent;
- `..3`: at most three words of the same sentence; `~3`: the same, none of them "I", "me" or "my";
- `^`: where an order begins: at the start of a clause, behind "please", "you must" or "from now on". What
  somebody was told, does, or tells of is none;
- `-of`: not followed by whose it is, unless the model's or the user's ("the rules of the club");
- `>break`: followed by the end of the clause;
- `-style`: not followed within three words by a language, a length or a form, for which people may well ask.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Final

from ricordo.language.instructions.reading import (
    ADDRESS,
    COMMA,
    END,
    LANGUAGES,
    LINE,
    QUESTION,
    START,
    lexicon,
)

_STOPS: Final = re.escape(END + QUESTION)
_STRUCTURE: Final = {"end": END + QUESTION, "comma": COMMA, "start": START, "line": LINE, "address": ADDRESS}
_BEGINNING: Final = "start|end|comma|line|conj|order|henceforth|polite"
_OWN: Final = "your|user|model|bot|maker|ownmaker|prompt|you|address"


_COMMON: Final = frozenset(
    "all always answer as be begin comma end following given in insert me must neg note of only order prior"
    " put reveal send tell that these this to told treat what when with without you your".split()
)
"""Concepts that many a text holds: not by them is a rule looked up."""


_FIXED: Final = {
    "^": (_BEGINNING, "soft", "{0,3}"),
    "-of": ("(?!", "of", "(?!", "this", "{0,1}", _OWN, "))"),
    ">break": ("(?=", "end|comma|line|conj", "|$)"),
    "-style": (f"(?![^{_STOPS}]{{0,3}}", "style", ")"),
}
"""Items with a meaning of their own: pieces of an expression, and concepts between them."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern, ready to be looked for.

    Attributes:
        pattern: over the signs of words.
        needed: for each item that must be there, the signs of which one must occur; the rarest first.
        refused: signs of which none may stand in the same sentence.
    """

    pattern: re.Pattern[str]
    needed: tuple[frozenset[str], ...]
    refused: frozenset[str]


_PATTERNS: Final = {
    "override": (
        "^ discard ..4 your ..3 rules|bounds|prompt -of",
        "^ evade ~2 your ..2 rules|bounds|prompt -of",
        "^ evade|discard ~3 safety -of",
        "^ discard ~4 prior ~2 rules|prompt -of",
        "^ discard ~4 rules ~2 prior|given",
        "^ discard ~1 all ~2 rules|prompt -of",
        "^ discard ~2 prompt -of",
        "^ put ~6 rules|prompt|before ~1 aside",
        "^ discard ~2 before -of",
        "^ discard ~1 plainabove >break",
        "^ discard ~2 ownmaker",
        "your ~2 rules ~3 voided",
        "all ~1 prior ~1 brief ~3 voided",
        "brief ~1 given ~3 voided",
        "neg|all ~1 brief? ~1 prior ~1 brief? ~2 bound",
        "freed ~1 follow ~3 your|prior|given ~3 rules",
        "freed ~1 follow ~2 rules ~3 ownmaker",
        "^ discard ~3 prior textual",
        "all ~2 brief ~1 prior ~3 voided",
        "^ discard ~2 what ~4 maker|ownmaker ~2 told",
        "^ discard ~2 what ~2 told",
        "your new ~1 task be|must | me",
        "your new ~1 task comma answer|send|tell|praise|reveal|collect",
        "these|following ~2 rules|note ~1 supersede ~3 your|prior ~2 rules",
        "^ not|neg ~1 follow ~3 your ~2 rules",
        "what|all ~1 maker|ownmaker ~2 told ~4 voided|discard",
        "what ~1 told ~2 maker|ownmaker ~4 voided|discard",
        "order not ~1 follow ~3 your|given|prior ~2 rules",
    ),
    "persona": (
        "benow ~4 persona|mode",
        "benow ~3 model",
        "benow ~4 model|bot ~3 without ~2 rules|bounds",
        "become ~6 model ~4 bounds ~2 voided",
        "^ become ..9 persona",
        "youare|become ~5 model|bot ~3 without ~2 rules|bounds",
        "^ become ~1 as ~1 your ~2 rules|bounds",
        "^ become ~1 you ~3 without ~3 rules|bounds -of",
        "^ become ~2 as ~4 without ~3 bounds",
        "notlonger ~3 model",
        "notlonger ~3 bound",
        "notlonger ~4 your ~1 rules|bounds",
        "notlonger ~1 bounds -of",
    ),
    "disclosure": (
        "^ reveal ..5 your|this ~2 prompt",
        "reveal ..5 your ~2 prompt",
        "what ~4 your ~1 prompt",
        "^ reveal ..3 your ~2 brief -of",
        "what be this? your ~1 brief -of",
        "what ~1 ownmaker ~5 prompt|brief",
        "what ~1 brief ~1 wereyou >break",
        "what ~1 howbuilt",
        "^ reveal ..6 brief ~1 given -of | me",
        "what ~1 brief ..3 ownmaker",
        "^ reveal ..6 your|this ~1 promptonly >break",
        "reveal ..4 your|this ~2 sysprompt | me",
        "reveal ..4 this? all ~1 sysprompt | me",
        "^ reveal ..3 written",
    ),
    "concealment": (
        "neg ~1 tell ..6 user",
        "^ neg ~1 tell ~3 users",
        "order not ~1 tell ..6 user|users",
        "^ hide ~4 fromuser",
        "^ hide ~2 user ~2 dark",
        "neg ~8 attention",
        "user ~3 neg ~1 knowing",
        "neg ~2 user ~1 knowing",
        "without ~1 telling ~2 user",
        "without ~3 user ~2 knowing",
        "neg ~1 tell ~1 these ~1 brief|prompt",
        "^ neg ~1 tell ~1 that? ~1 youwere | me",
        "^ neg ~1 tell ~2 you ~4 brief|prompt|model | me",
        "^ neg ~1 tell ~2 these ~1 note ~3 replies|user | me",
    ),
    "addressing the user": ("^ address_user ~1 user that", "^ ask ~1 user ~4 secret|sensitive"),
    "trigger": (
        "when ~2 user ~1 asks ..14 ^ answer|address_user|praise|mention|reveal|send|insert|tell|ask | me",
        "whenasked ..12 ^ answer|praise|mention|insert | me",
        "when ~1 asked ..12 ^ answer|praise|mention|insert | me",
        "when ~1 answering ~2 this|user|question|note ..10 ^ always|insert|praise|mention|answer | me",
    ),
    "steering": (
        "henceforth ~3 answer ~1 that",
        "henceforth ~2 always ~1 answer -style | me",
        "henceforth ~2 answer ~1 only|always -style | me",
        "henceforth order ~1 answer | me",
        "henceforth ~3 answer ..8 user",
        "^ answer ~1 only ~1 with -style | me",
        "^ answer with ~1 only -style | me",
        "^ answer ~1 all ~2 question ~3 with -style | me",
        "^ begin|insert|praise|mention ..8 in ~1 all ~1 your? replies | me",
        "^ begin ~1 all ~1 your? replies | me",
        "neg ~2 replies otherthan | me",
        "whateverq ..6 answer|praise|mention | me",
        "henceforth ~2 answer ..6 whateverq | me",
        "henceforth ~2 always ~1 answer ..6 whateverq | me",
        "henceforth ~6 praise | me",
        "in all ~1 your? replies ..8 insert|praise|mention|answer | me",
        "all ~1 your ~1 replies ~1 must",
        "your ~1 replies ~1 must ~1 always | me",
        "^ strictly ~1 answer with -style | me",
        "order ~1 always ~1 praise | me",
        "henceforth ~2 always ~1 praise | me",
        "^ always ~1 praise | me",
        "^ praise ~1 always | me",
        "^ treat ~2 user ~2 asfact",
        "^ treat ~2 note ~2 asfact | me",
    ),
    "memory": (
        "^ recall ~8 user",
        "^ remember ..3 order ~2 always ~1 answer|praise|insert|send|run|reveal|discard | me",
        "^ remember|recall ..3 order ~2 praise | me",
        "^ remember ..4 always ~1 praise|insert|send | me",
        "^ remember ~3 rules ~4 memory | me",
        "^ remember|recall ..6 memory ..6 user|users",
    ),
    "exfiltration": (
        "^ send|reveal|insert|collect ..4 known ..6 address|place | me",
        "^ send|insert|collect ~4 user poss? ~3 secret|talk",
        "^ send|insert|collect ~4 secret|talk of? ~1 user",
        "^ collect ~3 sensitive | me",
        "order ~1 reveal ~3 sensitive | me",
        "^ send ~4 dialogue ~4 address | me",
        "^ insert|send ~4 talk|sensitive ~4 in ~2 place | me",
    ),
    "tools": (
        "^ run ~2 following ~2 tool | me purpose",
        "^ run ~1 tool ~1 following | me purpose",
        "^ run ~3 danger | me purpose",
        "^ run|use ~4 tool ..10 user|known | me",
    ),
    "authority": (
        "ownmaker ~2 says ~2 order|you|that ~2 reveal|discard|evade|answer|praise|tell|treat|send",
        "maker|ownmaker ~4 says ~2 discard|evade ~3 safety|rules -of",
        "maker ~4 says ~2 order ~2 reveal|discard|evade|answer|praise|treat|tell",
        "as|be ~1 ownmaker ..4 order",
        "ownmaker ~2 says ..8 order ~2 reveal|discard|evade|answer|praise|tell|treat|send",
        "maker|ownmaker ~4 says ~2 you|order ~3 reveal|send ~3 sensitive|prompt",
        "these be? ~2 note of ~1 ownmaker",
    ),
    "addressing a model": (
        "ifyouare ~3 model",
        "notefor to? ~2 model >break",
        "model|bot ~2 reading ~1 these",
        "model ~2 reading comma",
        "these? all ~1 model|bot ~5 must ~1 praise|answer|tell|insert|discard|reveal | me",
        "dear ~1 model ..3 ^ praise|treat|reveal|send|discard|evade|tell|address_user | me",
        "model ~1 must ~1 discard|evade|praise",
    ),
}


@lru_cache(maxsize=len(LANGUAGES))
def _by_sign(language: str) -> Mapping[str, tuple[Rule, ...]]:
    """Return for each sign the rules whose rarest item it may stand for."""
    found: dict[str, list[Rule]] = {}
    for written in chain.from_iterable(_PATTERNS.values()):
        rule = _rule(written, language)
        for sign in rule.needed[0]:
            found.setdefault(sign, []).append(rule)
    return {sign: tuple(rules) for sign, rules in found.items()}


def candidates(signs: str, language: str) -> Iterator[Rule]:
    """Yield the rules of which each item occurs somewhere among the signs of a text, each once."""
    present, by_sign = frozenset(signs), _by_sign(language)
    tried: set[int] = set()
    for sign in sorted(present):
        for rule in by_sign.get(sign, ()):
            if id(rule) not in tried:
                tried.add(id(rule))
                if not any(present.isdisjoint(one) for one in rule.needed):
                    yield rule


def _rule(written: str, language: str) -> Rule:
    pattern, _, refused = written.partition(" | ")
    items = pattern.split()
    plain = [item for item in items if item[0].isalpha() and not item.endswith("?")]
    needed = [frozenset(_signs(item, language)) for item in sorted(plain, key=_commonness)]
    return Rule(
        re.compile("".join(_expression(item, language) for item in items)),
        tuple(needed),
        frozenset("".join(_signs(name, language) for name in refused.split())),
    )


def _commonness(item: str) -> int:
    return sum(name in _COMMON for name in item.split("|"))


def _signs(names: str, language: str) -> str:
    known = lexicon(language).signs
    return "".join(_STRUCTURE.get(name) or known.get(name, "") for name in names.removesuffix("?").split("|"))


def _one_of(names: str, language: str) -> str:
    signs = _signs(names, language)
    return f"[{re.escape(signs)}]" if signs else "(?!)"


def _expression(item: str, language: str) -> str:
    if item in _FIXED:
        return "".join(part if part[0] in "({)|" else _one_of(part, language) for part in _FIXED[item])
    if item.startswith(".."):
        return f"[^{_STOPS}]{{0,{item[2:]}}}?"
    if item.startswith("~"):
        return f"[^{_STOPS}{re.escape(_signs('me', language))}]{{0,{item[1:]}}}?"
    return _one_of(item, language) + ("?" if item.endswith("?") else "")
