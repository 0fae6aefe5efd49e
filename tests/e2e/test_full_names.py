"""Somebody is found by the full name, the first name, and the surname that nobody else bears."""

import pytest
from tests.fixtures.wire import Bot, ago, msg

BARI = ("My friend Mario Rossi lives in Rome.", "Mario has moved: he lives in Bari now.")
TURIN = ("La mia collega Anna De Luca abita a Torino.", "Anna lavora alla Fiat.")
LEEDS = ("My neighbour Mr. Brown lives in Leeds.",)
MARIA = ("My friend Anna Maria De Luca lives in Rome.", "Anna Maria has moved: she lives in Bari now.")
CORK = ("My friend Sinead O´Connor lives in Cork.", "My friend Dario D'Angelo lives in Pescara.")
TWO = ("My friend Mario Rossi lives in Rome.", "My friend Anna Rossi lives in Pisa.")


@pytest.mark.parametrize(
    ("told", "names", "question", "answer"),
    [
        (
            *(BARI, ("Mario Rossi", "Mario", "Rossi"), "Where does {} live?"),
            "Mario Rossi lives in Bari. Before that: Rome.",
        ),
        (TURIN, ("Anna De Luca", "Anna", "De Luca"), "Dove abita {}?", "Anna De Luca vive a Torino."),
        (TURIN, ("Anna De Luca",), "Dove lavora {}?", "Anna De Luca lavora presso Fiat."),
        (LEEDS, ("Mr. Brown", "Brown"), "Where does {} live?", "Mr. Brown lives in Leeds."),
        (
            *(MARIA, ("Anna Maria De Luca", "Anna Maria", "De Luca", "Anna"), "Where does {} live?"),
            "Anna Maria De Luca lives in Bari. Before that: Rome.",
        ),
        (CORK, ("Sinead O‘Connor", "O'Connor"), "Where does {} live?", "Sinead O´Connor lives in Cork."),
        (TWO, ("Anna Rossi", "Anna"), "Where does {} live?", "Anna Rossi lives in Pisa."),
    ],
)
async def test_the_fact_is_told(
    bot: Bot, told: tuple[str, ...], names: tuple[str, ...], question: str, answer: str
) -> None:
    fields = {"language": "it" if told is TURIN else "en", "speaker": "Davide"}
    await bot.remember(
        *(msg(f"m-{n}", text, timestamp=ago(days=9 - n), **fields) for n, text in enumerate(told))
    )
    asked = {"user_id": "u-1", "language": fields["language"], "now": ago()}
    for name in names:
        reply = await bot.query("answer", query=question.format(name), **asked)
        assert (reply["answered"], reply["answer"]) == (True, answer), name
    if told is TWO:
        found = await bot.recall("Where does Rossi live?")
        assert found["facts"] == [], "it may be either"
