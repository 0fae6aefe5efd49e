"""Words that do not mean what they feel like, and what nobody says, as code: no feeling is read from them."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.language.annotations import NEUTRAL
from ricordo.language.emotion import estimate
from ricordo.language.emotion.figures import without_figures
from ricordo.language.markup import beginning, prose
from ricordo.memory.importance import importance


@pytest.mark.parametrize(
    ("said", "language", "left"),
    [
        ("My phone died", "en", "My phone "),
        ("The plants on my balcony died", "en", "The plants on my balcony "),
        ("I'm dying for a pizza", "en", "I'm  for a pizza"),
        ("this bug is killing me", "en", "this bug is  me"),
        ("She tested positive for covid", "en", "She tested  for covid"),
        ("Kill the process!", "en", " the process!"),
        ("È morta la lavatrice", "it", "È  la lavatrice"),
        ("Sono stanco morto", "it", "Sono stanco "),
        ("Muoio di fame, vieni?", "it", " di fame, vieni?"),
        ("Questo caldo mi uccide", "it", "Questo caldo mi "),
        ("Il tampone è positivo", "it", "Il tampone è "),
    ],
)
def test_what_is_not_meant_is_left_out(said: str, language: str, left: str) -> None:
    assert without_figures(said, language) == left


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("My dog died", "en"),
        ("The man in the red car died", "en"),
        ("He tried to kill me", "en"),
        ("He died for his country", "en"),
        ("I tried to kill myself", "en"),
        ("A positive person", "en"),
        ("È morto il padre di Luca", "it"),
        ("Sono morti in tre", "it"),
        ("Mio marito mi uccide", "it"),
        ("Una persona positiva", "it"),
        ("Mein Handy ist tot", "de"),
    ],
)
def test_what_is_meant_stays(said: str, language: str) -> None:
    assert without_figures(said, language) is said


@given(st.text(max_size=300), st.sampled_from(["it", "en", "de", ""]))
def test_nothing_is_added(said: str, language: str) -> None:
    rest = iter(said)
    assert all(letter in rest for letter in without_figures(said, language))


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("happy = 1", "en"),
        ('{"love": true}', "en"),
        ('<div class="happy"><p>hate</p></div>', "en"),
        ("def hate(self): return self.sad", "en"),
        ("const love = await getLove();", "en"),
        ("for (let sad of feelings) { cry(sad); }", "en"),
        ("SELECT happy FROM feelings WHERE sad = 0;", "en"),
        ("kill -9 4312", "en"),
        ("joy: false", "en"),
        ("#define LOVE 1", "en"),
        ("while triste: piangi()", "it"),
        ('{"gioia": 3, "paura": 1}', "it"),
        ('<p class="odio">rabbia</p>', "it"),
    ],
)
def test_code_feels_nothing(said: str, language: str) -> None:
    assert estimate(said, language) == NEUTRAL


@pytest.mark.parametrize(
    "said",
    [
        "I'm happy :)",
        "I love you = forever!",
        "Sono felice (davvero)",
        "Ho paura; tu?",
        "My mood: 10 out of 10, so happy",
        "<3 you",
        "return to me, my love",
        "If it rains I'll be sad - very sad",
        "Select the one you love",
    ],
)
def test_what_people_say_is_no_code(said: str) -> None:
    assert prose(said) == beginning(said)


def test_a_line_of_code_leaves_what_stands_beside_it() -> None:
    said = "I hate this:\nhappy = 1\nIt never works"
    assert "hate" in prose(said)
    assert "happy" not in prose(said)


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("Good luck!", "en"),
        ("Happy birthday, my friend!", "en"),
        ("I'm so sorry to hear that", "en"),
        ("I'm thrilled for you two!", "en"),
        ("Congrats on the new job!", "en"),
        ("That must be so hard for you", "en"),
        ("😢", "en"),
        ("Auguri!", "it"),
        ("Mi dispiace molto per il tuo cane", "it"),
        ("Complimenti per il nuovo lavoro!", "it"),
        ("Siamo felicissimi per voi!", "it"),
        ("❤️", "it"),
    ],
)
def test_courtesies_and_signs_alone_matter_little(said: str, language: str) -> None:
    assert importance(said, language, estimate(said, language)).value <= 0.3


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("I'm so sorry that I lied to you, I cried all night", "en"),
        ("Thank you. I am so happy today!", "en"),
        ("Grazie! Oggi sono felicissima", "it"),
        ("Mi dispiace, ho pianto tutta la notte", "it"),
    ],
)
def test_what_one_feels_oneself_matters_beside_them(said: str, language: str) -> None:
    rated = importance(said, language, estimate(said, language))
    assert "feeling" in {one.reason for one in rated.contributions}


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("I liked the concert", "en"),
        ("I really liked the lake", "en"),
        ("We enjoyed our stay at the farm", "en"),
        ("mi è piaciuto molto il film", "it"),
        ("Ci sono piaciute le foto", "it"),
    ],
)
def test_a_liking_said_plainly_is_pleasant(said: str, language: str) -> None:
    assert estimate(said, language).valence > 0.5


@pytest.mark.parametrize(
    ("said", "language"), [("I'd like a coffee", "en"), ("I didn't like it", "en"), ("Ti piace il tè?", "it")]
)
def test_what_is_no_liking_is_not(said: str, language: str) -> None:
    assert estimate(said, language).valence <= 0.5


@pytest.mark.parametrize(
    "hostile",
    [
        "dying " * 5_000,
        "i was dying of " * 2_000,
        "positive test " * 2_000,
        "a = " * 8_000,
        "<p> " * 8_000,
        "f(" * 16_000,
        "{" * 32_000,
        "if (a == b) " * 2_600,
        "muoio di " * 3_500,
        "😢" * 8_000,
    ],
)
@pytest.mark.parametrize("language", ["it", "en"])
def test_twice_as_much_takes_about_twice_as_long(hostile: str, language: str) -> None:
    def seconds(text: str) -> float:
        began = time.thread_time()
        importance(text, language, estimate(text, language))
        return time.thread_time() - began

    seconds(hostile[:100])
    pairs = [(seconds(hostile[: len(hostile) // 4]), seconds(hostile)) for _ in range(3)]
    short, whole = min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)
    assert whole < 16 * short + 0.2
