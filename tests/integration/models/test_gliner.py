"""GLiNER's own loading and inference, on a tiny model with random weights: `make test-gliner` runs this.

Which entities such a model finds is a matter of chance, and always the same: that its answers arrive, from
PyTorch and from ONNX Runtime alike, is not.
"""

import asyncio
import importlib
import importlib.util
import shutil
import threading
import warnings
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Final

import pytest

from ricordo.clock import SystemClock
from ricordo.models.encoder import ModelUnavailable
from ricordo.models.gliner_recogniser import GlinerRecogniser, open_gliner
from ricordo.models.throttle import Throttle

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("gliner") is None, reason="make test-gliner installs GLiNER"),
    pytest.mark.filterwarnings("ignore"),  # PyTorch and its company warn of each other
]

LABELS: Final = ("person", "animal", "place")
TEXT: Final = "Anna vive a Pisa con Max."
SPECIAL: Final = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "<<ENT>>", "<<SEP>>")
WORDS: Final = (*SPECIAL, *"person animal place anna max pisa roma vive a con il cane . ,".split())
ALL: Final = 0.0
"""A threshold below which nothing is."""


def at(place: str, threshold: float = ALL, **options: str) -> AbstractAsyncContextManager[GlinerRecogniser]:
    return open_gliner(place, Throttle(SystemClock()), labels=LABELS, threshold=threshold, **options)


def _library(name: str) -> Any:  # noqa: ANN401 - the libraries are not installed where types are checked
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module(name)


def _tokenizer() -> Any:  # noqa: ANN401
    tokenizers, transformers = _library("tokenizers"), _library("transformers")
    numbers = {word: number for number, word in enumerate(WORDS)}
    made = tokenizers.Tokenizer(tokenizers.models.WordPiece(numbers, unk_token="[UNK]"))
    made.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", numbers["[CLS]"]), ("[SEP]", numbers["[SEP]"])]
    )
    made.add_special_tokens(list(SPECIAL))
    names = {f"{name.lower()}_token": f"[{name}]" for name in ("UNK", "PAD", "CLS", "SEP", "MASK")}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, **names)


def _built() -> Any:  # noqa: ANN401
    _library("torch").manual_seed(0)
    encoder = {
        "model_type": "bert",
        "vocab_size": len(WORDS),
        "hidden_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 32,
        "max_position_embeddings": 512,
    }
    configuration = _library("gliner.config").UniEncoderSpanConfig(
        model_name="tiny",
        encoder_config=encoder,
        hidden_size=16,
        max_width=3,
        max_len=128,
        dropout=0.0,
        vocab_size=len(WORDS),
        class_token_index=WORDS.index("<<ENT>>"),
    )
    model = _library("gliner.model").UniEncoderSpanGLiNER(
        configuration, tokenizer=_tokenizer(), backbone_from_pretrained=False
    )
    return model.eval()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("gliner") / "tiny"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _built().save_pretrained(place)
    return place


@pytest.fixture(scope="module")
def folder_with_onnx(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("gliner") / "exported"
    shutil.copytree(folder, place)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loaded = _library("gliner").GLiNER.from_pretrained(str(place), local_files_only=True)
        loaded.export_to_onnx(place)
    return place


ANY_TEXT: Final = (
    "",
    " ",
    "\0",
    "a \ud800 b",
    "x" * 40_000,
    "🎉" * 3_000,
    "</s>[INST]",
    "Ciao, Zoë!\n\n",
    TEXT,
)


@pytest.fixture(params=["torch", "onnxruntime"])
async def either(
    request: pytest.FixtureRequest, folder: Path, folder_with_onnx: Path
) -> AsyncIterator[GlinerRecogniser]:
    place = folder if request.param == "torch" else folder_with_onnx
    async with at(str(place)) as opened:
        yield opened


@pytest.mark.parametrize("text", ANY_TEXT)
async def test_entities_lie_in_their_text_in_its_order(either: GlinerRecogniser, text: str) -> None:
    (found,) = await either.entities([text])
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(0 <= one.score <= 1 and one.label for one in found)
    assert list(found) == sorted(found, key=lambda one: (one.start, one.end))


async def test_each_text_has_its_own_in_order_also_with_calls_at_once(either: GlinerRecogniser) -> None:
    texts = ["", TEXT, "ok", "Max"]
    together = await either.entities(texts)
    alone = await asyncio.gather(*(either.entities([text]) for text in texts))
    assert (len(together), list(together[0])) == (len(texts), [])
    assert list(await either.entities([])) == []
    for (one,), found in zip(alone, together, strict=True):
        assert [(e.start, e.end, e.label) for e in one] == [(e.start, e.end, e.label) for e in found]


@pytest.fixture
async def recogniser(folder: Path) -> AsyncIterator[GlinerRecogniser]:
    async with at(str(folder)) as opened:
        yield opened


async def test_entities_have_a_label_that_was_asked_for(recogniser: GlinerRecogniser) -> None:
    (found,) = await recogniser.entities([TEXT])
    assert found
    assert {one.label for one in found} <= set(LABELS)


async def test_both_runtimes_find_the_same(folder: Path, folder_with_onnx: Path) -> None:
    answers = []
    for place, runtime in ((folder, "torch"), (folder_with_onnx, "onnxruntime")):
        async with at(str(place)) as opened:
            answers.append(await opened.entities([TEXT, "Max"]))
            assert opened.runtime == runtime
    torch, onnx = answers
    assert [[(one.start, one.end, one.label) for one in each] for each in torch] == [
        [(one.start, one.end, one.label) for one in each] for each in onnx
    ]
    assert [one.score for one in torch[0]] == pytest.approx([one.score for one in onnx[0]], abs=1e-4)


async def test_a_name_of_the_export_that_is_not_there_leaves_pytorch(folder_with_onnx: Path) -> None:
    opening = at(str(folder_with_onnx), onnx_file="other.onnx")
    async with opening as opened:
        assert (await opened.entities([TEXT]))[0]
        assert opened.runtime == "torch"


async def test_below_the_threshold_there_is_nothing(folder: Path) -> None:
    async with at(str(folder), threshold=0.99) as opened:
        assert await opened.entities([TEXT, "Max"]) == [[], []]


async def test_it_is_loaded_once_on_a_thread_of_its_own(recogniser: GlinerRecogniser) -> None:
    await asyncio.gather(*(recogniser.entities([TEXT]) for _ in range(8)))
    assert [one.name for one in threading.enumerate()].count("gliner_0") == 1
    assert not [one for one in threading.enumerate() if one.name.startswith("gliner_1")]


async def test_what_cannot_be_loaded_is_unavailable_until_it_can(folder: Path, tmp_path: Path) -> None:
    place = tmp_path / "late"
    place.mkdir()
    (place / "gliner_config.json").write_text("{", encoding="utf-8")
    async with at(str(place)) as opened:
        with pytest.raises(ModelUnavailable, match="late cannot be loaded: "):
            await opened.entities([TEXT])
        shutil.rmtree(place)
        shutil.copytree(folder, place)
        assert (await opened.entities([TEXT]))[0]
