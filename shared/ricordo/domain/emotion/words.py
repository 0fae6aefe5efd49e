"""What the words of a text say of feeling: an estimate on the PAD axes from a lexicon, without a model.

It reads what the words say in their near context (negation, intensifiers, exclamation, capitals, emoji,
questions) and nothing more: irony, and feelings told without a word of feeling, escape it.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from ricordo.domain.emotion.things import died_without_grief
from ricordo.domain.lexicon import LANGUAGES, Entry, Lexicon, load_lexicon, load_positions, load_signs
from ricordo.domain.memory import NEUTRAL, Emotion
from ricordo.domain.name_lists import is_given
from ricordo.domain.text import Word, located_words, stem

NEGATION_REACH = 4
MODIFIER_REACH = 2
WORDS_PER_FEELING = 15
MAX_KEYWORDS = 8
SHOUT_LENGTH = 8

_CLAUSE_END = re.compile(r"[.,;:!?…()\n]")
_SENTENCE_END = frozenset(".!?\n")
_SUPERLATIVE = re.compile(r"issim[oaie]$")
# Every emoticon has one of these.
_MAYBE_EMOTICON = re.compile(r"[:;=<_]|xD|XD")
# "I can't stop crying", "non smetto di ridere": what is denied is that it ends.
_ENDINGS = frozenset(stem(word, "en") for word in ("stop", "quit")) | frozenset(
    stem(word, "it") for word in ("smetto", "smettere", "smette", "smettevo", "smesso")
)
_NEVER = frozenset(("never", "mai"))
_SO = frozenset(("so", "così", "cosi", "tanto"))
_INVISIBLE = re.compile("[\ufe0f\U0001f3fb-\U0001f3ff]")


class _Token(NamedTuple):
    word: Word
    stem: str
    clause: int
    asked: bool


@dataclass(frozen=True, slots=True)
class _Feeling:
    """One word, phrase or sign of feeling, in context. `label` is empty when it only moves the axes."""

    label: str
    weight: float
    valence: float
    arousal: float
    dominance: float
    keyword: str


def spoken(text: str, language: str, names: Iterable[str] = ()) -> Emotion:
    """Return the feeling that the words of `text` speak of.

    Args:
        text: in normal form C; what is not "it" or "en" is read by its emoji only.
        language: ISO 639-1.
        names: of people in it; where a capital says that one is meant, "Serena" is no feeling.

    Returns:
        `NEUTRAL` when no word or sign of feeling was found.
    """
    feelings = _signs(text)
    size = 0
    if language in LANGUAGES:
        tokens = _tokens(text, language)
        size = len(tokens)
        people = {part for name in names for part in name.casefold().split()}
        feelings = _spoken(tokens, load_lexicon(language), language, people) + feelings
    if not feelings:
        return NEUTRAL
    return _combine(feelings, size, _emphasis(text))


def _tokens(text: str, language: str) -> list[_Token]:
    turns = load_lexicon(language).turns
    marks = [match.start() for match in _CLAUSE_END.finditer(text)]
    closings = [at for at in marks if text[at] in _SENTENCE_END]
    # Behind all words, so that no search runs over the end.
    marks.append(len(text))
    closings.append(len(text))
    tokens: list[_Token] = []
    clause, mark, closing = 0, 0, 0
    asked = _asks(text, closings[0])
    for word in located_words(text, language):
        _, folded, start, end = word
        if marks[mark] < start or folded in turns:
            clause += 1
        while marks[mark] < start:
            mark += 1
        while closings[closing] < end:
            closing += 1
            asked = _asks(text, closings[closing])
        tokens.append(_Token(word, stem(folded, language), clause, asked))
    return tokens


def _asks(text: str, closing: int) -> bool:
    return text[closing : closing + 1] == "?"


def _spoken(
    tokens: Sequence[_Token], lexicon: Lexicon, language: str, people: AbstractSet[str]
) -> list[_Feeling]:
    feelings: list[_Feeling] = []
    spent: set[int] = set()
    at = 0
    while at < len(tokens):
        if not _may_say_something(tokens[at], lexicon) or _is_called(tokens[at].word, people):
            at += 1
            continue
        entry, length = _entry_at(tokens, at, lexicon, language)
        if entry is not None and not (entry.label == "grief" and _of_a_thing(tokens, at, language)):
            feelings.append(_in_context(tokens, range(at, at + length), entry, lexicon, spent))
        if length > 1:
            spent.update(range(at, at + length))
        at += length
    return feelings


def _is_called(word: Word, people: AbstractSet[str]) -> bool:
    return word.written[0].isupper() and (word.folded in people or is_given(word.folded))


def _of_a_thing(tokens: Sequence[_Token], at: int, language: str) -> bool:
    clause = tokens[at].clause
    first = max(0, at - 2 * NEGATION_REACH)
    near = range(first, min(len(tokens), at + 2 * NEGATION_REACH))
    same = [place for place in near if tokens[place].clause == clause]
    return died_without_grief([tokens[place].word.folded for place in same], same.index(at), language)


def _may_say_something(token: _Token, lexicon: Lexicon) -> bool:
    """Whether a word needs a closer look: most say nothing, and are passed over quickly."""
    word = token.word.folded
    return token.stem in lexicon.noted or word in lexicon.exact or "issim" in word


def _entry_at(tokens: Sequence[_Token], at: int, lexicon: Lexicon, language: str) -> tuple[Entry | None, int]:
    """Return what stands at a place, if anything, and how many words it takes: the longest reading wins."""
    token = tokens[at]
    for length in range(min(lexicon.openings.get(token.stem, 0), len(tokens) - at), 1, -1):
        phrase = tuple(each.stem for each in tokens[at : at + length])
        if entry := lexicon.phrases.get(phrase):
            return entry, length
        if phrase in lexicon.boosters or phrase in lexicon.dampers or phrase in lexicon.plain:
            return None, length
    if (token.stem,) in lexicon.boosters:
        return None, 1
    single = lexicon.exact.get(token.word.folded) or lexicon.stems.get(token.stem)
    if single is None and language == "it":
        single = _superlative(token.word.folded, lexicon)
    return single, 1


def _superlative(word: str, lexicon: Lexicon) -> Entry | None:
    root, found = _SUPERLATIVE.subn("", word)
    if not found:
        return None
    for ending in ("o", "e"):
        if entry := lexicon.stems.get(stem(root + ending, "it")):
            return Entry(entry.label, entry.weight * 1.3)
    return None


def _in_context(
    tokens: Sequence[_Token], place: range, entry: Entry, lexicon: Lexicon, spent: AbstractSet[int]
) -> _Feeling:
    valence, arousal, dominance = load_positions()[entry.label]
    written = [tokens[at].word.written for at in place]
    weight = entry.weight * _modified(tokens, place, lexicon)
    if all(word.isupper() and len(word) > 2 for word in written):
        weight *= 1.2
    if tokens[place.start].asked:
        weight *= 0.6
    label = entry.label
    if _negated(tokens, place.start, lexicon, spent):
        # "Not happy" is nearly sad, "not sad" is hardly happy.
        label, turned = ("disappointment", -0.7) if valence > 0 else ("", -0.35)
        valence, arousal, dominance = valence * turned, arousal * 0.7, 0.5
    return _Feeling(label, weight, valence, arousal, dominance, " ".join(written))


def _modified(tokens: Sequence[_Token], place: range, lexicon: Lexicon) -> float:
    clause = tokens[place.start].clause
    before = range(max(0, place.start - MODIFIER_REACH), place.start)
    after = range(place.stop, min(len(tokens), place.stop + MODIFIER_REACH))
    factor = 1.0
    for at in (*before, *after):
        token = tokens[at]
        if token.clause != clause:
            continue
        readings: list[tuple[str, ...]] = [(token.stem,)]
        if token.stem in lexicon.openings and at + 1 < len(tokens):
            readings.append((token.stem, tokens[at + 1].stem))
        if not lexicon.boosters.isdisjoint(readings):
            factor = max(factor, 1.3)
        elif not lexicon.dampers.isdisjoint(readings):
            factor = min(factor, 0.6)
    return factor


def _negated(tokens: Sequence[_Token], at: int, lexicon: Lexicon, spent: AbstractSet[int]) -> bool:
    """Say whether a negation reaches the word at a place; one inside a phrase is spent on that phrase."""
    clause, denials = tokens[at].clause, 0
    for before in range(at - 1, max(-1, at - 1 - NEGATION_REACH), -1):
        if tokens[before].clause != clause:
            break
        if tokens[before].word.folded in lexicon.negations and before not in spent:
            between = tokens[before + 1 : at]
            if any(each.stem in _ENDINGS for each in between) or _affirms(tokens[before].word, between):
                return False
            denials += 1
    # "Non posso non essere felice": two of them say yes. "Non sono mai felice" says no in two words.
    return denials > 0 and not (denials > 1 and _says_twice(tokens, at))


def _affirms(negation: Word, between: Sequence[_Token]) -> bool:
    """Whether a negation makes a feeling stronger: "never so happy", "non faccio che piangere"."""
    said = [each.word.folded for each in between]
    never = negation.folded in _NEVER or not _NEVER.isdisjoint(said)
    return (never and not _SO.isdisjoint(said)) or (bool(said) and said[-1] == "che")


def _says_twice(tokens: Sequence[_Token], at: int) -> bool:
    near = [each.word.folded for each in tokens[max(0, at - NEGATION_REACH) : at]]
    return near.count("non") > 1 or near.count("not") > 1


@lru_cache(maxsize=1)
def _sign_pattern() -> re.Pattern[str]:
    signs = sorted(load_signs(), key=len, reverse=True)
    spoken = (rf"(?<!\w){re.escape(s)}(?!\w)" if s.isascii() else re.escape(s) for s in signs)
    openings = "".join(sorted({re.escape(sign[0]) for sign in signs}))
    return re.compile(f"(?=[{openings}])(?:{'|'.join(spoken)})")


def _signs(text: str) -> list[_Feeling]:
    if text.isascii() and not _MAYBE_EMOTICON.search(text):
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
    strengths = [min(1.1, feeling.weight) * density for feeling in feelings]
    total = sum(strengths)
    valences = [f.valence * s for f, s in zip(feelings, strengths, strict=True)]
    swing = sum(map(abs, valences))
    valence = sum(v * abs(v) for v in valences) / swing if swing else 0.0
    arousal = sum(f.arousal * s * s for f, s in zip(feelings, strengths, strict=True)) / total
    dominance = (
        0.5 + sum((f.dominance - 0.5) * s * s for f, s in zip(feelings, strengths, strict=True)) / total
    )
    return Emotion(
        valence=_clip(valence * (1 + 0.15 * emphasis), -1, 1),
        arousal=_clip(arousal + 0.25 * emphasis, 0, 1),
        dominance=_clip(dominance, 0, 1),
        primary=_primary(feelings, strengths),
        keywords=tuple(dict.fromkeys(f.keyword for f in feelings))[:MAX_KEYWORDS],
    )


def _primary(feelings: Sequence[_Feeling], strengths: Sequence[float]) -> str:
    votes: dict[str, float] = {}
    for feeling, strength in zip(feelings, strengths, strict=True):
        if feeling.label:
            votes[feeling.label] = votes.get(feeling.label, 0.0) + strength
    return max(votes, key=votes.__getitem__, default="neutral")


def _clip(value: float, low: float, high: float) -> float:
    return round(min(high, max(low, value)), 4)
