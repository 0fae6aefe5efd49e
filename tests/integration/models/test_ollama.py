"""The Ollama adapter against a server on a real socket, which misbehaves in every way that a server can."""

import asyncio
import base64
import math
from collections.abc import AsyncIterator, Callable, Sequence

import numpy as np
import pytest
from tests.fixtures.ollama_stand_in import Behaviour, OllamaStandIn, ollama_stand_in
from tests.support.models import word_vectors

from ricordo.models.encoder import ModelSlow, ModelUnavailable
from ricordo.models.llm.ollama_encoder import OllamaEncoder, open_ollama
from ricordo.models.llm.ollama_server import ModelMissing, connect

PATIENT_S, HASTY_S = 20.0, 1.5


@pytest.fixture
def timeout() -> float:
    """Return the seconds that an answer may take; a test in which none comes allows less."""
    return PATIENT_S


@pytest.fixture
async def server() -> AsyncIterator[OllamaStandIn]:
    async with ollama_stand_in(["all-minilm:latest"]) as running:
        yield running


@pytest.fixture
async def encoder(server: OllamaStandIn, timeout: float) -> AsyncIterator[OllamaEncoder]:
    async with open_ollama(server.url, "all-minilm", timeout=timeout) as opened:
        await opened.prepared()
        yield opened


def embedded(server: OllamaStandIn) -> list[object]:
    return [body["input"] for path, body in server.requests if path == "/api/embed"]


async def test_vectors_come_in_order_and_in_batches(server: OllamaStandIn, encoder: OllamaEncoder) -> None:
    texts = [f"text number {n}" for n in range(70)]
    vectors = await encoder.encode(texts)
    np.testing.assert_allclose(vectors, word_vectors(texts, 384), atol=1e-6)
    assert vectors.dtype == np.float32
    assert embedded(server) == [texts[:32], texts[32:64], texts[64:]]
    assert all(body["keep_alive"] == -1 for path, body in server.requests if path == "/api/embed")


async def test_vectors_are_scaled_to_unit_norm_and_no_texts_cost_no_request(
    server: OllamaStandIn, encoder: OllamaEncoder
) -> None:
    assert (await encoder.encode([])).shape == (0, 384)
    assert embedded(server) == []
    server.behaviour.vectors = lambda texts: [[3.0] * 384 for _ in texts]
    [vector] = await encoder.encode(["long vector"])
    assert np.linalg.norm(vector) == pytest.approx(1)


async def test_any_text_can_be_sent(encoder: OllamaEncoder) -> None:
    texts = ["", "\0", "a \ud800 b", "x" * 40_000]
    assert (await encoder.encode(texts)).shape == (len(texts), 384)


FAULTS: dict[str, tuple[Callable[[Behaviour], object], str]] = {
    "hangs": (lambda it: setattr(it, "hang", True), "did not answer within 1.5 s at {url}"),
    "drops": (
        lambda it: setattr(it, "drop", True),
        "cannot be reached at {url}: Server disconnected without",
    ),
    "fails": (lambda it: setattr(it, "status", 500), "answered 500: the server was told to fail"),
    "is busy": (lambda it: setattr(it, "status", 503), "answered 503"),
    "no JSON": (lambda it: setattr(it, "raw", b"<html>"), "answered nonsense: it is no JSON"),
    "other JSON": (lambda it: setattr(it, "raw", b"[1]"), "answered nonsense: it is not what Ollama answers"),
    "an empty object": (lambda it: setattr(it, "raw", b"{}"), "answered nonsense: embeddings is missing"),
}
VECTORS: dict[str, Callable[[Sequence[str]], object]] = {
    "another dimension": lambda texts: [[1.0] * 768] * len(texts),
    "too few": lambda texts: [[1.0] * 384] * (len(texts) - 1),
    "none": lambda _: [],
    "NaN": lambda texts: [[math.nan] * 384] * len(texts),
    "infinity": lambda texts: [[math.inf] * 384] * len(texts),
    "zeros": lambda texts: [[0.0] * 384] * len(texts),
    "unlike lengths": lambda _: [[1.0], [1.0, 2.0]],
    "words": lambda _: "hello",
}
OTHERS = [name for name in (*FAULTS, *VECTORS) if name != "hangs"]


@pytest.mark.parametrize(
    ("names", "timeout"),
    [(["hangs"], HASTY_S), (OTHERS, PATIENT_S)],
    ids=["hangs", "others"],
)
async def test_a_server_that_misbehaves_is_unavailable_and_its_fault_is_told_in_one_line(
    server: OllamaStandIn, encoder: OllamaEncoder, names: Sequence[str]
) -> None:
    for name in names:
        fault, reason = FAULTS.get(name, (None, ""))
        if fault is None:
            server.behaviour.vectors = VECTORS[name]
        else:
            fault(server.behaviour)
        with pytest.raises(ModelUnavailable) as error:
            await encoder.encode(["one", "two"])
        told = str(error.value)
        assert told.startswith("all-minilm " + reason.format(url=server.url)), name
        assert len(told.splitlines()) == 1, name
        assert "http" not in told.replace(server.url, ""), name
        assert isinstance(error.value, ModelSlow) == (name == "hangs"), name
        server.behaviour = Behaviour()
        assert (await encoder.encode(["one", "two"])).shape == (2, 384), name


async def test_an_address_is_told_without_its_credentials_which_are_sent() -> None:
    async with connect("http://davide:secret@127.0.0.1:1", 5) as there:
        with pytest.raises(ModelUnavailable, match=r"reached at http://127\.0\.0\.1:1: All") as error:
            await there.has("all-minilm")
    assert "secret" not in str(error.value)
    heads: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b'HTTP/1.1 200 -\r\nContent-Length: 13\r\n\r\n{"models":[]}')
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        async with connect(f"http://davide:a%20secret@127.0.0.1:{port}", 5) as there:
            assert not await there.has("all-minilm")
    assert base64.b64encode(b"davide:a secret") in heads[0]


async def test_what_is_no_ollama_is_not_said_to_lack_the_model() -> None:
    async with (
        ollama_stand_in(["all-minilm:latest"]) as server,
        connect(f"{server.url}/elsewhere", 5) as there,
    ):
        with pytest.raises(ModelUnavailable, match="answered 404") as error:
            await there.has("all-minilm")
        assert not isinstance(error.value, ModelMissing)
    async with ollama_stand_in() as server, connect(server.url, 5) as there:
        assert not await there.has("all-minilm")
        for asking in (there.embed("all-minilm", ["one"]), there.load("all-minilm")):
            with pytest.raises(ModelMissing, match="does not have all-minilm"):
                await asking


async def test_a_server_that_is_away_does_not_stop_the_start() -> None:
    async with ollama_stand_in() as server:
        url = server.url
    async with open_ollama(url, "bge-m3", timeout=0.5) as encoder:
        assert encoder.dimensions == 1024
        with pytest.raises(ModelUnavailable, match="reached"):
            await encoder.encode(["anybody there?"])
    with pytest.raises(ModelUnavailable):
        async with open_ollama(url, "never-heard-of", timeout=0.5):
            pass


async def test_a_missing_model_is_pulled_once(server: OllamaStandIn) -> None:
    for _ in range(2):
        async with open_ollama(server.url, "nomic-embed-text") as encoder:
            await encoder.prepared()
            server.behaviour.dimensions = 768
            assert (await encoder.encode(["hello"])).shape == (1, 768)
    assert [path for path, _ in server.requests].count("/api/pull") == 1


async def test_a_pull_that_fails_is_said_when_the_model_is_asked(server: OllamaStandIn) -> None:
    server.behaviour.pull_error = "no such\nmodel"
    async with open_ollama(server.url, "nomic-embed-text") as encoder:
        await encoder.prepared()
        for _ in range(3):
            with pytest.raises(
                ModelUnavailable, match=r"be pulled: .* with an error: no such model; `ollama pull"
            ):
                await encoder.encode(["hello"])
    assert [path for path, _ in server.requests].count("/api/pull") == 1, "the registry is not hammered"


async def test_who_may_not_pull_says_what_to_do(server: OllamaStandIn) -> None:
    async with open_ollama(server.url, "bge-m3", pull=False) as encoder:
        with pytest.raises(ModelUnavailable, match="does not have bge-m3: `ollama pull bge-m3` there"):
            await encoder.encode(["hello"])
    assert "/api/pull" not in {path for path, _ in server.requests}


async def test_vectors_of_another_length_are_refused_with_advice(
    server: OllamaStandIn, encoder: OllamaEncoder
) -> None:
    server.behaviour.dimensions = 768
    with pytest.raises(ModelUnavailable, match=r"768 numbers.*384: what Ollama holds.*another model"):
        await encoder.encode(["hello"])


async def test_an_unknown_model_is_measured(server: OllamaStandIn) -> None:
    server.behaviour.dimensions = 17
    async with open_ollama(server.url, "home-made:v2") as encoder:
        assert encoder.dimensions == 17
        assert encoder.model == "home-made:v2"


async def test_cancelling_leaves_the_encoder_usable(server: OllamaStandIn, encoder: OllamaEncoder) -> None:
    server.behaviour.hang = True
    call = asyncio.create_task(encoder.encode(["hello"]))
    await server.received(len(server.requests) + 1)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    server.behaviour.hang = False
    assert (await encoder.encode(["hello"])).shape == (1, 384)
