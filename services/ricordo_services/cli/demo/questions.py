"""What is asked about the conversation."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Question:
    """A question and what a good answer rests on.

    Attributes:
        text: as it is asked.
        language: it or en.
        shows: what it is an example of.
        top: memories that are shown when not all are.
    """

    text: str
    language: str
    shows: str
    top: int = 3


QUESTIONS: Final = (
    Question("Cosa abbiamo fatto ieri?", "it", "a day, and nothing from any other"),
    Question("Cosa sai di Davide?", "it", "a person: memories and facts"),
    Question("Cosa mi è piaciuto?", "it", "a feeling"),
    Question("Come si fanno gli gnocchi di susine?", "it", "a way to do something"),
    Question("Where do I live now?", "en", "what is true today, not what was"),
    Question("What did I say about the cello last week?", "en", "a topic within a week"),
    Question("How was I feeling about the interview?", "en", "how something felt"),
    Question("How do I stop a violin peg from slipping?", "en", "a way to do something"),
    Question("Che cosa è successo alla nonna Ada?", "it", "a story in several parts", top=4),
    Question("A che cosa sono allergica?", "it", "what was said again and again"),
)
