"""`ricordo eval lives`: what it may be asked, and how it says what it found."""

import argparse
import json
from collections.abc import Iterator, Mapping
from typing import Final

from ricordo_services.evaluation.lives.asking import as_told, live
from ricordo_services.evaluation.lives.living import LANGUAGES, lives
from ricordo_services.evaluation.lives.telling import figures, misses, right_first, table, unread

SUMMARY: Final = (
    "whether what people tell again and again comes first when it is asked for, in spite of what they say "
    "once by mistake; on lives that are made up, read and folded without a server"
)
_LIVES: Final = 100
_WIDTH: Final = 24


def options(parser: argparse.ArgumentParser) -> None:
    """Add what it may be asked."""
    parser.add_argument("--lives", type=_positive, default=_LIVES, metavar="N", help=f"how many ({_LIVES})")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="which ones (1)")
    parser.add_argument("--language", choices=[*LANGUAGES], help="only lives in one (both, by turns)")
    parser.add_argument("--misses", action="store_true", help="show what did not come first, or was not read")


def run(asked: argparse.Namespace) -> Iterator[str]:
    """Yield what is found: totals, a table by kind of question and language, and what was missed."""
    languages = [asked.language] if asked.language else [*LANGUAGES]
    made = list(lives(asked.lives, asked.seed, languages))
    found = [live(one) for one in made]
    totals = {
        **figures(found),
        "right_first_if_all_were_read": right_first([live(one, as_told) for one in made]),
    }
    if asked.json:
        yield json.dumps(totals)
        yield from map(json.dumps, table(found))
    else:
        yield from (f"{name:30} {figure}" for name, figure in totals.items())
        yield from _aligned(table(found))
    for one in (*misses(found), *unread(found)) if asked.misses else ():
        yield json.dumps(one, ensure_ascii=False) if asked.json else "  " + _in_words(one)


def _aligned(rows: Iterator[Mapping[str, object]]) -> Iterator[str]:
    """Yield the rows under their names, after an empty line."""
    for nth, row in enumerate(rows):
        about, *rest = row
        if nth == 0:
            yield ""
            yield f"{about:{_WIDTH}}" + "".join(f"{name.replace('_', ' '):>{_column(name)}}" for name in rest)
        yield f"{row[about]!s:{_WIDTH}}" + "".join(f"{row[name]!s:>{_column(name)}}" for name in rest)


def _column(name: str) -> int:
    return max(len(name), len("0.0000")) + 2


def _in_words(told: Mapping[str, object]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in told.items())


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not positive")
    return number
