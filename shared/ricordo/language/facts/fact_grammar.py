"""The grammar of a language: its closed classes of words, its kinship terms and its phrases."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from ricordo.language.data_files import WordSets
from ricordo.language.facts.phrase_trees import Node, ObjectReader

Gender = Literal["f", "m", ""]


@dataclass(frozen=True, slots=True)
class Kin:
    """A noun that ties somebody to the user: the predicate it states, and who "she" may be afterwards.

    `over` where the tie is no longer ("ex-husband"), or its pet is dead.
    """

    predicate: str
    noun: str
    gender: Gender = ""
    plural: bool = False
    over: bool = False


class Grammar(WordSets):
    """The words of one language, in lower case; the data files `fact_*.toml` say what each list is for."""

    code: str
    third_pronouns: Mapping[str, Gender]
    others_possessives: Mapping[str, Gender]
    reminders: Node
    kin: Mapping[str, Kin]
    naming: Node
    phrases: Node
    attributes: Node
    after: Mapping[str, Node]
    belongings: Node
    couples: Node
    in_youth: frozenset[tuple[str, str]]
    lexicon: Mapping[ObjectReader, frozenset[str]]
    occupation_endings: tuple[str, ...]
    role_endings: tuple[str, ...]
    numbers: Mapping[str, str]
    manner: re.Pattern[str]
    drops_subjects: bool
    repeats_prepositions: bool
    orders: re.Pattern[str]
    infinitive: str

    @cached_property
    def joints(self) -> frozenset[str]:
        """What joins clauses, coordinate or not."""
        return self.conjunctions | self.breakers

    @cached_property
    def idle(self) -> frozenset[str]:
        """What an object does not end with."""
        return self.prepositions | self.determiners | self.adverbs

    @cached_property
    def time_fillers(self) -> frozenset[str]:
        """What may stand in a time that follows something: "two years ago at least"."""
        return (self.wholly | self.time_words | self.time_nouns | self.numbers.keys()) - self.unwhole

    @cached_property
    def refused(self) -> frozenset[str]:
        """What is no object of its own."""
        return self.other_pronouns | self.possessives | self.user_pronouns

    @cached_property
    def common(self) -> frozenset[str]:
        """What is never taken for a name."""
        return self.stops | self.refused | self.idle | self.not_names | self.conjunctions | self.questions

    @cached_property
    def openings(self) -> frozenset[str]:
        """What may stand before the subject of a clause."""
        return self.openers | self.idle | self.joints

    @cached_property
    def unreal_openings(self) -> frozenset[str]:
        """What may open something that is imagined, wished or reported."""
        paired = frozenset(pair.split()[0] for pair in self.unreal_pairs)
        return self.saying | self.unreal | self.conditionals | paired

    @cached_property
    def verbal(self) -> frozenset[str]:
        """What a verb phrase may begin with."""
        first = frozenset(self.phrases.words) | self.copulas | self.was | self.perfect
        return first | self.auxiliaries | self.negations

    @cached_property
    def bare(self) -> frozenset[str]:
        """Verb forms that agree with no single third person ("like", of which there is "likes")."""
        words = self.phrases.words
        third = {word for word in words if f"{word}s" in words or f"{word}es" in words}
        return frozenset(third | ({"have", "study"} & words.keys()))
