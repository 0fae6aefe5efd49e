"""Ricordo beside its peers: who comes when, what is counted, and who is left out."""

import json
import struct
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.fixtures.conversations import conversation

from ricordo_lab.console import MeasurementFailed, UnreadableData
from ricordo_lab.evaluation.evaluation_command import main
from ricordo_lab.evaluation.recall_data import read_conversations
from ricordo_lab.peers import environments
from ricordo_lab.peers.comparison import Comparison, Record, portions, rotated
from ricordo_lab.peers.contenders import running
from ricordo_lab.peers.environments import PeerPackages, install
from ricordo_lab.peers.minilm import write_model

SIZES = {"word": 50, "position": 512, "token_type": 2}
FAKE = PeerPackages([], encodes=False, script=Path(__file__).parents[2] / "fixtures" / "fake_peer.py")


@pytest.fixture(autouse=True)
def _own_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ricordo_lab.peers.contenders.install", lambda *_: Path(sys.executable))


@asynccontextmanager
async def compared(folder: Path, *names: str) -> AsyncIterator[Comparison]:
    folder.mkdir(exist_ok=True)
    (folder / "chats.json").write_text(json.dumps([conversation("c-1"), conversation("c-2")]))
    comparison = Comparison(read_conversations(folder / "chats.json"))
    async with AsyncExitStack() as exits:
        for name in names:
            peer = await exits.enter_async_context(running(name, FAKE, folder, folder / "data"))
            comparison.records.append(Record(peer))
        yield comparison


@given(st.lists(st.integers(), max_size=30), st.integers(1, 9), st.integers(0, 99))
def test_portions_hold_all_and_everybody_comes_first_as_often(items: list[int], size: int, turn: int) -> None:
    assert [item for portion in portions(items, size) for item in portion] == items
    assert all(len(portion) <= size for portion in portions(items, size))
    places = range(len(items))
    assert sorted(rotated(places, turn)) == [*places]
    assert sorted(rotated(places, turn + more)[0] for more in places) == [*places]


async def test_each_is_told_and_asked_the_same(tmp_path: Path) -> None:
    async with compared(tmp_path, "one", "two") as comparison:
        await comparison.tell(3)
        await comparison.ask()
        rows = list(comparison.rows())
    assert [(row["table"], row["name"]) for row in rows] == [
        (table, name) for table in ("versions", "beside peers") for name in ("one", "two")
    ]
    first, second = rows[2:]
    assert (first["R@5"], first["R@10"]) == (second["R@5"], second["R@10"]) == (1.0, 1.0)
    assert first["of_first"] == 1.0
    for row in (first, second):
        assert all(float(str(row[name])) > 0 for name in ("messages_per_s", "p50_ms", "p95_ms", "memory_mb"))
        assert float(str(row["p50_ms"])) <= float(str(row["p95_ms"]))


async def test_what_grows_when_recalls_are_fed_back(tmp_path: Path) -> None:
    async with compared(tmp_path, "one") as comparison:
        await comparison.tell(100)
        await comparison.ask()
        (row,) = await comparison.echo(30, marked=True)
        assert row["memories"] == "8 → 38"
        assert (row["R@5"], row["R@10"]) == ("1.0 → 0.0", "1.0 → 0.0")
        assert await comparison.echo(30, marked=False) == []  # it marks nothing: it was bare before


@pytest.mark.parametrize(("name", "why"), [("broken", "OSError: no space left"), ("dying", "out of memory")])
async def test_who_fails_is_left_out_and_says_why(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str, why: str
) -> None:
    async with compared(tmp_path, "one", name) as comparison:
        await comparison.tell(3)
        await comparison.ask()
        assert [record.contender.name for record in comparison.records] == ["one"]
        assert comparison.failures == [{"left out": name, "because": why}]
    assert f"{name} is left out: {why}" in capfd.readouterr().err
    async with compared(tmp_path / "again", name) as comparison:
        with pytest.raises(MeasurementFailed, match=why):  # there is nothing to compare with
            await comparison.tell(3)


def test_what_cannot_be_installed_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        environments, "_installer", lambda _: [sys.executable, "-c", "exit('no such version')"]
    )
    with pytest.raises(MeasurementFailed, match="cannot be installed: no such version"):
        install("peer", ["peer==0"], tmp_path)
    assert not (tmp_path / "peer" / "installed").exists()


def test_an_environment_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = install("plain", [], tmp_path)
    assert python.is_file()
    monkeypatch.setattr(environments, "_run", pytest.fail)
    assert install("plain", [], tmp_path) == python


def test_minilm_is_made_of_its_weights_for_512_tokens_and_ignores_padding(tmp_path: Path) -> None:
    linear = {"attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"}
    shapes: dict[str, tuple[int, ...]] = {
        f"embeddings.{name}_embeddings.weight": (size, 384) for name, size in SIZES.items()
    }
    norms = ["embeddings.LayerNorm"]
    for prefix in (f"encoder.layer.{layer}." for layer in range(6)):
        wide = {"intermediate.dense": (1536, 384), "output.dense": (384, 1536)}
        for name, size in {**dict.fromkeys(linear, (384, 384)), **wide}.items():
            shapes |= {f"{prefix}{name}.weight": size, f"{prefix}{name}.bias": size[:1]}
        norms += [f"{prefix}attention.output.LayerNorm", f"{prefix}output.LayerNorm"]
    shapes |= {f"{name}.{part}": (384,) for name in norms for part in ("weight", "bias")}
    chance, header, content = np.random.default_rng(3), {}, b""
    for name, shape in shapes.items():
        tensor = (0.05 * chance.standard_normal(shape)).astype("<f4").tobytes()
        offsets = [len(content), len(content) + len(tensor)]
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": offsets}
        content += tensor
    head = json.dumps(header).encode()
    (tmp_path / "model.safetensors").write_bytes(struct.pack("<Q", len(head)) + head + content)
    write_model(tmp_path)
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx")

    def states(words: int, padding: int) -> NDArray[np.float32]:
        mask = np.array([[1] * words + [0] * padding])
        ids = mask * np.arange(words + padding) % SIZES["word"]
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": 0 * mask}
        found: NDArray[np.float32] = session.run(["last_hidden_state"], given)[0]
        return found[:, :words]

    assert states(512, 0).shape == (1, 512, 384)
    assert states(20, 0) == pytest.approx(states(20, 30), abs=1e-4)


def test_a_version_that_is_given_is_that_of_the_peer_alone() -> None:
    mem0 = environments.PEERS["mem0"]
    assert mem0.in_version("9.9").requirements == ["mem0ai==9.9", *mem0.requirements[1:]]


def test_an_unknown_peer_is_named(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(("peers", "--peer", "memo==1")) == 2
    assert "memo" in capfd.readouterr().err


def test_a_folder_without_evidence_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "m1", "text": "I sail", "at": "2026-09-01T10:00:00+02:00"}')
    never = {"kind": "never", "l": "en", "q": "where?", "accept": [], "evidence": []}
    (tmp_path / "a.questions.jsonl").write_text(json.dumps(never))
    with pytest.raises(UnreadableData, match="holds no question"):
        read_conversations(tmp_path)
