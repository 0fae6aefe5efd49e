"""Turns of a life as people tell them in Italian and English: birth, death, weddings, jobs, home, illness.

The words are data, in `lexicon/life_events_*.toml`: families of patterns. Those whose indispensable pieces a
message lacks are not looked for in it, so that most cost little more than a look at their words. What is
asked, wished, told of a film or said in jest is left out before (`telling`); what is denied, feared or nearly
happened, and what happened to nobody near, here.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from ricordo.language.assertion_scope import LANGUAGES, Telling, disclosures, evenly_set, plain, plain_words
from ricordo.language.data_files import read_table
from ricordo.language.regex_prefilter import Pieces, Sieve, demands

_BEGINNING: Final = 4
"""Letters of a word that are compared with those for somebody near."""
_LEAD: Final = 100
"""Characters in front of a deed in which the one who did it is looked for."""
_MOST_READ: Final = 2400
"""Characters of sentences with cues that are read of one text: bounds what a long one costs."""
_BESIDE: Final = " ,.;:!-("
_NEAR: Final = ("<kin>", "<mykin>")
_PLACE: Final = re.compile(r"<(\w+)>")


@dataclass(frozen=True, slots=True)
class _Turn:
    """One way of telling a turn of a life.

    Whoever it happens to could be many, what happens hardly anything else: looking for that first is cheaper.

    Attributes:
        deed: a pattern of what happens; with those to whom it does where they belong to it.
        lead: a pattern of those to whom it happens, up to the deed; empty where there is none.
        written: the deed as it stands in the file, whose own words no telling of it can do without.
    """

    deed: str
    lead: str
    written: str

    def happens(self, low: str) -> bool:
        """Whether it may be in `low`, to whomever."""
        return self._may_be_in(low) and _compiled(self.deed).search(low) is not None

    def find(self, low: str) -> Iterator[tuple[int, int]]:
        """Yield the spans of `low` that tell it."""
        if not self._may_be_in(low):
            return
        for match in _compiled(self.deed).finditer(low):
            start = match.start()
            if self.lead:
                lead = _compiled(self.lead).search(low, max(0, start - _LEAD), start)
                if lead is None:
                    continue
                start = lead.start()
            yield start, match.end()

    def _may_be_in(self, low: str) -> bool:
        for pieces in _demanded(self.written):
            for piece in pieces:
                if piece in low:
                    break
            else:
                return False
        return True


@dataclass(frozen=True, slots=True)
class _Events:
    """The turns of a life in one language.

    Attributes:
        turns: all ways of telling one.
        sieve: says which of them may be in a text.
        of_near: the turns that begin with somebody near.
        near: beginnings of the words for those, without one of which such turns cannot be.
        ends: where a clause ends.
        hedges: what makes unreal what follows in its clause.
        negation: what denies what follows it at once.
        personal: what says that the speaker or somebody near is concerned.
        opening: what may stand before an event which opens its sentence.
        strangers: beginnings of an event that without that concerns nobody near.
    """

    turns: tuple[_Turn, ...]
    sieve: Sieve
    of_near: frozenset[int]
    near: frozenset[str]
    ends: re.Pattern[str]
    hedges: re.Pattern[str]
    negation: re.Pattern[str]
    personal: re.Pattern[str]
    opening: re.Pattern[str]
    strangers: re.Pattern[str]

    def hinted(self, low: str, said: Collection[str]) -> set[int]:
        """Return which turns may be in a plain text; `said` are the words of it or of all its sentence."""
        found = self.sieve.passed(low, said)
        if found.isdisjoint(self.of_near) or any(word[:_BEGINNING] in self.near for word in said):
            return found
        return found - self.of_near


def life_event(text: str, language: str) -> str:
    """Return the words of the first turn of a life that `text` tells of, or nothing.

    They are in lower case, and their blanks are set evenly.

    A sentence that asks, wishes, supposes or tells a story tells of none; a language other than Italian and
    English has no patterns.

    Args:
        text: what was said.
        language: ISO 639-1.
    """
    if language not in LANGUAGES:
        return ""
    text = evenly_set(text)
    events = _events(language)
    low = plain(text)
    turns = events.hinted(low, plain_words(low))
    # Hardly any text has one, told or not: most need not be cut into what they tell.
    if not turns or (len(text) <= _MOST_READ and not any(events.turns[i].happens(low) for i in turns)):
        return ""
    left = _MOST_READ
    every = disclosures(text, language)
    for at, told in enumerate(every):
        if hinted := events.hinted(told.plain, told.words):
            personal = any(events.personal.search(one.plain) for one in every[max(0, at - 1) : at + 2])
            if found := next(_found(told, hinted, events, personal=personal), ""):
                return found
            left -= len(told.plain)
            if left <= 0:
                break
    return ""


def _found(told: Telling, hinted: Iterable[int], events: _Events, *, personal: bool) -> Iterator[str]:
    """Yield what is told of some turns.

    Args:
        told: where they are looked for.
        hinted: which turns.
        events: those of the language.
        personal: whether what is said here is about the speaker or somebody near; elsewhere only what opens
            a sentence without a subject is about the speaker.
    """
    low = told.plain
    for turn in (events.turns[i] for i in sorted(hinted)):
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


@cache
def _demanded(written: str) -> tuple[Pieces, ...]:
    """Return what no telling of a deed can do without, when it is first needed."""
    return demands(written)


@lru_cache(maxsize=len(LANGUAGES))
def _events(language: str) -> _Events:
    table = read_table(f"life_events_{language}")
    unreal, words, leads = table["unreal"], table["words"], table["leads"]
    told = [turn for family in table["family"] for each in family["patterns"] for turn in _alternatives(each)]
    turns = tuple(_turn(turn, words, leads) for turn in told)
    return _Events(
        turns=turns,
        sieve=Sieve([turn.written for turn in turns]),
        of_near=frozenset(at for at, turn in enumerate(told) if turn.startswith(_NEAR)),
        near=frozenset(word[:_BEGINNING] for word in table["near"].split()),
        ends=re.compile(unreal["ends"]),
        hedges=re.compile(unreal["hedges"]),
        negation=re.compile(unreal["negation"]),
        personal=re.compile(_spelled(words["personal"], words)),
        opening=re.compile(_spelled(words["opening"], words)),
        strangers=re.compile(words["strangers"]),
    )


def _turn(pattern: str, words: Mapping[str, str], leads: Iterable[str]) -> _Turn:
    place = _PLACE.match(pattern)
    if place is None or place[1] not in leads:
        return _Turn(_spelled(pattern, words), "", pattern)
    lead = rf"(?:{_spelled(words[place[1]], words)})\Z"
    deed = pattern[place.end() :]
    return _Turn(_spelled(deed, words), lead, deed)


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
