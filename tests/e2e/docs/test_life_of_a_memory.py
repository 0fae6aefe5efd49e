"""The page on the life of a memory: its examples hold, and its curves are those of the code."""

import subprocess
import sys

import pytest
from tests.fixtures.documents import ROOT, Block, blocks_of

PAGE = ROOT / "docs/life-of-a-memory.md"
EXAMPLES = [block for block in blocks_of(PAGE) if (block.language, block.notes) == ("python", ("run",))]


@pytest.mark.parametrize("block", EXAMPLES, ids=str)
def test_its_examples_hold(block: Block) -> None:
    subprocess.run([sys.executable, "-c", block.text], check=True)


def test_its_curves_are_drawn_by_the_code() -> None:
    assert len(EXAMPLES) >= 2
    subprocess.run([sys.executable, ROOT / "docs/draw_decay.py", "--check"], check=True)
