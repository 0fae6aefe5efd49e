"""Estimates emotion on the PAD axes from a lexicon, without a model."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from ricordo.language.annotations import NEUTRAL, Emotion
from ricordo.language.data_files import LANGUAGES
from ricordo.language.document import Document
from ricordo.language.emotion.emotion_lexicon import (
    EmotionLexicon,
    Entry,
    load_lexicon,
    load_positions,
    load_signs,
)
from ricordo.language.name_lists import is_given
from ricordo.language.text import LONGEST_WORD, stem
from ricordo.language.tokenization import Token

NEGATION_REACH = 4
MODIFIER_REACH = 2
WORDS_PER_FEELING = 15
MAX_KEYWORDS = 8
SHOUT_LENGTH = 8
_CLAUSE_END = re.compile(r"[.,;:!?…()\n]")
_SENTENCE_END = re.compile(r"[.!?\n]")
_SUPERLATIVE = re.compile(r"issim[oaie]$")
_IN_EMOTICONS = ":;=<_"  # every one has one of these, but for those of letters
_LETTERED = ("xD", "XD")
# "I can't stop crying", "non smetto di ridere": what is denied is that it ends.
_ENDINGS = frozenset(stem(word, "en") for word in ("stop", "quit")) | frozenset(
    stem(word, "it") for word in ("smetto", "smettere", "smette", "smettevo", "smesso")
)
_NEVER = frozenset(("never", "mai"))
_SO = frozenset(("so", "così", "cosi", "tanto"))
_INVISIBLE = re.compile("[\ufe0f\U0001f3fb-\U0001f3ff]")


class _WordTraits(NamedTuple):
    """What a word is by itself."""

    stem: str
    opens: frozenset[str]
    says: bool
    turns: bool


class _WordRow(NamedTuple):
    """A text in words: where they stand, and what each is by itself."""

    text: str
    words: Sequence[Token]
    readings: Sequence[_WordTraits]

    def stems(self, start: int, stop: int) -> tuple[str, ...]:
        return tuple(reading.stem for reading in self.readings[start:stop])

    def clause(self, at: int, before: int, after: int) -> range:
        """Return the places of its clause around a word, so many words before and after it at most."""
        start = stop = at
        first, last = max(0, at - before), min(len(self.words) - 1, at + after)
        while start > first and not self._divided(start):
            start -= 1
        while stop < last and not self._divided(stop + 1):
            stop += 1
        return range(start, stop + 1)

    def _divided(self, at: int) -> bool:
        """Whether a clause ends between a word and the one before it."""
        between = self.text[self.words[at - 1].end : self.words[at].start]
        return self.readings[at].turns or (between != " " and _CLAUSE_END.search(between) is not None)


@dataclass(frozen=True, slots=True)
class _Feeling:
    """One word, phrase or sign of feeling, in context. `label` is empty when it only moves the axes."""

    label: str
    weight: float
    valence: float
    arousal: float
    dominance: float
    keyword: str


def spoken(document: Document, names: Iterable[str] = ()) -> Emotion:
    """Return the feeling that the words of a text speak of."""
    feelings = _signs(document.text)
    size = 0
    if document.language in LANGUAGES:
        size = len(document.words)
        feelings = _spoken(document, names) + feelings
    if not feelings:
        return NEUTRAL
    return _combine(feelings, size, _emphasis(document.text))


def _spoken(document: Document, names: Iterable[str]) -> list[_Feeling]:
    text, found, language = document.text, document.words, document.language
    readings = [_read(word.folded[:LONGEST_WORD], language) for word in found]
    # Hardly any word needs a closer look, and where none does, no context is needed either.
    near = [at for at, one in enumerate(readings) if one.says or (one.opens and _opens(readings, at))]
    if not near:
        return []
    lexicon = load_lexicon(language)
    people = {part for name in names for part in name.casefold().split()}
    said = _WordRow(text, found, readings)
    feelings: list[_Feeling] = []
    spent: set[int] = set()
    behind = 0
    for at in near:
        if at < behind or _is_called(found[at], people):
            continue
        entry, length = _entry_at(said, at, lexicon, language)
        behind = at + length
        if length > 1:
            spent.update(range(at, behind))
        if entry is not None:
            asked = _asks(text, found[at].end)
            feelings.append(_in_context(said, range(at, behind), entry, lexicon, spent, asked=asked))
    return feelings


@lru_cache(maxsize=65_536)
def _read(word: str, language: str) -> _WordTraits:
    """Read a case-folded word."""
    lexicon = load_lexicon(language)
    stemmed = stem(word, language)
    says = word in lexicon.exact or stemmed in lexicon.stems or bool(_SUPERLATIVE.search(word))
    return _WordTraits(stemmed, lexicon.followers.get(stemmed, frozenset()), says, word in lexicon.turns)


def _opens(readings: Sequence[_WordTraits], at: int) -> bool:
    return at + 1 < len(readings) and readings[at + 1].stem in readings[at].opens


def _asks(text: str, end: int) -> bool:
    """Whether the sentence of a word that ends at a place is a question."""
    closing = _SENTENCE_END.search(text, end)
    return closing is not None and closing[0] == "?"


def _is_called(word: Token, people: AbstractSet[str]) -> bool:
    return word.written[0].isupper() and (word.folded in people or is_given(word.folded))


def _entry_at(said: _WordRow, at: int, lexicon: EmotionLexicon, language: str) -> tuple[Entry | None, int]:
    """Return what stands at a place, if anything, and how many words it takes: the longest reading wins."""
    stemmed = said.readings[at].stem
    for length in range(min(lexicon.openings.get(stemmed, 0), len(said.words) - at), 1, -1):
        phrase = said.stems(at, at + length)
        if entry := lexicon.phrases.get(phrase):
            return entry, length
        if phrase in lexicon.boosters or phrase in lexicon.dampers or phrase in lexicon.plain:
            return None, length
    if (stemmed,) in lexicon.boosters:
        return None, 1
    single = lexicon.exact.get(said.words[at].folded) or lexicon.stems.get(stemmed)
    if single is None and language == "it":
        single = _superlative(said.words[at].folded, lexicon)
    return single, 1


def _superlative(word: str, lexicon: EmotionLexicon) -> Entry | None:
    root, found = _SUPERLATIVE.subn("", word)
    if not found:
        return None
    for ending in ("o", "e"):
        if entry := lexicon.stems.get(stem(root + ending, "it")):
            return Entry(entry.label, entry.weight * 1.3)
    return None


def _in_context(
    said: _WordRow,
    place: range,
    entry: Entry,
    lexicon: EmotionLexicon,
    spent: AbstractSet[int],
    *,
    asked: bool,
) -> _Feeling:
    valence, arousal, dominance = load_positions()[entry.label]
    written = [said.words[at].written for at in place]
    weight = entry.weight * _modified(said, place, lexicon)
    if all(word.isupper() and len(word) > 2 for word in written):
        weight *= 1.2
    if asked:
        weight *= 0.6
    label = entry.label
    if _negated(said, place.start, lexicon, spent):
        # "Not happy" is nearly sad, "not sad" is hardly happy.
        label, turned = ("disappointment", -0.7) if valence > 0 else ("", -0.35)
        valence, arousal, dominance = valence * turned, arousal * 0.7, 0.5
    return _Feeling(label, weight, valence, arousal, dominance, " ".join(written))


def _modified(said: _WordRow, place: range, lexicon: EmotionLexicon) -> float:
    near = said.clause(place.start, MODIFIER_REACH, len(place) - 1 + MODIFIER_REACH)
    factor = 1.0
    for at in near:
        if at in place:
            continue
        stemmed = said.readings[at].stem
        readings: list[tuple[str, ...]] = [(stemmed,)]
        if stemmed in lexicon.openings and at + 1 < len(said.words):
            readings.append((stemmed, said.readings[at + 1].stem))
        if not lexicon.boosters.isdisjoint(readings):
            factor = max(factor, 1.3)
        elif not lexicon.dampers.isdisjoint(readings):
            factor = min(factor, 0.6)
    return factor


def _negated(said: _WordRow, at: int, lexicon: EmotionLexicon, spent: AbstractSet[int]) -> bool:
    """Return whether a negation reaches the word at a place; one inside a phrase is spent on that phrase."""
    denials = 0
    for before in reversed(said.clause(at, NEGATION_REACH, 0)[:-1]):
        negation = said.words[before].folded
        if negation in lexicon.negations and before not in spent:
            if not _ENDINGS.isdisjoint(said.stems(before + 1, at)):
                return False
            if _affirms(negation, [word.folded for word in said.words[before + 1 : at]]):
                return False
            denials += 1
    # "Non posso non essere felice": two of them say yes. "Non sono mai felice" says no in two words.
    return denials > 0 and not (denials > 1 and _says_twice(said, at))


def _affirms(negation: str, between: Sequence[str]) -> bool:
    """Whether a negation makes a feeling stronger: "never so happy", "non faccio che piangere"."""
    never = negation in _NEVER or not _NEVER.isdisjoint(between)
    return (never and not _SO.isdisjoint(between)) or (bool(between) and between[-1] == "che")


def _says_twice(said: _WordRow, at: int) -> bool:
    near = [word.folded for word in said.words[max(0, at - NEGATION_REACH) : at]]
    return near.count("non") > 1 or near.count("not") > 1


@lru_cache(maxsize=1)
def _may_begin_a_sign() -> re.Pattern[str]:
    openings = sorted(sign[0] for sign in load_signs() if not sign[0].isascii())
    return re.compile(f"[{_IN_EMOTICONS}{openings[0]}-{openings[-1]}]")


@lru_cache(maxsize=1)
def _sign_pattern() -> re.Pattern[str]:
    signs = sorted(load_signs(), key=len, reverse=True)
    spoken = (rf"(?<!\w){re.escape(s)}(?!\w)" if s.isascii() else re.escape(s) for s in signs)
    openings = "".join(sorted({re.escape(sign[0]) for sign in signs}))
    return re.compile(f"(?=[{openings}])(?:{'|'.join(spoken)})")


def _signs(text: str) -> list[_Feeling]:
    # A class of a few ranges is searched for much faster than one of a hundred characters.
    if not _may_begin_a_sign().search(text) and not any(one in text for one in _LETTERED):
        return []
    counts = Counter(match[0] for match in _sign_pattern().finditer(_INVISIBLE.sub("", text)))
    labels, positions = load_signs(), load_positions()
    return [
        _Feeling(labels[sign], min(1.3, 0.9 + 0.1 * count), *positions[labels[sign]], sign)
        for sign, count in counts.items()
    ]


def _emphasis(text: str) -> float:
    """Return how loud the text is, in [0, 1]: exclamation marks, and being all in capitals."""
    shouted = len(text) > SHOUT_LENGTH and text.isupper()
    return min(3, text.count("!")) / 4 + 0.25 * shouted


def _combine(feelings: Sequence[_Feeling], size: int, emphasis: float) -> Emotion:
    # A word of feeling colours a sentence; in a long text it colours less.
    density = math.sqrt(min(1.0, WORDS_PER_FEELING * len(feelings) / max(1, size)))
    total = swing = valence = arousal = dominance = 0.0
    votes: dict[str, float] = {}
    for one in feelings:
        strength = min(1.1, one.weight) * density
        moved = one.valence * strength
        total += strength
        swing += abs(moved)
        valence += moved * abs(moved)
        arousal += one.arousal * strength * strength
        dominance += (one.dominance - 0.5) * strength * strength
        if one.label:
            votes[one.label] = votes.get(one.label, 0.0) + strength
    return Emotion(
        valence=_clip((valence / swing if swing else 0.0) * (1 + 0.15 * emphasis), -1, 1),
        arousal=_clip(arousal / total + 0.25 * emphasis, 0, 1),
        dominance=_clip(0.5 + dominance / total, 0, 1),
        primary=max(votes, key=votes.__getitem__, default="neutral"),
        keywords=tuple(dict.fromkeys(f.keyword for f in feelings))[:MAX_KEYWORDS],
    )


def _clip(value: float, low: float, high: float) -> float:
    return round(min(high, max(low, value)), 4)
