#!/usr/bin/env python3
"""A step of the image: build the file of the embedding model into the cache folder, and see it answer."""

import asyncio
import sys

from ricordo.models.onnx import open_minilm


async def main() -> None:
    """Load the model, which builds its file where there is none, and encode one text."""
    async with open_minilm() as minilm:
        shape = (await minilm.query.encode(["Ricordo"])).shape
        sys.stdout.write(f"{minilm.query.model} answers vectors of length {shape[1]}\n")


if __name__ == "__main__":
    asyncio.run(main())
