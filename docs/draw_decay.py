#!/usr/bin/env python3
"""Draw the curves of docs/life-of-a-memory.md by its formula, or check that they are up to date.

.venv/bin/python docs/draw_decay.py [--check]
"""

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final
from uuid import UUID

from ricordo.language.annotations import Emotion
from ricordo.memory.decay import decay_factor
from ricordo.memory.model import Memory

_FILE: Final = Path(__file__).with_name("life-of-a-memory") / "decay.svg"
_WIDTH, _HEIGHT, _MARGIN = 720, 360, 48
_DAYS: Final = 365
_STORED: Final = datetime(2026, 1, 1, tzinfo=UTC)
_CURVES: Final = (
    ("nothing protects it: archived", "#b23a48", 0.0, 0.0),
    ("calm, importance 0.3", "#d68c45", 0.0, 0.3),
    ("arousal 0.8, importance 0.3", "#5b8e7d", 0.8, 0.3),
    ("arousal 0.5, importance 1", "#2c5784", 0.5, 1.0),
)
"""What is said of a curve, its colour, the arousal and the importance."""
_WEAK: Final = 0.3
"""The factor without floors below which a memory is archived, if it hardly matters and was hardly used."""


def drawing() -> str:
    """Return the curves as SVG: the factor over the days without use."""
    box = f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="12"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {box}>',
        "<title>The decay factor over days without use</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
    ]
    for tenth in range(0, 11, 2):
        y = _y(tenth / 10)
        lines.append(f'<line x1="{_x(0)}" y1="{y}" x2="{_x(_DAYS)}" y2="{y}" stroke="#dddddd"/>')
        lines.append(f'<text x="{_MARGIN - 8}" y="{y + 4}" text-anchor="end">{tenth / 10:.1f}</text>')
    lines += [
        f'<text x="{_x(day)}" y="{_HEIGHT - _MARGIN + 18}" text-anchor="middle">{day}</text>'
        for day in range(0, _DAYS + 1, 60)
    ]
    lines.append(f'<text x="{_x(_DAYS)}" y="{_HEIGHT - 8}" text-anchor="end">days without use</text>')
    for row, (said, colour, arousal, importance) in enumerate(_CURVES):
        lines.append(_line(_factors(arousal, importance), colour))
        unbounded = [_factor(day, arousal, importance, floors=False) for day in range(_DAYS + 1)]
        lines.append(_line(unbounded, colour, "2 4"))
        y = _MARGIN + 8 + 18 * row
        lines.append(f'<text x="{_x(_DAYS)}" y="{y}" text-anchor="end" fill="{colour}">{said}</text>')
    return "\n".join([*lines, "</svg>", ""])


def _factors(arousal: float, importance: float) -> list[float]:
    """Return the factor of each day, until the archive takes the memory, which was never recalled."""
    found = []
    for day in range(_DAYS + 1):
        if _factor(day, arousal, importance, floors=False) < _WEAK and importance < 0.5:
            break
        found.append(_factor(day, arousal, importance, floors=True))
    return found


def _factor(days: int, arousal: float, importance: float, *, floors: bool) -> float:
    memory = Memory(
        id=UUID(int=1),
        tenant="t",
        user_id="u",
        content="",
        created_at=_STORED,
        importance=importance,
        emotion=Emotion(arousal=arousal),
    )
    return decay_factor(memory, _STORED + timedelta(days=days), floors=floors)


def _line(values: Sequence[float], colour: str, dashes: str = "") -> str:
    points = " ".join(f"{_x(day)},{_y(value)}" for day, value in enumerate(values))
    dashed = f' stroke-width="1" stroke-dasharray="{dashes}"' if dashes else ' stroke-width="2"'
    return f'<polyline fill="none" stroke="{colour}"{dashed} points="{points}"/>'


def _x(day: float) -> float:
    return round(_MARGIN + day / _DAYS * (_WIDTH - 2 * _MARGIN), 1)


def _y(value: float) -> float:
    return round(_HEIGHT - _MARGIN - value * (_HEIGHT - 2 * _MARGIN), 1)


def main() -> int:
    """Write the file, or compare with it; return the exit code."""
    parser = argparse.ArgumentParser(description="Draw the curves of docs/life-of-a-memory.md.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail where the file is old")
    drawn = drawing()
    if parser.parse_args().check:
        if not _FILE.is_file() or _FILE.read_text(encoding="utf-8") != drawn:
            sys.stderr.write(f"{_FILE} is out of date: run docs/draw_decay.py\n")
            return 1
        return 0
    _FILE.parent.mkdir(exist_ok=True)
    _FILE.write_text(drawn, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
