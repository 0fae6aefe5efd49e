"""What tells something, and what only keeps the talk going."""

import pytest
from tests.fixtures.growth import LINEAR, growth

from ricordo.language.small_talk import tells_something

SMALL_TALK = [
    ("en", "ok"),
    ("en", "Thanks!"),
    ("en", "Thanks, Maria! I really appreciate your support."),
    ("en", "Hey Jon! Good to see you. What's up? Anything new?"),
    ("en", "Sounds great! Let me know what you think."),
    ("en", "See you later, Joanna!"),
    ("en", "Wow, that's so cool!"),
    ("it", "ok"),
    ("it", "Grazie mille!"),
    ("it", "Ciao, come stai?"),
    ("it", "Buongiorno Davide!"),
    ("it", "Va bene, ci sentiamo dopo."),
    ("it", "Che bello, sono contento!"),
    ("it", "Ahahah davvero? Fantastico!"),
    ("it", "D'accordo, perfetto."),
    ("de", "Hallo!"),
    ("", "👍👍👍"),
    ("", ""),
    ("en", "12:30, 4 5 6"),
]
TELLING = [
    ("en", "I adopted a dog yesterday, his name is Max."),
    ("en", "I love pizza"),
    ("en", "Thanks! My sister is moving to Dublin."),
    ("it", "Ieri ho adottato un cane, si chiama Max!"),
    ("it", "Adoro il tiramisù."),
    ("it", "Ciao! Domani vado a correre con Davide."),
    ("de", "Ich habe gestern einen Hund adoptiert."),
    ("", "Ho comprato una bicicletta"),
]


@pytest.mark.parametrize(("language", "text"), SMALL_TALK)
def test_courtesy_and_greetings_tell_nothing(language: str, text: str) -> None:
    assert not tells_something(text, language)


@pytest.mark.parametrize(("language", "text"), TELLING)
def test_a_matter_tells_something(language: str, text: str) -> None:
    assert tells_something(text, language)


@pytest.mark.parametrize("part", ["haa", "ahah ", "h", "a", "lo"])
@pytest.mark.parametrize("language", ["it", "en"])
def test_laughter_made_to_take_long_does_not(part: str, language: str) -> None:
    assert growth(lambda said: tells_something(said, language), part, 30_000) < LINEAR
