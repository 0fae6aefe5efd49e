"""Whether a message puts right what was said before, in its own words."""

import pytest

from ricordo.language.corrections import read_correction

NAMED = [
    "Scusa, l'8 non il 3",
    "Scusate, alle sette e mezza, non alle otto!",
    "mi correggo: il treno parte lunedì, non sabato",
    "No aspetta, venerdì 9, non giovedì 8.",
    "errata corrige: si chiama Ada, non Ida",
    "Ho scritto male, non è il 4 maggio ma il 6 maggio",
    "Oops, it's the 22nd, not the 21st",
    "no wait, not Monday but Wednesday",
    "Sorry, dinner is at 8:30 instead of 8",
    "I was wrong about the day: it's 5 June, not 4 June",
    "Correction: the room is upstairs, not downstairs",
    "Her name is Edith, not Judith",
    "Actually the rent is 640, not 650",
    "Scusa, lavoro come fornaio, non come sarto.",
    "Sorry, I work as a baker, not as a tailor",
    "Scusa, ai kiwi, non alle fragole",
    "Sorry, mussels, not shrimps.",
]
ALONE = [
    "Mi correggo, la riunione è alle 17",
    "intendevo giovedì",
    "Scusa, il 30!",
    "no, alle 9",
    "anzi domani",
    "I meant Thursday",
    "sorry, the 30th",
    "Wait, no: at 9",
    "typo, 15 euros",
    "I was wrong, the match is on Sunday",
    "I was wrong: at 7",
]
NONE = [
    "Scusa il ritardo, arrivo tra 5 minuti",
    "Non ho 12 anni!",
    "Non vado a Roma, resto a casa",
    "No, grazie.",
    "Scusa, non posso venire martedì",
    "Non voglio il gelato ma la torta",
    "volevo dirti che parto il 4",
    "Sorry I'm late, the 9 bus never came",
    "I'm not going on Tuesday, sorry",
    "I meant to call you on Tuesday",
    "Sorry, I can't make it at 6",
    "It's not that I mind",
    "No, I live in Leeds with 2 cats",
    "I'm not hungry but I'd like some water",
    "We are not in Rome any more",
    "Scusa, non ho capito niente",
    "Scusa il disturbo, non trovo le chiavi",
    "Sorry, not today, I have a headache",
    "Sorry, I can't come to the party, not with this cold",
    "I was wrong about him",
    "x" * 5_000 + " sorry, the 12th not the 14th",
    "",
]


@pytest.mark.parametrize("text", NAMED)
def test_who_names_what_was_wrong_corrects_it(text: str) -> None:
    found = read_correction(text)
    assert found is not None
    assert found.denied or found.denied_words
    assert not set(found.denied) & set(found.said)


@pytest.mark.parametrize("text", ALONE)
def test_who_says_the_right_value_alone_corrects_too(text: str) -> None:
    found = read_correction(text)
    assert found is not None
    assert found.said
    assert not found.denied


@pytest.mark.parametrize("text", NONE)
def test_what_only_denies_or_apologises_corrects_nothing(text: str) -> None:
    assert read_correction(text) is None


@pytest.mark.parametrize(
    ("text", "denied", "said"),
    [
        ("Scusa, martedì 10, non lunedì 9", {("weekday", "0"), ("number", "9")}, {"1", "10"}),
        ("not the twelfth, sorry: the 13th not 12", {("number", "12")}, {"13"}),
        ("it's at 18:00, not at 17.30", {("number", "17:30")}, {"18"}),
        ("mi sono confusa: a luglio, non a maggio", {("month", "4")}, {"6"}),
    ],
)
def test_values_are_told_apart(text: str, denied: set[tuple[str, str]], said: set[str]) -> None:
    found = read_correction(text)
    assert found is not None
    assert {one[:2] for one in found.denied} == denied
    assert said <= {one.key for one in found.said}
