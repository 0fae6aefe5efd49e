#!/usr/bin/env python3
"""A step of the image: build the files of the embedding model into the cache folder, and see it answer.

Both precisions are built, since the processor where the image runs decides which is used.
"""

import asyncio
import sys

from ricordo.models.onnx.network import Precision
from ricordo.models.onnx.onnx_encoder import open_onnx
from ricordo.models.reader.answer_reader import AnswerReader

PRECISIONS: tuple[Precision, ...] = ("fp32", "int8")


async def main() -> None:
    """Load the model, which builds its files where there are none, and encode one text."""
    for precision in PRECISIONS:
        async with open_onnx(precision=precision) as model:
            shape = (await model.query.encode(["Ricordo"])).shape
        sys.stdout.write(f"{model.batch.model} in {precision} answers vectors of length {shape[1]}\n")
        AnswerReader(precision).close()


if __name__ == "__main__":
    asyncio.run(main())
