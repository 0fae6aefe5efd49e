"""What every language has to know to say an insight."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ricordo.memory.reflection.occurrences import Occurrence


@dataclass(frozen=True, slots=True)
class Thing:
    """Somebody or something, as a sentence names it.

    Attributes:
        alone: as its subject or object: "the exam", "l'esame".
        of: behind the preposition of what is spoken about: "the exam", "dell'esame".
    """

    alone: str
    of: str


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one language.

    Attributes:
        vague: nouns that say nothing of a life, as "day" does.
        feelings: a noun for each label of GoEmotions and for the two tones, as it stands after "with".
        times: a time as it stands at the end of a sentence.
        sentences: of each insight and its question, with `{who}`, `{what}`, `{of}`, `{feeling}`, `{Feeling}`
            and `{time}`.
        rider: what a sentence ends with where it tells a feeling too.
        thing: how a thing is named, by how the user names it; None where that does not tell.
        person: how a person is named.
        quoted: how a thing is named that the user never named so.
        with_article: a feeling as the subject of a sentence.
    """

    vague: frozenset[str]
    feelings: Mapping[str, str]
    times: Mapping[str, str]
    sentences: Mapping[str, str]
    rider: str
    thing: Callable[[Sequence[Occurrence]], Thing | None]
    person: Callable[[str], Thing]
    quoted: Callable[[str], Thing]
    with_article: Callable[[str], str]
