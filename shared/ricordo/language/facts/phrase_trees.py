"""Phrases as data: a compact notation for word sequences, and a tree of them that reads the longest one.

`a|b` stands for alternatives, `[x]` for an optional word, `a_b` for two words in one alternative, and `{in}`
for a named set of words or endings (`trasferit{o}`). A line holds one pattern: every sequence it expands to.
The patterns expand to some 300,000 sequences, of which texts use few: a node is built when a text reaches it.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from ricordo.language.facts.evidence import Polarity

_SKIPPED_WITHIN: Final = 5  # words of a phrase within which a word that may be skipped is tried both ways
_CONTINUED: Final = re.compile(r"\|\s*\n\s*")


class ObjectReader(Enum):
    """How the object after a phrase is read."""

    PLACE = "place"
    HOME = "home"
    NAME = "name"
    ORGANISATION = "organisation"
    GROUP = "group"
    TAUGHT = "taught"
    ENROLMENT = "enrolment"
    EMPLOYER = "employer"
    OCCUPATION = "occupation"
    ROLE = "role"
    LANGUAGE = "language"
    THING = "thing"
    PREFERRED = "preferred"
    TOPIC = "topic"
    SPOKEN_OF = "spoken_of"
    SPORT = "sport"
    SUBSTANCE = "substance"
    INSTRUMENT = "instrument"
    ACTIVITY = "activity"
    UNDERTAKING = "undertaking"
    INTENTION = "intention"
    FUTURE = "future"
    PROPERTY = "property"
    POSSESSION = "possession"
    ACQUISITION = "acquisition"
    AGE = "age"
    DATE = "date"
    SUBJECT_OF_STUDY = "field"
    KNOWN_SUBJECT = "known_field"
    CONDITION = "condition"
    KIN = "kin"
    LOSS = "loss"
    PARTING = "parting"
    ENDING = "ending"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Rule:
    """What a phrase states.

    Attributes:
        predicate: a name of the vocabulary; with POSSESSION and ROLE the object decides.
        reader: how the object is read.
        person: 1 the user, 3 somebody else, 0 whoever the subject is.
        polarity: whether it holds or is over.
        denied: what a negation makes of it: another predicate, or nothing.
    """

    predicate: str
    reader: ObjectReader
    person: int = 0
    polarity: Polarity = "holds"
    denied: str | None = None


_Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Position:
    """A point in a pattern: `words` must follow at once, then an alternative of each item from `item` on."""

    rule: Rule
    items: tuple[tuple[_Words, ...], ...]
    item: int = 0
    words: _Words = ()

    def ahead(self) -> Iterator["_Position"]:
        """Yield the positions before a word that may follow, and the position after the last word."""
        if self.words or self.item == len(self.items):
            yield self
            return
        for words in self.items[self.item]:
            following = _Position(self.rule, self.items, self.item + 1, words)
            yield from (following,) if words else following.ahead()


class Node:
    """A point in the tree: the words that may follow, and the rule of the phrase that ends here."""

    __slots__ = ("_positions", "rule", "words")
    rule: Rule | None
    """The rule of the phrase that ends here; of two, the first of the patterns."""
    words: Mapping[str, "Node"]
    """The nodes after each word that may follow."""

    def __init__(self, positions: Sequence[_Position]) -> None:
        """Begin at `positions`, in the order of the patterns."""
        self._positions = positions

    def __getattr__(self, name: str) -> object:
        """Build the node when its words or its rule are first read; two threads may do so at once."""
        self.words, self.rule = self._built()
        return object.__getattribute__(self, name)

    def _built(self) -> tuple[Mapping[str, "Node"], Rule | None]:
        rule: Rule | None = None
        following: dict[str, list[_Position]] = {}
        for position in (ahead for begin in self._positions for ahead in begin.ahead()):
            if position.words:
                word, *rest = position.words
                after = _Position(position.rule, position.items, position.item, tuple(rest))
                following.setdefault(word, []).append(after)
            else:
                rule = rule or position.rule
        return {word: Node(positions) for word, positions in following.items()}, rule


def parse_rules(text: str) -> Iterator[tuple[Rule, str]]:
    """Read rules as they are written down.

    A line `= predicate reader [past] [denied:predicate]` opens a group; each line under it is a pattern,
    after a person (`1`, `3`) where the verb's form tells it. A line that ends with `|` goes on in the next.
    """
    predicate, reader, options = "", "", frozenset[str]()
    for line in filter(None, map(str.strip, _CONTINUED.sub("|", text).splitlines())):
        if line.startswith("="):
            predicate, reader, *more = line[1:].split()
            options = frozenset(more)
            continue
        person = int(line[0]) if line[:2] in {"1 ", "3 "} else 0
        polarity: Polarity = "past" if "past" in options else "holds"
        denied = next((o.removeprefix("denied:") for o in options if o.startswith("denied:")), None)
        yield Rule(predicate, ObjectReader(reader), person, polarity, denied), line[2:] if person else line


def _alternatives(item: str, macros: Mapping[str, Sequence[str]]) -> tuple[_Words, ...]:
    optional = item.startswith("[") and item.endswith("]")
    options: list[str] = [""] if optional else []
    for option in (item[1:-1] if optional else item).split("|"):
        options.extend(_spelled(option.replace("_", " "), macros))
    return tuple(tuple(option.split()) for option in options)


def _spelled(option: str, macros: Mapping[str, Sequence[str]]) -> list[str]:
    if "{" not in option:
        return [option]
    before, _, rest = option.partition("{")
    name, _, after = rest.partition("}")
    return [before + ending + after for ending in macros[name]]


def compile_phrases(groups: Iterable[tuple[Rule, str]], macros: Mapping[str, Sequence[str]]) -> Node:
    """Build the tree of all phrases; of two rules for one phrase the first stays.

    Raises:
        KeyError: a pattern names a macro that is not defined.
    """
    known: dict[str, tuple[_Words, ...]] = {}
    positions: list[_Position] = []
    for rule, patterns in groups:
        for line in filter(None, map(str.strip, patterns.strip().splitlines())):
            for item in line.split():
                if item not in known:
                    known[item] = _alternatives(item, macros)
            positions.append(_Position(rule, tuple(known[item] for item in line.split())))
    return Node(positions)


def longest(
    root: Node, words: Sequence[str], begin: int, end: int, skip: Collection[str]
) -> tuple[Rule, int] | None:
    """Read the longest phrase at `begin`, stepping over words of `skip` inside it."""
    if begin >= end or words[begin] not in root.words:
        return None  # as in nearly all places
    found, over = _walk(root, words, (begin, begin, end), skip)
    while over:
        node, at = over.pop(0)
        other, more = _walk(node, words, (begin, at, end), skip)
        over += more
        if other is not None and (found is None or other[1] > found[1]):
            found = other
    return found


def _walk(
    root: Node, words: Sequence[str], bounds: tuple[int, int, int], skip: Collection[str]
) -> tuple[tuple[Rule, int] | None, list[tuple[Node, int]]]:
    """Follow the words of a phrase that began at the first of `bounds`, from the second to the third.

    Returns:
        The longest found, and where a word that belongs to a phrase may be skipped as well.
    """
    found: tuple[Rule, int] | None = None
    over: list[tuple[Node, int]] = []
    node: Node | None = root
    begin, at, end = bounds
    while at < end and node is not None:
        following = node.words.get(words[at])
        skipped = at > begin and words[at] in skip
        if following is None and skipped:
            at += 1
            continue
        if following is not None and skipped and at - begin < _SKIPPED_WITHIN:
            over.append((node, at + 1))
        node = following
        at += 1
        if node is not None and node.rule is not None:
            found = node.rule, at
    return found, over
