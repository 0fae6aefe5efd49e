"""The Italian grammar, put together."""

from typing import Final

from ricordo.domain.facts.extraction.grammar import Grammar
from ricordo.domain.facts.extraction.italian import nouns, people, rules, words
from ricordo.domain.facts.extraction.phrases import Reader

_NONE: Final[frozenset[str]] = frozenset()

ITALIAN: Final = Grammar(
    code="it",
    user_pronouns=words.USER_PRONOUNS,
    third_pronouns={"lei": "f", "lui": "m"},
    other_pronouns=words.OTHER_PRONOUNS,
    possessives=words.POSSESSIVES,
    determiners=words.DETERMINERS,
    prepositions=words.PREPOSITIONS,
    adverbs=words.ADVERBS,
    openers=words.OPENERS,
    conjunctions=words.CONJUNCTIONS,
    breakers=words.BREAKERS,
    conditionals=words.CONDITIONALS,
    relatives=words.RELATIVES,
    questions=words.QUESTIONS,
    reminders=rules.REMINDERS,
    unreal=words.UNREAL,
    unreal_pairs=words.UNREAL_PAIRS,
    jesting=words.JESTING,
    saying=words.SAYING,
    negations=words.NEGATIONS,
    over=words.OVER,
    copulas=_NONE,
    was=_NONE,
    been=_NONE,
    auxiliaries=_NONE,
    perfect=_NONE,
    participles=_NONE,
    kin=people.KIN,
    kin_adjectives=people.ADJECTIVES,
    naming=people.NAMING,
    companions=people.COMPANIONS,
    name_particles=words.NAME_PARTICLES,
    person_particles=words.PERSON_PARTICLES,
    not_names=words.NOT_NAMES,
    phrases=rules.PHRASES,
    attributes=rules.ATTRIBUTES,
    after=rules.AFTER,
    favourite=frozenset({"preferito", "preferita", "preferiti", "preferite"}),
    to_be=frozenset({"è", "sono"}),
    pleasing=frozenset({"piace", "piacciono"}),
    wholly=words.ADVERBS | words.NEGATIONS | words.WHOLLY,
    lexicon={
        Reader.LANGUAGE: nouns.LANGUAGES,
        Reader.CONDITION: nouns.CONDITIONS,
        Reader.POSSESSION: nouns.OWNABLES,
        Reader.INSTRUMENT: nouns.INSTRUMENTS,
    },
    occupations=nouns.OCCUPATIONS,
    occupation_endings=("ologo", "ologa", "terapista"),
    roles=nouns.ROLES | nouns.BREEDS,
    role_endings=(),
    organisations=nouns.ORGANISATIONS - nouns.VAGUE_ORGANISATIONS,
    areas=nouns.AREAS,
    months=nouns.MONTHS,
    numbers=nouns.NUMBERS,
    years=frozenset({"anni", "anno"}),
    stops=words.STOPS,
    tails=words.TAILS,
    time_nouns=words.TIME_NOUNS,
    clause_starts=frozenset(rules.PHRASES.words)
    | words.USER_PRONOUNS
    | words.POSSESSIVES
    | {"lui", "lei", "non", "tu", "voi", "loro"},
    deictic=words.DEICTIC,
    vague=words.VAGUE,
    generic=words.GENERIC,
    whenever=words.WHENEVER,
    signs=words.SIGNS,
)
