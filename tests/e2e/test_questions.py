"""The questions that people ask, in Italian and in English, to a small life among noise."""

import asyncio
from collections.abc import Sequence

import pytest
from nats.aio.client import Client
from tests.fixtures.running import Running
from tests.fixtures.wire import Bot, Json, at, ids, new_tenant, said

pytestmark = pytest.mark.e2e

ITALIAN: Sequence[tuple[str, float, str]] = (
    # id, days ago, what was said
    ("hike", 1.1, "Oggi siamo saliti al rifugio con lo zaino pieno, che salita!"),
    ("dinner", 0.8, "La sera abbiamo cucinato gli gnocchi tutti insieme."),
    ("older-walk", 4, "Abbiamo camminato lungo il fiume fino al mulino."),
    ("today", 0.1, "Stamattina ho messo in ordine la scrivania."),
    ("davide-job", 12, "Davide lavora in una libreria del centro."),
    ("davide-home", 11, "Davide abita a Bologna da due anni."),
    ("davide-bike", 10, "Davide ha una bicicletta rossa che non presta a nessuno."),
    ("concert", 15, "Il concerto di ieri mi è piaciuto tantissimo, è stato meraviglioso!"),
    ("cake", 16, "Che felicità la torta di compleanno, adoro le sorprese!"),
    ("flat-tyre", 17, "Che rabbia, ho bucato la gomma e ho perso il treno."),
    ("flu", 18, "Sono stato malissimo con l'influenza, una settimana terribile."),
    (
        "how-bread",
        20,
        "Per fare il pane: sciogli il lievito, impasta e lascia riposare due ore.",
    ),
    ("how-router", 21, "Per riavviare il router prima stacca la spina, poi aspetta un minuto e riattaccala."),
    ("abiogenesis", 25, "L'abiogenesi studia come la vita sia nata dalla materia non vivente."),
    ("abiogenesis-2", 25.01, "Sull'abiogenesi ho letto dell'esperimento di Miller e Urey."),
)
ENGLISH: Sequence[tuple[str, float, str]] = (
    ("hike", 1.1, "Today we climbed up to the hut with heavy bags, what a climb!"),
    ("dinner", 0.8, "In the evening we all cooked dumplings together."),
    ("older-walk", 4, "We walked along the river to the old mill."),
    ("today", 0.1, "This morning I tidied up my desk."),
    ("davide-job", 12, "Davide works at a bookshop downtown."),
    ("davide-home", 11, "Davide has lived in Bologna for two years."),
    ("davide-bike", 10, "Davide owns a red bicycle that he lends to nobody."),
    ("concert", 15, "I loved last night's concert, it was wonderful!"),
    ("cake", 16, "Such joy, the birthday cake! I adore surprises!"),
    ("flat-tyre", 17, "I am furious, I had a flat tyre and missed my train."),
    ("flu", 18, "I was terribly sick with the flu, an awful week."),
    (
        "how-bread",
        20,
        "To bake bread, first dissolve the yeast, then add the flour and knead it.",
    ),
    ("how-router", 21, "To restart the router, first unplug it, then wait a minute and plug it back in."),
    ("abiogenesis", 25, "Abiogenesis studies how life arose from matter that was not alive."),
    ("abiogenesis-2", 25.01, "About abiogenesis I read of the experiment of Miller and Urey."),
)
NOISE = {
    "it": (
        "Ho comprato il latte e due limoni.", "La riunione è alle tre.", "Il tram oggi era in ritardo.",
        "Devo richiamare l'idraulico.", "Ho finito il secondo capitolo.", "La stampante fa un rumore strano.",
        "Il gatto dei vicini dorme sul muretto.", "Ho cambiato la lampadina del corridoio.",
        "Il bollettino scade venerdì.", "Ho ordinato un paio di scarpe.", "Piove da due giorni.",
        "Ho spedito il pacco alla posta.", "La palestra chiude prima il sabato.", "Ho innaffiato i fiori.",
        "Il corriere è passato mentre dormivo.", "Ho rinnovato la tessera della biblioteca.",
        "Il parcheggio era pieno.", "Ho trovato una vecchia cartolina.",
    ),
    "en": (
        "I bought milk and two lemons.", "The meeting is at three.", "The tram was late today.",
        "I have to call the plumber back.", "I finished the second chapter.", "The printer is noisy.",
        "The neighbours' cat sleeps on the wall.", "I changed the light bulb in the corridor.",
        "The bill is due on Friday.", "I ordered a pair of shoes.", "It has been raining for two days.",
        "I sent the parcel from the post office.", "The gym is shut.", "I watered the basil.",
        "The courier came while I was asleep.", "I renewed my library card.",
        "The car park was full.", "I found an old postcard.",
    ),
}  # fmt: skip


def life(language: str) -> list[Json]:
    told = ITALIAN if language == "it" else ENGLISH
    messages = [
        said(name, text, timestamp=at(days=days), conversation_id=name.partition("-")[0])
        for name, days, text in told
    ]
    messages += [
        said(f"noise-{n}", text, timestamp=at(days=3 + 1.7 * n), conversation_id=f"noise-{n}")
        for n, text in enumerate(NOISE[language])
    ]
    return [
        message | {"id": f"{language}-{message['id']}", "user_id": language, "timezone": "Europe/Rome"}
        for message in messages
    ]


@pytest.fixture(scope="module")
def tenant(running: Running) -> str:
    return asyncio.run(_live(running))


async def _live(running: Running) -> str:
    async with running.connection() as connection:
        bot = Bot(connection, new_tenant())
        await bot.remember(*life("it"), *life("en"))
    return bot.tenant


@pytest.fixture
def lived(wire: Client, tenant: str) -> Bot:
    return Bot(wire, tenant)


async def ask(bot: Bot, question: str, **request: object) -> Json:
    reply = await bot.recall(question, user_id=language_of(question), **request)
    assert reply["degraded"] == []
    assert reply["analysis"]["language"] == language_of(question), reply["analysis"]
    return reply


def found_in(memories: list[Json]) -> list[str]:
    return [one.partition("-")[2] for one in ids(memories)]


def language_of(question: str) -> str:
    return "en" if question.startswith(("What", "How", "Tell", "Hello")) else "it"


@pytest.mark.parametrize("question", ["Cosa abbiamo fatto ieri?", "What did we do yesterday?"])
async def test_yesterday_is_yesterday_and_nothing_else(lived: Bot, question: str) -> None:
    reply = await ask(lived, question)
    assert reply["analysis"]["intent"] == "temporal"
    time = reply["analysis"]["time"]
    assert (time["start"], time["end"]) == ("2026-03-10T23:00:00Z", "2026-03-11T23:00:00Z")  # in Rome
    assert set(found_in(reply["memories"])) == {"hike", "dinner"}


@pytest.mark.parametrize("question", ["Cosa abbiamo fatto ieri?", "What did we do yesterday?"])
async def test_of_a_day_without_memories_there_are_none(lived: Bot, question: str) -> None:
    for now in (at(days=-40), at(days=300)):
        reply = await ask(lived, question, now=now)
        assert reply["memories"] == []
        assert reply["analysis"]["fallback"] is None


@pytest.mark.parametrize("question", ["Cosa sai di Davide?", "What do you know about Davide?"])
async def test_a_person_brings_memories_of_that_person_and_facts(lived: Bot, question: str) -> None:
    reply = await ask(lived, question)
    assert reply["analysis"]["intent"] == "entity"
    assert reply["analysis"]["entities"] == ["Davide"]
    assert set(found_in(reply["memories"])) == {"davide-job", "davide-home", "davide-bike"}
    facts = {(fact["subject"], fact["predicate"], fact["object"]) for fact in reply["facts"]}
    assert ("Davide", "lives_in", "Bologna") in facts


@pytest.mark.parametrize("question", ["Cosa ti è piaciuto?", "What did you like?"])
async def test_what_was_liked_has_a_positive_valence(lived: Bot, question: str) -> None:
    reply = await ask(lived, question)
    assert (reply["analysis"]["intent"], reply["analysis"]["emotion_filter"]) == ("emotional", "positive")
    assert {"concert", "cake"} <= set(found_in(reply["memories"]))
    assert all(memory["emotion"]["valence"] > 0.5 for memory in reply["memories"])
    assert not {"flat-tyre", "flu"} & set(found_in(reply["memories"]))


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Come si fa il pane?", "how-bread"),
        ("Come si riavvia il router?", "how-router"),
        ("How do you bake bread?", "how-bread"),
        ("How do I restart the router?", "how-router"),
    ],
)
async def test_how_to_brings_what_tells_how_to(lived: Bot, question: str, found: str) -> None:
    reply = await ask(lived, question)
    assert reply["analysis"]["intent"] == "procedural"
    assert found_in(reply["memories"])[0] == found
    assert [memory["type"] for memory in reply["memories"]][:2] == ["procedural", "procedural"]
    assert len(reply["memories"]) == 10  # a preference: the others follow
    assert reply["analysis"]["fallback"] is None


@pytest.mark.parametrize("question", ["Parlami di ABIOGENESI", "Tell me about ABIOGENESIS"])
async def test_a_topic_brings_what_is_about_it(lived: Bot, question: str) -> None:
    reply = await ask(lived, question)
    assert reply["analysis"]["intent"] == "topic"
    assert set(found_in(reply["memories"])[:2]) == {"abiogenesis", "abiogenesis-2"}
    assert reply["analysis"]["fallback"] is None


@pytest.mark.parametrize("question", ["Ciao, come stai?", "Hello, how are you?"])
async def test_small_talk_is_general(lived: Bot, question: str) -> None:
    reply = await ask(lived, question)
    assert reply["analysis"]["intent"] == "general"
    assert reply["analysis"]["time"]["type"] == "none"


async def test_explicit_filters_are_never_relaxed(lived: Bot) -> None:
    nobody = await lived.recall("il pane", user_id="it", filters={"participants": ["Nessuno"]})
    assert nobody["memories"] == []
    window = {"start": at(days=5), "end": at(days=3.5)}
    walked = await lived.recall("che cosa ho fatto", user_id="it", filters=window)
    assert "older-walk" in found_in(walked["memories"])
    assert all(at(days=5) <= memory["created_at"] < at(days=3.5) for memory in walked["memories"])
    negative = await lived.recall("una giornata", user_id="it", filters={"emotion": "negative"})
    assert set(found_in(negative["memories"])) <= {"flat-tyre", "flu"}
    assert all(memory["emotion"]["valence"] < -0.5 for memory in negative["memories"])
    important = await lived.recall("tutto", user_id="it", limit=50, filters={"min_importance": 0.99})
    assert important["memories"] == []


async def test_whom_no_sentence_introduces_is_found_all_the_same(bot: Bot) -> None:
    await bot.remember(
        said("m-1", "Abbiamo preso un gatto: si chiama Tortellino."),
        said("m-2", "Tortellino è scappato dal terrazzo stanotte.", conversation_id="c-2"),
        said("m-3", "Ho comprato il latte e due limoni.", conversation_id="c-3"),
    )
    found = await bot.recall("Cosa è successo a Tortellino?")
    assert set(ids(found["memories"])[:2]) == {"m-1", "m-2"}
    assert found["analysis"]["fallback"] is None
