"""How people ask in a language: the patterns of `questions.toml`, which says what each is for."""

import re
from dataclasses import dataclass
from functools import lru_cache

from ricordo.language.data_files import LANGUAGES, read_patterns


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPatterns:
    """The patterns of a language, for lower case with straight apostrophes."""

    language: str

    greeting: re.Pattern[str]
    opening: re.Pattern[str]
    closing: re.Pattern[str]
    indirect: re.Pattern[str]
    question: re.Pattern[str]
    noun_request: re.Pattern[str]
    before_addressee: re.Pattern[str]
    open_question: re.Pattern[str]
    advice: re.Pattern[str]
    scaffolding: re.Pattern[str]

    how_explained: re.Pattern[str]
    how_to: re.Pattern[str]
    instructions: re.Pattern[str]
    everyday_acts: re.Pattern[str]
    in_case: re.Pattern[str]

    pleasant: frozenset[str]
    unpleasant: frozenset[str]
    not_feelings: frozenset[str]
    superlatives: frozenset[str]
    negated_feeling: re.Pattern[str]
    feeling: re.Pattern[str]
    feelings_in_general: re.Pattern[str]
    own_feelings: re.Pattern[str]
    taste: re.Pattern[str]
    others_feelings: re.Pattern[str]
    liked: re.Pattern[str]

    speakers_act: re.Pattern[str]
    act_together: re.Pattern[str]
    others_act: re.Pattern[str]
    happened_with: re.Pattern[str]
    whole_time: re.Pattern[str]
    future: re.Pattern[str]
    past: re.Pattern[str]
    recurrent: re.Pattern[str]
    upcoming: re.Pattern[str]
    agenda_words: frozenset[str]
    lasting: re.Pattern[str]
    before_attached_time: re.Pattern[str]
    after_attached_time: re.Pattern[str]
    time_prepositions: re.Pattern[str]
    not_a_time: re.Pattern[str]
    asks_time: re.Pattern[str]

    about: re.Pattern[str]
    fronted_topic: re.Pattern[str]
    discussed: re.Pattern[str]
    articles: re.Pattern[str]
    topic_end: re.Pattern[str]
    vague_topic: re.Pattern[str]
    archive: re.Pattern[str]
    earlier_questions: re.Pattern[str]
    only_a_name: re.Pattern[str]
    not_names: frozenset[str]
    origins: re.Pattern[str]
    name_cues: frozenset[str]


@lru_cache(maxsize=len(LANGUAGES))
def load_patterns(language: str) -> QuestionPatterns:
    """Return the patterns of a language of `LANGUAGES`, read once."""
    return QuestionPatterns(language=language, **read_patterns("questions", language))
