"""What a language must tell the reader: its closed classes of words, its kinship terms and its phrases."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

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


@dataclass(frozen=True)
class Grammar:
    """The words of one language, in lower case; the data files `fact_*.toml` say what each list is for."""

    code: str
    user_pronouns: frozenset[str]
    joined_pronouns: frozenset[str]
    third_pronouns: Mapping[str, Gender]
    other_pronouns: frozenset[str]
    possessives: frozenset[str]
    others_possessives: Mapping[str, Gender]
    determiners: frozenset[str]
    prepositions: frozenset[str]
    adverbs: frozenset[str]
    openers: frozenset[str]
    conjunctions: frozenset[str]
    breakers: frozenset[str]
    conditionals: frozenset[str]
    relatives: frozenset[str]
    questions: frozenset[str]
    appeals: frozenset[str]
    reminders: Node
    unreal: frozenset[str]
    unreal_pairs: frozenset[str]
    jesting: frozenset[str]
    saying: frozenset[str]
    speaking: frozenset[str]
    negations: frozenset[str]
    over: frozenset[str]
    copulas: frozenset[str]
    was: frozenset[str]
    been: frozenset[str]
    auxiliaries: frozenset[str]
    perfect: frozenset[str]
    participles: frozenset[str]
    kin: Mapping[str, Kin]
    kin_adjectives: frozenset[str]
    naming: Node
    companions: frozenset[str]
    meeting_places: frozenset[str]
    name_particles: frozenset[str]
    person_particles: frozenset[str]
    not_names: frozenset[str]
    phrases: Node
    attributes: Node
    after: Mapping[str, Node]
    belongings: Node
    naming_verbs: frozenset[str]
    couples: Node
    elided: frozenset[str]
    favourite: frozenset[str]
    to_be: frozenset[str]
    pleasing: frozenset[str]
    wholly: frozenset[str]
    unwhole: frozenset[str]
    time_words: frozenset[str]
    since: frozenset[str]
    clitics: frozenset[str]
    moving: frozenset[str]
    instead: frozenset[str]
    laughable: frozenset[str]
    in_youth: frozenset[tuple[str, str]]
    lexicon: Mapping[ObjectReader, frozenset[str]]
    occupations: frozenset[str]
    occupation_endings: tuple[str, ...]
    roles: frozenset[str]
    role_endings: tuple[str, ...]
    breeds: frozenset[str]
    organisations: frozenset[str]
    areas: frozenset[str]
    months: frozenset[str]
    numbers: Mapping[str, str]
    years: frozenset[str]
    stops: frozenset[str]
    tails: frozenset[str]
    time_nouns: frozenset[str]
    clause_starts: frozenset[str]
    deictic: frozenset[str]
    vague: frozenset[str]
    generic: frozenset[str]
    whenever: frozenset[str]
    signs: frozenset[str]
    time_openings: frozenset[str]
    manner: re.Pattern[str]
    not_manner: frozenset[str]
    drops_subjects: bool
    running_on: frozenset[str]
    repeats_prepositions: bool
    townward: frozenset[str]
    with_whom: frozenset[str]
    orders: re.Pattern[str]
    reflexives: frozenset[str]
    infinitive: str
    genitives: frozenset[str]

    @cached_property
    def joints(self) -> frozenset[str]:
        """What joins clauses, coordinate or not."""
        return self.conjunctions | self.breakers

    @cached_property
    def idle(self) -> frozenset[str]:
        """What an object does not end with."""
        return self.prepositions | self.determiners | self.adverbs

    @cached_property
    def told_of_times(self) -> frozenset[str]:
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
