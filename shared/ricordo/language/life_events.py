"""Recognises life events in Italian and English: birth, death, weddings, jobs, home, illness.

The words are data, in `life_events.toml`: families of patterns. A pattern is searched for only in a
text that holds one of its cues, pieces of plain text that it cannot match without. `assertion_scope` leaves
out what is asked, wished, told of a film or said in jest; this module leaves out what is denied, feared or
nearly happened, and what happened to nobody near.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from typing import Final

from ricordo.language.assertion_scope import Assertion
from ricordo.language.data_files import LANGUAGES, NEVER, read_table
from ricordo.language.document import Document

_LEAD: Final = 100  # characters in front of a deed in which the one who did it is looked for
_MOST_READ: Final = 2400
"""Characters of sentences with cues that are read of one text: bounds what a long one costs."""
_BESIDE: Final = " ,.;:!-("
_SHORTEST_CUE: Final = 3
_QUANTIFIER: Final = r"(?:[*+?]|\{[\d,]+\})\??"
_VARIABLE: Final = re.compile(
    rf"(?:\[\^?(?:\\.|[^\]\\])+\]|\\.|<\w+>|[.^$])(?:{_QUANTIFIER})?|[^()|]{_QUANTIFIER}"
)
"""Parts of a pattern that stand for no particular text: classes, escapes, names, repeated characters."""
_GROUP: Final = re.compile(
    rf"(?P<look>\(\?<?[=!])[^()]*\)"
    rf"|\((?:\?:)?(?P<inner>[^()]*)\)(?:(?P<optional>(?:[*?]|\{{0?,)[\d}}]*\??)|{_QUANTIFIER})?"
)
_CUT: Final = "\0"
_PLACE: Final = re.compile(r"<(\w+)>")


@dataclass(frozen=True, slots=True)
class _Turn:
    """One way of telling a turn of a life.

    Whoever it happens to could be many, what happens hardly anything else: looking for that first is cheaper.

    Attributes:
        cues: pieces of text; without one of each set neither pattern matches.
    """

    deed: str
    lead: str
    cues: Sequence[AbstractSet[str]]

    def may_be_in(self, low: str) -> bool:
        """Return whether `low` holds the cues and the deed."""
        for cues in self.cues:
            if not any(map(low.__contains__, cues)):
                return False
        return _compiled(self.deed).search(low) is not None

    def find(self, low: str) -> Iterator[tuple[int, int]]:
        """Yield the spans of `low` that mention it."""
        for match in _compiled(self.deed).finditer(low):
            start = match.start()
            if self.lead:
                lead = _compiled(self.lead).search(low, max(0, start - _LEAD), start)
                if lead is None:
                    continue
                start = lead.start()
            yield start, match.end()


@dataclass(frozen=True, slots=True)
class _Events:
    """The turns of a life in one language."""

    turns: tuple[_Turn, ...]
    cues: Mapping[str, Sequence[tuple[str, frozenset[int]]]]
    ends: re.Pattern[str]
    hedges: re.Pattern[str]
    negation: re.Pattern[str]
    personal: re.Pattern[str]
    opening: re.Pattern[str]
    strangers: re.Pattern[str]

    def hinted(self, low: str) -> frozenset[int]:
        """Return which turns may be in a plain text."""
        present = {low[at : at + _SHORTEST_CUE] for at in range(len(low))} | {""}
        found = [turns for key in present & self.cues.keys() for cue, turns in self.cues[key] if cue in low]
        return frozenset().union(*found)


def life_event(document: Document) -> str:
    """Return the words of the first life event that a text asserts, in lower case; "" for none."""
    if document.language not in LANGUAGES:
        return ""
    document = document.evenly_spaced
    events, low = _events(document.language), document.plain
    turns = events.hinted(low)
    # Hardly any text has one, told or not: most need not be cut into what they tell.
    if not turns or (len(low) <= _MOST_READ and not any(events.turns[i].may_be_in(low) for i in turns)):
        return ""
    left = _MOST_READ
    every = document.disclosures
    for at, told in enumerate(every):
        if hinted := events.hinted(told.plain):
            personal = any(events.personal.search(one.plain) for one in every[max(0, at - 1) : at + 2])
            if found := next(_found(told, hinted, events, personal=personal), ""):
                return found
            left -= len(told.plain)
            if left <= 0:
                break
    return ""


def _found(told: Assertion, hinted: Iterable[int], events: _Events, *, personal: bool) -> Iterator[str]:
    """Yield what is told of some turns."""
    low = told.plain
    for turn in (events.turns[i] for i in sorted(hinted)):
        if not turn.may_be_in(low):
            continue
        for start, end in turn.find(low):
            own = personal or _is_subjectless(low, start, events)
            if own and not _is_unreal(low[:start], events):
                yield told.text[start:end].strip(_BESIDE).lower()


def _is_subjectless(low: str, start: int, events: _Events) -> bool:
    """Whether an event opens its sentence without saying whose it is: then it is the speaker's."""
    opens = events.opening.fullmatch(low, 0, start) is not None
    return opens and events.strangers.match(low, start) is None


def _is_unreal(before: str, events: _Events) -> bool:
    """Whether what stands before an event in its clause says that it is none."""
    clause = before
    for end in events.ends.finditer(before):
        clause = before[end.end() :]
    return events.hedges.search(clause) is not None or events.negation.search(clause) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern when it is first needed: most of them never are."""
    return re.compile(pattern)


@lru_cache(maxsize=len(LANGUAGES))
def _events(language: str) -> _Events:
    table = read_table("life_events", language)
    unreal, words, leads = table["unreal"], table["words"], table["leads"]
    told = [turn for family in table["family"] for each in family["patterns"] for turn in _alternatives(each)]
    turns = tuple(_turn(each, words, leads) for each in told)
    cues: dict[str, set[int]] = {}
    for at, turn in enumerate(turns):
        for cue in turn.cues[0] if turn.cues else ("",):
            cues.setdefault(cue, set()).add(at)
    return _Events(
        turns=turns,
        cues=_by_rarest_part(cues),
        ends=re.compile(unreal["ends"]),
        hedges=re.compile(unreal["hedges"]),
        negation=re.compile(unreal["negation"]),
        personal=re.compile(_spelled(words.get("personal", NEVER), words)),
        opening=re.compile(_spelled(words.get("opening", NEVER), words)),
        strangers=re.compile(words.get("strangers", NEVER)),
    )


def _by_rarest_part(cues: Mapping[str, AbstractSet[int]]) -> dict[str, list[tuple[str, frozenset[int]]]]:
    """Return the cues by those three of their letters that the fewest cues have."""
    parts = {
        cue: [cue[at : at + _SHORTEST_CUE] for at in range(len(cue) - _SHORTEST_CUE + 1)] or [""]
        for cue in cues
    }
    shared = Counter(chain.from_iterable(map(set, parts.values())))
    found: dict[str, list[tuple[str, frozenset[int]]]] = {}
    for cue, turns in cues.items():
        found.setdefault(min(parts[cue], key=shared.__getitem__), []).append((cue, frozenset(turns)))
    return found


def _turn(pattern: str, words: Mapping[str, str], leads: Iterable[str]) -> _Turn:
    place, cues = _PLACE.match(pattern), _cues(pattern)
    if place is None or place[1] not in leads:
        return _Turn(_spelled(pattern, words), "", cues)
    lead = rf"(?:{_spelled(words[place[1]], words)})\Z"
    deed = pattern[place.end() :]
    return _Turn(_spelled(deed, words), lead, cues)


def _alternatives(pattern: str) -> Iterator[str]:
    """Cut a pattern at the bars that stand in no group."""
    depth = start = at = 0
    while at < len(pattern):
        match pattern[at]:
            case "\\":
                at += 1
            case "(":
                depth += 1
            case ")":
                depth -= 1
            case "|" if depth == 0:
                yield pattern[start:at]
                start = at + 1
        at += 1
    yield pattern[start:]


def _spelled(pattern: str, words: Mapping[str, str]) -> str:
    """Put the words where their names stand in angle brackets; sentences begin and end within a text, too."""
    while _PLACE.search(pattern):
        pattern = _PLACE.sub(lambda place: f"(?:{words[place[1]]})", pattern)
    opening = r"(?:^|(?<=[.!?…\n]\s))"
    pattern = pattern.replace(r"^\W*", opening + r"\W*").replace("|^)", f"|{opening})")
    return pattern.replace(r"\W*$", r"\W*?(?:$|[.!?…\n,;:)])")


def _cues(pattern: str) -> list[frozenset[str]]:
    """Return sets of pieces of text, the best first: without one of each set `pattern` does not match."""
    rest = _VARIABLE.sub(_CUT, pattern)
    groups: list[frozenset[str]] = []

    def numbered(group: re.Match[str]) -> str:
        branches = [] if group["look"] or group["optional"] else list(map(needed, group["inner"].split("|")))
        if not branches or not all(branches):
            return _CUT
        groups.append(frozenset().union(*(branch[0] for branch in branches)))
        return chr(0xE000 + len(groups) - 1)

    def needed(sequence: str) -> list[frozenset[str]]:
        runs = re.findall(rf"[\ue000-\uf8ff]|[^\0\ue000-\uf8ff]{{{_SHORTEST_CUE},}}", sequence)
        found = [groups[ord(run) - 0xE000] if run >= "\ue000" else frozenset((run,)) for run in runs]
        return sorted(found, key=lambda cues: (-min(map(len, cues)), len(cues)))

    while (reduced := _GROUP.sub(numbered, rest)) != rest:
        rest = reduced
    return needed(rest)
