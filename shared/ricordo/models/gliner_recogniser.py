"""Entity recognition by GLiNER, a zero-shot model on PyTorch or ONNX Runtime: the extra `gliner`."""

import asyncio
import importlib.util
from collections.abc import AsyncIterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import structlog

from ricordo.memory.facts.relation_validation import RecognisedEntity
from ricordo.models.encoder import ModelUnavailable, encodable, one_line
from ricordo.models.throttle import Throttle
from ricordo.runtime.tasks import in_background

_PACKAGE: Final = "gliner"
_TEXTS: Final = 8  # per batch of the model

_log = structlog.stdlib.get_logger(__name__)


class GlinerMissing(Exception):
    """The package `gliner` is not installed; the message says how to get it."""


@dataclass(slots=True, eq=False)
class GlinerRecogniser:
    """Recognises entities in process. The model is loaded at the first call, and again after a failure.

    Attributes:
        thread: runs the model, which computes for long without yielding.
        throttle: its limits.
        model: a folder, or a name on the hub.
        threshold: minimum score, in [0, 1].
        onnx_file: file in the folder of the model that ONNX Runtime runs instead of PyTorch, if present.
    """

    thread: ThreadPoolExecutor
    throttle: Throttle
    model: str
    labels: Sequence[str]
    threshold: float
    onnx_file: str
    runtime: str = ""
    _loaded: Any = None

    async def recognise(self, texts: Sequence[str]) -> list[Sequence[RecognisedEntity]]:
        """Return the entities of each text; none while the model cannot answer, as they are proposals."""
        found: list[Sequence[RecognisedEntity]] = []
        deadline = self.throttle.deadline()
        with suppress(ModelUnavailable):
            for at in range(0, len(texts), _TEXTS):
                some = texts[at : at + _TEXTS]
                found += await self.throttle.run(partial(self.entities, some), deadline)
        return found + [()] * (len(texts) - len(found))

    async def entities(self, texts: Sequence[str]) -> list[list[RecognisedEntity]]:
        """Return the entities of each of `texts`, in order; those of a text by their start.

        Raises:
            ModelUnavailable: the model cannot answer now.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.thread, self._find, [encodable(text) for text in texts])

    async def load(self) -> None:
        """Load the model, unless it is loaded; a failure is logged."""
        try:
            await asyncio.get_running_loop().run_in_executor(self.thread, self._ready)
        except ModelUnavailable as error:
            _log.warning("model could not be prepared", model=self.model, error=str(error))

    def _find(self, texts: list[str]) -> list[list[RecognisedEntity]]:
        model = self._ready()
        try:
            found = model.inference(
                texts, list(self.labels), threshold=self.threshold, flat_ner=True, batch_size=_TEXTS
            )
            return [
                sorted(
                    (_recognised(item, text) for item in entities), key=lambda item: (item.start, item.end)
                )
                for entities, text in zip(found, texts, strict=True)
            ]
        except Exception as error:  # any error means that the model is unavailable
            raise ModelUnavailable(f"{self.model} could not find entities: {one_line(error)}") from error

    def _ready(self) -> Any:  # noqa: ANN401 - the library has no types
        if self._loaded is None:
            self._loaded = self._load()
        return self._loaded

    def _load(self) -> Any:  # noqa: ANN401
        try:
            from gliner import GLiNER  # noqa: PLC0415 - PyTorch takes seconds to import

            folder = Path(self.model).expanduser()
            here = folder.is_dir()
            runtime: dict[str, object] = {}
            if here and (folder / self.onnx_file).is_file():
                runtime = {"load_onnx_model": True, "onnx_model_file": self.onnx_file}
            loaded = GLiNER.from_pretrained(
                str(folder) if here else self.model, local_files_only=here, map_location="cpu", **runtime
            )
        except Exception as error:  # the library raises errors of its dependencies
            raise ModelUnavailable(f"{self.model} cannot be loaded: {one_line(error)}") from error
        self.runtime = "onnxruntime" if runtime else "torch"
        _log.info("model loaded", model=self.model, runtime=self.runtime)
        return loaded


@asynccontextmanager
async def open_gliner(
    model: str,
    throttle: Throttle,
    *,
    labels: Sequence[str],
    threshold: float,
    onnx_file: str = "model.onnx",
) -> AsyncIterator[GlinerRecogniser]:
    """Open a GLiNER model, which is loaded in the background.

    Raises:
        GlinerMissing: the package is not installed.
    """
    if importlib.util.find_spec(_PACKAGE) is None:
        raise GlinerMissing("GLiNER is not installed: pip install '.[gliner]' in a checkout")
    thread = ThreadPoolExecutor(1, thread_name_prefix="gliner")
    recogniser = GlinerRecogniser(thread, throttle, model, labels, threshold, onnx_file)
    try:
        async with in_background(recogniser.load()):
            yield recogniser
    finally:
        thread.shutdown(wait=False, cancel_futures=True)


def _recognised(entity: Mapping[str, Any], text: str) -> RecognisedEntity:
    start, end = int(entity["start"]), int(entity["end"])
    if not 0 <= start < end <= len(text):
        raise ValueError(f"an entity at {start} to {end} of {len(text)} characters")
    return RecognisedEntity(start, end, str(entity["label"]), float(entity["score"]))
