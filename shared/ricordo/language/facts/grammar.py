"""What a language must tell the reader: its closed classes of words, its kinship terms and its phrases."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from ricordo.language.facts.phrases import Node, Reader

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
    """One language. Every word is in lower case; the contents are in the data files `fact_*.toml`.

    Attributes:
        code: ISO 639-1.
        user_pronouns: subjects that are the user ("I", "we").
        joined_pronouns: the same where somebody else joins them ("me and Ada").
        third_pronouns: subjects that are somebody named before, with their gender.
        other_pronouns: subjects and objects that name nobody ("you", "it", "this", "everyone").
        possessives: "my", "our".
        others_possessives: "his", "her", with the gender of whom they mean.
        determiners: articles, quantifiers and the like, dropped in front of an object.
        prepositions: dropped in front of an object, and ending most objects.
        adverbs: words that may stand anywhere in a clause without changing what it states.
        openers: what a clause may begin with before its subject ("well", "yesterday", "by the way").
        conjunctions: coordinate clauses and objects ("and", "or").
        breakers: begin another clause ("but", "because", "since", "so").
        conditionals: begin a clause that states nothing ("if", "unless").
        relatives: "who", "which".
        questions: what a question begins with.
        appeals: what a question begins with only after a statement ("…, any ideas?").
        reminders: what a statement is handed over with ("remember that").
        copulas: present forms of "to be"; was: its past forms; been: its participle.
        jesting: pairs of words whose whole message states nothing ("just kidding").
        saying: verbs after which a colon hands over to another speaker.
        speaking: what stands before "said" where the user said it.
        negations: "not", "never"; over: with a negation, "no longer".
        copulas: present forms of "to be", was: its past forms, been: its participle.
        auxiliaries: "do", "does", "did"; perfect: "have", "has"; participles: what makes them auxiliary.
        kin: nouns that tie somebody to the user; kin_adjectives may stand around them.
        naming: what introduces a name ("called").
        meeting_places: where somebody is known from ("Nadia from my office").
        companions: what narrows a term down ("compagno di classe").
        name_particles: lower-case words inside a name ("de", "van"); person_particles: those inside a
            person's: a place may follow the others ("mia sorella Nora da Lisbona").
        not_names: capitalised words that are no names.
        phrases: the tree of what states a fact; attributes: of what begins with "my"; after: per predicate,
            what may follow an object ("… as a nurse | at the Mater").
        belongings: the tree of what is said of somebody who is named ("Freya's | birthday is"); naming_verbs:
            what may stand for "is" there.
        couples: the tree of what makes partners of the user and somebody ("Ada and I | got married").
        elided: what a clause may begin with that leaves its "I" out ("joined a choir").
        favourite: "favourite"; to_be: the copulas after it.
        pleasing: verbs whose subject is what somebody likes ("piace"), where it may come first.
        wholly: what may follow what is said without taking a part of it back ("tantissimo", "at all").
        unwhole: what makes a denial one of a part, or of another time ("only", "did").
        time_words: what may stand in a time beside `time_nouns` and numbers ("last", "ago").
        since: what stands before a time from which on something is so.
        instead: what stands before what is so instead of what is denied.
        laughable: what one dies of in jest ("laughing").
        in_youth: what may stand between a subject and what it did once ("da ragazza | suonava").
        moving: words that tell where one lives from then on ("moved").
        clitics: what stands before a verb for an object that came first ("la Panda | l'ho venduta").
        lexicon: by reader, nouns an object must be among; areas: places without a name; months.
        occupations, occupation_endings, roles, role_endings, breeds: nouns for "I am a …".
        organisations: nouns that make an organisation of a noun phrase without a name.
        numbers: number words, in figures.
        years: units that make an age of a number.
        stops: words that end an object; tails: pairs of words that do.
        time_nouns: nouns that make a prepositional phrase an adjunct of time.
        clause_starts: words that begin a clause when they follow a comma or a conjunction.
        deictic: words that make an object point at what is not said ("it", "your").
        vague: words that begin no object ("more", "everywhere").
        generic: nouns that name a kind of things even after "the" ("the sea").
        whenever: begin a clause that states nothing by itself ("when").
        signs: words by which the language is recognised.
        time_openings: what a time begins with that comes first in a clause, where it is no number.
        manner: adverbs that say how, at the end of an object ("the cello badly"); not_manner: words alike.
        drops_subjects: whether a verb may stand without its subject ("vivo a Roma").
        running_on: verbs of the user that need no comma before them behind a name or a number.
        repeats_prepositions: whether what is coordinated says them again ("alle noci e al latte").
        townward: what stands before a town behind its country ("in Germania, | a Dortmund").
        orders: imperatives that point at what was named ("la cipolla, toglila").
        reflexives: pronouns of the user that stand before a verb ("mi trasferisco"), and end its infinitive.
        infinitive: what infinitives end in, where they have an ending.
        genitives: what stands between a noun and the name of whose it is ("la moglie | di Gaetano").
        with_whom: what stands before somebody who shares what is said next ("con Davide | ci siamo …").
    """

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
    lexicon: Mapping[Reader, frozenset[str]]
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
