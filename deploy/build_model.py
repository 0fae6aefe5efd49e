#!/usr/bin/env python3
"""A step of the image: build the files of the embedding model into the cache folder, and see them answer.

Both precisions are built, since the processor where the image runs decides which is used.
"""

import asyncio
import sys

from ricordo.models.onnx import Precision, open_minilm

PRECISIONS: tuple[Precision, ...] = ("fp32", "int8")


async def main() -> None:
    """Load the model, which builds its file where there is none, and encode one text."""
    for precision in PRECISIONS:
        async with open_minilm(precision=precision) as minilm:
            shape = (await minilm.query.encode(["Ricordo"])).shape
            sys.stdout.write(f"{minilm.query.model} in {precision} answers vectors of length {shape[1]}\n")


if __name__ == "__main__":
    asyncio.run(main())
