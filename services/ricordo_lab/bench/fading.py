"""What the benchmark of decay found, as a section of a page."""

from collections.abc import Sequence
from typing import Final

from ricordo_lab.bench.lines import Section, columns
from ricordo_lab.bench.markdown import shown
from ricordo_lab.bench.options import Line


def _decay(lines: Sequence[Line]) -> Sequence[str]:
    *found, result = lines
    wanted = {"pass": "pass", "changed": "changed", "archived": "archived", "seconds": "s"}
    return [f"{shown(result['memories'])} memories.", columns(wanted, found)]


DECAY: Final[Section] = _decay
