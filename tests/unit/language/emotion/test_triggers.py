"""What set off a feeling, as the text says it."""

import pytest

from ricordo.language.document import Document
from ricordo.language.emotion import estimate
from ricordo.language.emotion.triggers import trigger_of

_SAID = [
    ("en", "I'm so happy that we got the flat!", "we got the flat"),
    ("en", "The noise makes me so angry.", "The noise"),
    ("en", "I love my dog, but he barks.", "my dog"),
    ("en", "I got the job, so I am really happy", "I got the job"),
    ("en", "It was sad. I am worried about the exam on Friday.", "the exam on Friday"),
    ("en", "We were furious because the train was late again.", "the train was late again"),
    ("it", "Sono felicissima per la promozione!", "la promozione"),
    ("it", "Mi manca mia nonna.", "mia nonna"),
    ("it", "La pioggia mi rende triste.", "La pioggia"),
    ("it", "Sono triste perché Max è malato.", "Max è malato"),
    ("it", "Ho superato l'esame, quindi sono felice", "Ho superato l'esame"),
    ("it", "Ho paura dell'acqua alta", "acqua alta"),
]
_UNSAID = [
    ("en", "I was angry for two hours."),
    ("en", "I'm so excited at the moment!"),
    ("en", "I was sad at 5 pm in Rome."),
    ("en", "I was happy of course."),
    ("it", "Sono felice da morire!"),
    ("it", "Sono triste da due settimane."),
    ("en", "What a wonderful day!"),
    ("en", "I love you."),
    ("it", "Che bello!"),
    ("en", "We met on Friday."),
]


@pytest.mark.parametrize(("language", "text", "trigger"), _SAID)
def test_what_set_it_off_is_quoted(language: str, text: str, trigger: str) -> None:
    document = Document(text, language)
    assert trigger_of(document, estimate(document)) == trigger


@pytest.mark.parametrize(("language", "text"), _UNSAID)
def test_nothing_is_invented(language: str, text: str) -> None:
    document = Document(text, language)
    assert trigger_of(document, estimate(document)) == ""


def test_a_long_one_ends_at_a_word() -> None:
    document = Document("I am happy because " + "we walked " * 30, "en")
    found = trigger_of(document, estimate(document))
    assert 100 < len(found) <= 120
    assert found.endswith(("we", "walked"))
