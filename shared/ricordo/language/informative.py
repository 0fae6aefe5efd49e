"""Decides whether a message is informative: pure questions, requests, thanks and greetings are not.

Neither are answers that Ricordo wrote, as a bot passes them on: what they say is in memory already. They are
known by the phrases of `context.toml` that they are made of.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, Final

from ricordo.language.annotations import Role
from ricordo.language.assertion_scope import plain
from ricordo.language.data_files import LANGUAGES, Patterns, compiled, either, read_table
from ricordo.language.document import Document
from ricordo.language.life_events import life_event
from ricordo.language.small_talk import meaningful_words
from ricordo.language.tokenization import LAUGHTER, words_of

_PLACEHOLDER: Final = re.compile(r"\\\{\w+\\\}")
_QUOTING: Final = ("answer_user", "answer_assistant", "answer_other")
_REMARKS: Final = ("since", "until", "disputed")
_LONGEST_DATE: Final = 40  # characters, with whoever spoke
_LONGEST_ANSWER: Final = 8_000  # characters; a full answer quotes five passages of 200 tokens


@lru_cache(maxsize=len(LANGUAGES))
def _answer_patterns(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of a quotation up to its end, and of a sentence without its remarks."""
    phrases = read_table("context", language)
    quotes = (_pattern(phrases[name].partition("{what}")[0], rf".{{1,{_LONGEST_DATE}}}") for name in _QUOTING)
    closing = re.escape(phrases["answer_user"].rpartition("}")[2])
    remarks = "|".join(_pattern(phrases[name], r"\S+") for name in _REMARKS)
    longest_first = sorted(_fact_phrases(phrases), key=len, reverse=True)  # the most particular
    facts = "|".join(_pattern(each.rstrip("."), "(.+?)") for each in longest_first)
    return (
        re.compile(f"(?:{'|'.join(quotes)}).*{closing}\\s*$", re.DOTALL),
        re.compile(f"(?:{facts})(?:, (?:{remarks}))*\\.?"),
    )


def _fact_phrases(phrases: Mapping[str, Any]) -> Iterator[str]:
    yield phrases["answer_formerly"]
    for name, table in phrases.items():
        if name.startswith("of_user"):
            yield from (each[:1].upper() + each[1:] for each in table.values())


def _pattern(phrase: str, gap: str) -> str:
    return _PLACEHOLDER.sub(lambda _: gap, re.escape(phrase))


def quotes_memory(text: str, language: str) -> bool:
    """Return whether a text ends by quoting what was said: "You said on 8 May 2023: ..."."""
    known = language in LANGUAGES and len(text) <= _LONGEST_ANSWER
    return known and _answer_patterns(language)[0].search(text) is not None


def told_fact(sentence: str, language: str) -> str:
    """Return what the user is told to be, have or like, as "Trieste"; "" where a sentence tells no fact."""
    found = _answer_patterns(language)[1].fullmatch(sentence.strip())
    return " ".join(filter(None, found.groups())) if found else ""


INFORMATIVE: Final = 0.5
"""From here on a message is a memory that is recalled; below it is history."""
INFORMS, INFORMS_NOTHING = 1.0, 0.0
_LONGEST: Final = 1_500
"""Characters: whoever writes more, in words, tells something; so what hostile text costs stays bounded."""
_PAUSE: Final = re.compile(
    r"\s*[,;:()–—]+\s*|\s+-+\s+|\.{2,}\s*|…\s*|(?<=[.!?])\s+|\s*[\u2600-\u27bf\U0001f300-\U0001faff]+\s*"
)
_MARK: Final = re.compile(r"\?[\s?!.…\"'»”)\]\W]*$")
_LEAST_WORDS: Final = 2  # of a clause that tells beside a question
_EDGES: Final = " \t\n.,;:!?…-–—\"'()"
_NAME: Final = r"[A-ZÀ-Ý][\w'’-]+"
_NAMED_WITHIN: Final = re.compile(rf"(?<=[\w'’] )(?!I['’]){_NAME}")
_CALLED_LAST: Final = re.compile(rf", {_NAME}[\s.!]*$")
_BEFORE_CALLING: Final = 3
"""Words in front of a name at the end of a sentence, which calls somebody then: "Sì, Torino." tells."""
_READ: Final = (
    *("opening", "asks", "asks_behind", "headed", "requests", "advice", "asks_and_tells", "keeps", "shrugs"),
    *("verb", "own", "runs_on", "opinion", "feels", "consults", "chooses", "somebody", "granted", "related"),
)


@dataclass(frozen=True, slots=True)
class _Clause:
    """A stretch of a sentence between two pauses, as it is written and plain; both are equally long."""

    text: str
    low: str


def informative(document: Document, role: Role = Role.USER) -> float:
    """Return how informative a text is, in [0, 1]; from 0.5 on it is a memory."""
    document, language = document.evenly_spaced, document.language
    if role is Role.ASSISTANT and quotes_memory(document.text, language):
        return INFORMS_NOTHING
    if len(document.text.strip()) > _LONGEST:
        return INFORMS if any(meaningful_words(document)) else INFORMS_NOTHING
    spoken = [one for one in document.sentences if _speaks(one)]
    if language not in LANGUAGES:
        return INFORMS if any(not _is_marked(one) for one in spoken) else INFORMS_NOTHING
    return INFORMS if any(_tells(one, language, role) for one in spoken) else INFORMS_NOTHING


def _speaks(sentence: str) -> bool:
    """Return whether a sentence holds a word that is no laughter."""
    return any(LAUGHTER.fullmatch(word.folded) is None for word in words_of(sentence, "it"))


def _tells(sentence: str, language: str, role: Role) -> bool:
    patterns = _patterns(language)
    low = plain(sentence)
    opening = patterns.opening.match(low)
    begin = opening.end() if opening else 0
    if patterns.keeps.match(low, begin) or patterns.asks_and_tells.match(low, begin):
        return _says(sentence[begin:], patterns, language)
    if role is Role.ASSISTANT and (
        _retells(sentence, language, patterns) or _assists(low, begin if begin < len(low) else 0, patterns)
    ):
        return False
    if _is_marked(sentence) or _wants(low[begin:], patterns):
        opinion = patterns.opinion.search(low, begin)
        if opinion:
            sentence, low = sentence[: opinion.start()], low[: opinion.start()]
        clauses = list(_clauses(sentence, low, begin))
        return _tells_besides(sentence[begin:], clauses, patterns, language)
    if patterns.shrugs.fullmatch(low[begin:].strip(_EDGES)):
        return False
    if role is not Role.ASSISTANT and patterns.feels.match(low, begin):
        return True
    return _says(sentence, patterns, language, least=2 if role is Role.ASSISTANT else 1)


def _retells(sentence: str, language: str, patterns: Patterns) -> bool:
    """Return whether a sentence is one that Ricordo wrote of a fact."""
    told = told_fact(sentence, language)
    return told != "" and patterns.news.search(plain(told)) is None


def _assists(low: str, begin: int, patterns: Patterns) -> bool:
    """Return whether an assistant only refuses, offers, or repeats what the user said."""
    if patterns.assists.match(low, begin):
        return True
    known = any(patterns.about_you.match(low, at) for at in {0, begin})
    return known and patterns.news.search(low, begin) is None


def _tells_besides(sentence: str, clauses: Sequence[_Clause], patterns: Patterns, language: str) -> bool:
    """Return whether a sentence that asks or requests also informs."""
    if not clauses or _introduces(sentence, patterns):
        return bool(clauses)
    if patterns.granted.search(plain(sentence)):
        return _says(sentence, patterns, language)
    consulted = patterns.consults.match(clauses[0].low)
    if consulted:
        clauses = list(_unless_chosen(clauses, consulted.end(), patterns))
        if not clauses:
            return False
    wanting = [
        _wants(one.low, patterns) or patterns.tag.fullmatch(one.low.strip(_EDGES)) is not None
        for one in clauses
    ]
    first = wanting.index(True) if True in wanting else len(clauses) - 1
    if any(_asserts(one, patterns.verb, patterns, language) for one in clauses[:first]):
        return True
    if not wanting[0] and patterns.runs_on.match(clauses[0].low):
        return True
    # Behind a question with its mark, another clause may go on asking: only what is one's own is told.
    telling = patterns.own if _is_marked(sentence) else patterns.verb
    told = [one for one, wants in zip(clauses[1:], wanting[1:], strict=True) if not wants]
    joined = (part for one in clauses for part in _joined(one, patterns))
    return any(_asserts(one, telling, patterns, language) for one in told) or any(
        _asserts(one, patterns.own, patterns, language) for one in joined
    )


def _unless_chosen(clauses: Sequence[_Clause], begin: int, patterns: Patterns) -> Iterator[_Clause]:
    """Yield the clauses that do not just ask which of two things to do; nobody is spoken of in those."""
    for at, one in enumerate(clauses):
        text, low = (one.text[begin:], one.low[begin:]) if at == 0 else (one.text, one.low)
        chooses = patterns.chooses.fullmatch(low.strip(_EDGES)) is not None
        if not chooses or patterns.somebody.search(low) or _NAMED_WITHIN.search(text):
            yield one


def _introduces(sentence: str, patterns: Patterns) -> bool:
    """Say whether somebody is described, or, by who wants advice, at least named and tied: "my son Leo"."""
    if patterns.introduces.search(sentence):
        return True
    low = plain(sentence)
    wants_advice = patterns.requests.match(low) or patterns.advice.match(low)
    wants_advice = wants_advice or patterns.consults.match(low)
    known = patterns.names.search(sentence) or patterns.related.search(low)
    return wants_advice is not None and known is not None


def _joined(clause: _Clause, patterns: Patterns) -> Iterator[_Clause]:
    """Yield what of a clause follows a joining word ("because", "but") and does not ask itself."""
    for match in patterns.joins.finditer(clause.text):
        low = clause.low[match.end() :].strip()
        if not patterns.opening.sub("", clause.low[: match.start()], count=1).strip():
            continue  # "Why did …": it asks
        if low and not _wants(low, patterns):
            yield _Clause(clause.text[match.end() :], low)


def _asserts(clause: _Clause, verb: re.Pattern[str], patterns: Patterns, language: str) -> bool:
    said = clause.low.strip(_EDGES)
    if len(said.split()) < _LEAST_WORDS or patterns.shrugs.fullmatch(said):
        return False
    return verb.search(clause.low) is not None and _says(clause.text, patterns, language)


def _is_marked(sentence: str) -> bool:
    return _MARK.search(sentence) is not None


def _wants(low: str, patterns: Patterns) -> bool:
    """Return whether a clause asks, or wants something of whoever listens, by how it begins."""
    opening = patterns.opening.match(low)
    low = low[opening.end() :] if opening else low
    if patterns.keeps.match(low) or patterns.asks_and_tells.match(low):
        return False
    if patterns.requests.match(low):
        return True
    headed = patterns.headed.match(low)
    if headed and low[headed.end() :].strip() and not _wants(low[headed.end() :], patterns):
        return False  # "How I do pancakes: mash a banana, …"
    if low.rstrip().endswith("!"):
        return False  # "What a day!", "Quanto mi manca!"
    return patterns.asks.match(low) is not None or patterns.asks_behind.fullmatch(low) is not None


def _clauses(sentence: str, low: str, begin: int) -> Iterator[_Clause]:
    for match in (*_PAUSE.finditer(low, begin), None):
        end = len(low) if match is None else match.start()
        if low[begin:end].strip():
            yield _Clause(sentence[begin:end], low[begin:end])
        begin = len(low) if match is None else match.end()


def _says(text: str, patterns: Patterns, language: str, least: int = 1) -> bool:
    """Return whether so many words say more than grammar and courtesy; numbers do, names called do not."""
    text = patterns.addressed.sub(" ", text)
    text = patterns.courtesies.sub(" ", text)
    called = _CALLED_LAST.search(text)
    if called and len(text[: called.start()].split()) >= _BEFORE_CALLING:
        text = text[: called.start()]
    part, numbers = Document(text, language), any(map(str.isdigit, text))
    if numbers >= least or len(list(islice(meaningful_words(part), least - numbers))) + numbers >= least:
        return True
    return least == 1 and life_event(part) != ""


@lru_cache(maxsize=len(LANGUAGES))
def _patterns(language: str) -> Patterns:
    """Return the patterns of `informative.toml`; the last four read text as written."""
    table = read_table("informative", language)

    def pattern(*keys: str) -> re.Pattern[str]:
        return re.compile(either(either(_several(table[key])) for key in keys))

    tie, relative, called = table["tie"], table["relative"], table["called"]
    described = rf"(?: ?[,(] ?| )(?i:{relative})|(?: ?[,(] ?)(?i:(?!{either(table['asks'])})\w+)"
    introduces = (
        rf"\b(?i:{tie}){_NAME}(?:{described})",
        rf"\b(?i:{tie}\w+|{_NAME}) ?[,(] ?(?i:{relative})",
        rf"\b(?i:{table['aged']})",
    )
    return Patterns(
        **compiled({key: table[key] for key in _READ}),
        assists=pattern("refuses", "offers", "repeats"),
        about_you=re.compile(_known_of_you(table)),
        news=pattern("news"),
        courtesies=re.compile(table["courtesies"], re.IGNORECASE),
        tag=re.compile(read_table("assertion_scope", language)["tags"]),
        joins=re.compile(table["joins"], re.IGNORECASE),
        introduces=re.compile(either(introduces)),
        names=re.compile(rf"\b(?i:{tie}){_NAME}"),
        addressed=re.compile(rf"\b(?i:{called})[ ,!]{{1,3}}{_NAME}(?=\W|$)"),
    )


def _known_of_you(table: Mapping[str, str | list[str]]) -> str:
    """Return the pattern of what an assistant says of the user: it stands, or is recalled."""
    recalls, supposes, does = table["recalls"], table["supposes"], either(_several(table["does"]))
    standing = (*_several(table["about_you"]), f"{table['yours']}(?:{table['stands']}|{does})")
    recalled = f"(?:{recalls})(?:{table['addresses']}|{table['others']}(?:{does}))"
    return f"{table['affirms']}(?:{recalled}|(?:{recalls}|{supposes})?(?:{either(standing)}))"


def _several(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value
