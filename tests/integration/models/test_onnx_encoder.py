"""The sentence model runs in this process, on the published weights."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio
from structlog.testing import capture_logs

from ricordo.language.annotations import E5
from ricordo.models.encoder import ModelUnavailable
from ricordo.models.onnx import e5_checkpoint
from ricordo.models.onnx.e5_checkpoint import CheckpointMissing, installed_e5
from ricordo.models.onnx.network import Network, Session
from ricordo.models.onnx.onnx_encoder import OnnxEncoder, OnnxModel, open_onnx

pytestmark = pytest.mark.asyncio(loop_scope="module")

LONG = "the harbour was full of small boats and we counted every one of them " * 40
OPENINGS = (
    "Yesterday", "My sister says that", "In Trieste", "Ieri sera", "Non ti ho mai detto che", "Honestly,",
    "The doctor thinks", "Before breakfast", "Because of the rain", "In the garden",
)  # fmt: skip
ENDINGS = (
    "we lost the keys of the house.", "it snowed.", "nobody answered the phone!", "mio padre è guarito.",
    "we signed the contract for the flat in Via Rossetti.", "mi hanno rubato la bicicletta.", "who was it?",
    "there are 42 boats in the harbour.", "I am allergic to nuts.", "it costs 1,200 euros a month.",
    "the server failed and all backups were empty.", "il concerto è stato rimandato a maggio.",
)  # fmt: skip


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def model() -> AsyncIterator[OnnxModel]:
    async with open_onnx(precision="fp32") as opened:
        yield opened


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def rounded() -> AsyncIterator[OnnxModel]:
    async with open_onnx(precision="int8") as opened:
        yield opened


async def test_vectors_have_unit_norm_in_the_order_of_the_texts(model: OnnxModel) -> None:
    texts = [f"note number {n} says " + "more and more " * (n * 7 % 23) for n in range(34)]
    vectors = await model.batch.encode(texts)
    assert vectors.shape == (34, model.batch.dimensions) == (34, 384)
    assert vectors.dtype == np.float32
    assert (await model.batch.encode([])).shape == (0, 384)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    for index in (0, 13, 33):
        alone = await model.statement.encode([texts[index]])
        np.testing.assert_allclose(alone[0], vectors[index], atol=1e-5)


@pytest.mark.parametrize("text", ["", " ", "\0", "a\0b", "\ud800", "x" * 40_000, LONG * 15, "🙂" * 300])
async def test_any_text_has_a_vector(model: OnnxModel, text: str) -> None:
    [vector] = await model.batch.encode([text])
    assert np.isfinite(vector).all()
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


async def test_a_long_text_is_its_beginning(model: OnnxModel) -> None:
    one, other = await model.batch.encode([LONG + "and then it rained", LONG + "the end"])
    np.testing.assert_allclose(one, other, atol=1e-5)


async def test_truncated_texts_are_counted_and_told(model: OnnxModel) -> None:
    assert isinstance(model.batch, OnnxEncoder)
    before, long = model.batch.truncated, "memory " * 300
    with capture_logs() as lines:
        await model.batch.encode([long, "short", long])
        await model.batch.encode([long])
        await model.batch.encode(["short"])
    assert model.batch.truncated == before + 3
    cut = [line for line in lines if line["event"] == "texts were truncated"]
    told = [(line["log_level"], line["truncated"], line["texts"], line["tokens"]) for line in cut]
    assert told == [("debug", 2, 3, 256), ("debug", 1, 1, 256)]


ANSWER = (
    "My sister has a flat in Turin.",
    "My brother called me yesterday.",
    "The compiler rejects this template.",
)


@pytest.mark.parametrize("answers", [ANSWER, ("Mia sorella ha un appartamento a Torino.", *ANSWER[1:])])
async def test_meaning_orders_the_sentences(model: OnnxModel, answers: tuple[str, ...]) -> None:
    [question] = await model.query.encode(["Where does my sister live?"])
    near, related, far = await model.batch.encode(answers) @ question
    assert near > related > far
    assert near > far + 0.2


async def test_a_query_does_not_wait_for_batches(model: OnnxModel) -> None:
    batches = [asyncio.create_task(model.batch.encode([LONG] * 32)) for _ in range(2)]
    for _ in range(5):
        await model.query.encode(["Where is the key?"])
    assert not any(batch.done() for batch in batches)
    for batch in batches:
        batch.cancel()
    await asyncio.gather(*batches, return_exceptions=True)


async def test_the_event_loop_stays_free_while_batches_run(model: OnnxModel) -> None:
    batch = asyncio.create_task(model.batch.encode([LONG * 15] * 4))
    turns = 0
    while not batch.done():
        await asyncio.sleep(0.001)
        turns += 1
    assert turns > 20


async def test_a_cancelled_batch_leaves_the_model_usable(model: OnnxModel) -> None:
    batch = asyncio.create_task(model.batch.encode([LONG] * 16))
    await asyncio.sleep(0.02)
    batch.cancel()
    with pytest.raises(asyncio.CancelledError):
        await batch
    assert (await model.batch.encode(["still here"])).shape == (1, 384)


async def test_a_closed_model_says_so() -> None:
    async with open_onnx() as opened:
        pass
    with pytest.raises(ModelUnavailable, match="closed"):
        await opened.batch.encode(["too late"])


async def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(e5_checkpoint, "find_spec", lambda _name: None)
    with pytest.raises(CheckpointMissing, match="install"):
        installed_e5()


async def test_eight_bits_are_hardly_another_model(model: OnnxModel, rounded: OnnxModel) -> None:
    texts = [f"{opening} {ending}" for opening in OPENINGS[::2] for ending in ENDINGS]
    cosines = (await rounded.batch.encode(texts) * await model.batch.encode(texts)).sum(axis=1)
    assert cosines.mean() >= 0.985
    assert cosines.min() >= 0.95


async def test_with_eight_bits_a_vector_is_a_function_of_its_text(rounded: OnnxModel) -> None:
    texts = [f"{ending} {LONG[:length]}" for length in (0, 30, 300) for ending in ENDINGS]
    alone = np.concatenate([await rounded.statement.encode([text]) for text in texts])
    random = np.random.default_rng(7)
    for size in (5, len(texts)):
        order = random.permutation(len(texts))
        for start in range(0, len(texts), size):
            some = order[start : start + size]
            vectors = await rounded.batch.encode([texts[index] for index in some])
            np.testing.assert_array_equal(vectors, alone[some])


async def test_a_file_that_cannot_be_loaded_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="cannot be loaded"):
        Network(Session(E5, tmp_path / "missing.onnx"), installed_e5().vocabulary(), "fp32").run([[101, 102]])
