"""The English grammar, put together."""

from typing import Final

from ricordo.domain.facts.extraction.english import nouns, people, rules, words
from ricordo.domain.facts.extraction.grammar import Grammar
from ricordo.domain.facts.extraction.phrases import Reader

ENGLISH: Final = Grammar(
    code="en",
    user_pronouns=words.USER_PRONOUNS,
    third_pronouns={"she": "f", "he": "m", "they": "", "it": ""},
    other_pronouns=words.OTHER_PRONOUNS | words.OTHER_POSSESSIVES,
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
    unreal=words.UNREAL,
    unreal_pairs=words.UNREAL_PAIRS,
    jesting=words.JESTING,
    saying=words.SAYING,
    negations=words.NEGATIONS,
    over=words.OVER,
    copulas=words.COPULAS,
    was=words.WAS,
    been=words.BEEN,
    auxiliaries=words.AUXILIARIES,
    perfect=words.PERFECT,
    participles=words.PARTICIPLES,
    kin=people.KIN,
    kin_adjectives=people.ADJECTIVES | nouns.NUMBERS.keys(),
    naming=people.NAMING,
    companions=people.COMPANIONS,
    name_particles=words.NAME_PARTICLES,
    not_names=words.NOT_NAMES,
    phrases=rules.PHRASES,
    attributes=rules.ATTRIBUTES,
    after=rules.AFTER,
    favourite=frozenset({"favourite", "favorite", "fave"}),
    to_be=frozenset({"is", "are", "'s"}),
    lexicon={
        Reader.LANGUAGE: nouns.LANGUAGES,
        Reader.CONDITION: nouns.CONDITIONS,
        Reader.POSSESSION: nouns.OWNABLES,
        Reader.INSTRUMENT: nouns.INSTRUMENTS,
    },
    occupations=nouns.OCCUPATIONS,
    occupation_endings=nouns.OCCUPATION_ENDINGS,
    roles=nouns.ROLES | nouns.BREEDS,
    role_endings=nouns.ROLE_ENDINGS,
    organisations=nouns.ORGANISATIONS - nouns.VAGUE_ORGANISATIONS,
    areas=nouns.AREAS,
    months=nouns.MONTHS,
    numbers=nouns.NUMBERS,
    years=frozenset({"years", "year", "yrs", "yo"}),
    stops=words.STOPS,
    tails=words.TAILS,
    time_nouns=words.TIME_NOUNS,
    clause_starts=frozenset(rules.PHRASES.words) - {"BE", "WAS", "HAVE"}
    | words.USER_PRONOUNS
    | {"he", "she", "they", "it", "you", "my", "our", "her", "his", "its", "their"},
    signs=words.SIGNS,
)
