"""Numbers in words, composed from small tables."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, slots=True)
class TimeMention:
    """A number read from words: its value and how many words it took."""

    value: int
    words: int


_Read = Callable[[Sequence[str]], TimeMention | None]


@dataclass(frozen=True)
class SeparateNumbers:
    """Numbers whose words stand apart ("two thousand and eighteen", "nineteen ninety six")."""

    small: Mapping[str, int]
    tens: Mapping[str, int]
    hundred: str
    thousand: str
    joint: str

    def begins(self, word: str) -> bool:
        """Whether a number can begin with `word`: a cheap question, asked of every word of a text."""
        return word in self.small or word in self.tens

    def read(self, words: Sequence[str]) -> TimeMention | None:
        """Read a number from the beginning of `words`, at most eight of which are looked at."""
        head = self._below_hundred(words)
        if head is None:
            return None
        rest = words[head.words :]
        if rest and rest[0] == self.thousand:
            return self._add(TimeMention(head.value * 1000, head.words + 1), words, self._below_thousand)
        if rest and rest[0] == self.hundred:
            return self._add(TimeMention(head.value * 100, head.words + 1), words, self._below_hundred)
        return self._year(head, rest) or head

    def _year(self, head: TimeMention, rest: Sequence[str]) -> TimeMention | None:
        """Read the second half of a year said in two halves, the first being its century."""
        if not 10 <= head.value <= 20 or not rest:
            return None
        if rest[0] in {"oh", "o", "zero"} and len(rest) > 1 and 0 < self.small.get(rest[1], 0) < 10:
            return TimeMention(head.value * 100 + self.small[rest[1]], head.words + 2)
        tail = self._below_hundred(rest)
        if tail is None or tail.value < 10:
            return None
        return TimeMention(head.value * 100 + tail.value, head.words + tail.words)

    def _add(self, head: TimeMention, words: Sequence[str], read: _Read) -> TimeMention:
        used = head.words
        if len(words) > used and words[used] == self.joint:
            used += 1
        tail = read(words[used:])
        return head if tail is None else TimeMention(head.value + tail.value, used + tail.words)

    def _below_thousand(self, words: Sequence[str]) -> TimeMention | None:
        head = self._below_hundred(words)
        if head is not None and len(words) > head.words and words[head.words] == self.hundred:
            return self._add(TimeMention(head.value * 100, head.words + 1), words, self._below_hundred)
        return head

    def _below_hundred(self, words: Sequence[str]) -> TimeMention | None:
        if not words:
            return None
        if words[0] in self.small:
            return TimeMention(self.small[words[0]], 1)
        tens = self.tens.get(words[0])
        if tens is None:
            return None
        used = 2 if len(words) > 2 and words[1] == "-" else 1
        ones = self.small.get(words[used], 0) if len(words) > used else 0
        return TimeMention(tens + ones, used + 1) if 0 < ones < 10 else TimeMention(tens, 1)


@dataclass(frozen=True)
class JoinedNumbers:
    """Numbers written as one word ("duemiladiciotto", "millenovecentosettanta")."""

    small: Mapping[str, int]
    tens: Mapping[str, int]
    hundred: str
    thousand: str
    thousands: str

    def begins(self, word: str) -> bool:
        """Whether a number can begin with `word`: a cheap question, asked of every word of a text."""
        return word[:3] in self._beginnings

    @cached_property
    def _beginnings(self) -> frozenset[str]:
        return frozenset(word[:3] for word in (*self.small, *self.tens, self.hundred, self.thousand))

    def read(self, words: Sequence[str]) -> TimeMention | None:
        """Read the number that the first of `words` is."""
        match = self._pattern.fullmatch(words[0]) if words and len(words[0]) <= 40 else None
        if match is None or not words[0]:
            return None
        below = self._below_hundred
        value = below[match["ones"]] if match["ones"] else 0
        if match["hundreds"] is not None:
            value += 100 * (below[match["hundreds"]] if match["hundreds"] else 1)
        if match["thousand"]:
            value += 1000
        elif match["thousands"]:
            value += 1000 * below[match["thousands"]]
        return TimeMention(value, 1)

    @cached_property
    def _below_hundred(self) -> dict[str, int]:
        words = dict(self.small) | dict(self.tens)
        for word, tens in self.tens.items():
            for digit, ones in self.small.items():
                if ones < 10:
                    words[(word[:-1] if digit[0] in "aeiou" else word) + digit] = tens + ones
        return words

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        below = "|".join(sorted(self._below_hundred, key=len, reverse=True))
        return re.compile(
            f"(?:(?P<thousand>{self.thousand})|(?P<thousands>{below}){self.thousands})?"
            f"(?:(?P<hundreds>{below}|){self.hundred})?(?P<ones>{below})?"
        )
