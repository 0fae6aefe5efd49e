"""`ricordo eval`: which evaluations there are, and how they say what they found."""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from ricordo.settings import Settings
from ricordo_services.bench.options import BenchFailed
from ricordo_services.evaluation import fit, locomo, report, retrieval
from ricordo_services.models import model_names

_INTERRUPTED: Final = 130


def main(arguments: Sequence[str]) -> int:
    """Run the evaluation that `arguments` name, and print what it finds.

    Args:
        arguments: those behind `ricordo eval`.

    Returns:
        The exit code: 0 done, 1 failed, 2 usage.
    """
    try:
        asked = _parser().parse_args(arguments)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 2
    try:
        for line in EVALUATIONS[asked.name](asked):
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
    except (BenchFailed, locomo.UnreadableConversations, OSError) as failure:
        sys.stderr.write(f"ricordo: {failure}\n")
        return 1
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:  # whoever read had enough of it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _retrieval(asked: argparse.Namespace) -> Iterator[str]:
    rows = asyncio.run(retrieval.retrieval(locomo.read(asked.data), _progress))
    yield from _shown(rows, asked)


def _fit(asked: argparse.Namespace) -> Iterator[str]:
    conversations = locomo.read(asked.data)
    found = asyncio.run(fit.fit_on(conversations, _progress))
    questions = sum(len(one.questions) for one in conversations)
    source = f"{asked.data.name}: {len(conversations)} conversations, {questions} questions"
    written = found.toml(model_names(Settings().embedding)[0], source)
    if asked.out is not None:
        asked.out.write_text(written, encoding="utf-8")
        _progress(f"wrote {asked.out}")
    yield from _shown(found.rows, asked)
    if asked.out is None:
        yield "" if not asked.json else json.dumps({"weights": dict(found.weights), "bias": found.bias})
        yield from [] if asked.json else written.splitlines()


def _shown(rows: Sequence[report.Row], asked: argparse.Namespace) -> Iterator[str]:
    if asked.json:
        yield from (json.dumps(row.line()) for row in rows)
    else:
        yield from (report.markdown if asked.markdown else report.text)(rows)


EVALUATIONS: Final[dict[str, Callable[[argparse.Namespace], Iterator[str]]]] = {
    "retrieval": _retrieval,
    "fit": _fit,
}
"""The evaluations by name."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ricordo eval",
        description="Measure quality on a data set that you have.",
        allow_abbrev=False,
        epilog="retrieval and fit take conversations with questions in LoCoMo's shape; they start a whole "
        "system for it, and stop it. fit learns the weights of the profile `human`.",
    )
    parser.add_argument(
        "name", choices=[*EVALUATIONS], metavar="NAME", help=f"one of {', '.join(EVALUATIONS)}"
    )
    parser.add_argument("--data", type=Path, required=True, metavar="FILE", help="the data set")
    parser.add_argument("--json", action="store_true", help="print JSON, an object a line")
    parser.add_argument("--markdown", action="store_true", help="print tables and plots for a page")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where fit writes the weights")
    return parser


def _progress(said: str) -> None:
    sys.stderr.write(f"  {said}\n")
    sys.stderr.flush()
