"""`ricordo bench`: which benchmarks there are, what they may be asked, and how they say what they found."""

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from ricordo.settings import Settings
from ricordo_services.bench.analyse import analyser
from ricordo_services.bench.embedding import embedding
from ricordo_services.bench.ending import exit_code
from ricordo_services.bench.enrich import enrichment
from ricordo_services.bench.index import index
from ricordo_services.bench.ingest import ingest
from ricordo_services.bench.machine import describe
from ricordo_services.bench.options import Bench, BenchFailed, Line, Options, Say
from ricordo_services.bench.recall import recall
from ricordo_services.bench.startup import startup

BENCHES: Final[Mapping[str, Bench]] = {
    "startup": startup,
    "embedding": embedding,
    "ingest": ingest,
    "recall": recall,
    "index": index,
    "analyse": analyser,
    "enrich": enrichment,
}
"""The benchmarks by name."""
ALL: Final = "all"


def main(arguments: Sequence[str]) -> int:
    """Run the benchmarks that `arguments` name, and print what they find.

    Args:
        arguments: those behind `ricordo bench`.

    Returns:
        The exit code: 0 done, 1 failed, 2 usage.
    """
    return exit_code(lambda: _measure(arguments), (BenchFailed,))


def _measure(arguments: Sequence[str]) -> None:
    asked = _parser().parse_args(arguments)
    options = Options(
        texts=asked.texts,
        messages=asked.messages,
        memories=tuple(asked.memories),
        questions=asked.questions,
        runs=asked.runs,
        settings=Settings(),
    )
    asyncio.run(run(asked.name, options, _print_json if asked.json else _print_text))


async def run(name: str, options: Options, say: Say) -> None:
    """Run the benchmark `name`, or all of them, and say what was found, the machine first.

    Raises:
        KeyError: there is none of that name.
        BenchFailed: there was nothing to measure.
    """
    chosen = list(BENCHES.values()) if name == ALL else [BENCHES[name]]
    say(describe())
    for bench in chosen:
        await bench(options, say)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ricordo bench", description="Measure speed and size on this machine.", allow_abbrev=False
    )
    default = Options()
    parser.add_argument("name", nargs="?", default=ALL, choices=[*BENCHES, ALL], metavar="NAME")
    parser.add_argument("--json", action="store_true", help="print JSON, an object a line")
    parser.add_argument("--texts", type=Path, metavar="FILE", help="a text a line, in place of made-up ones")
    parser.add_argument("--messages", type=_positive, default=default.messages, help="to publish at once")
    parser.add_argument(
        "--memories", type=_positive, nargs="+", default=default.memories, help="of one user, for recall"
    )
    parser.add_argument("--questions", type=_positive, default=default.questions, help="to ask at each size")
    parser.add_argument("--runs", type=_positive, default=default.runs, help="of which the median counts")
    parser.epilog = f"NAME is one of {', '.join(BENCHES)}, or {ALL} (the default)."
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def _print_json(line: Line) -> None:
    _write(json.dumps(line))


def _print_text(line: Line) -> None:
    rest = dict(line)
    title = str(rest.pop("bench"))
    if "run" in rest:
        said = ", ".join(f"{name} {value}" for name, value in rest.items())
        _write(f"  {title}: {said}")
        return
    _write(f"\n{title}")
    for name, value in rest.items():
        pairs = value.items() if isinstance(value, dict) else ()
        shown = ", ".join(f"{key} {each}" for key, each in pairs) or value
        _write(f"  {name:24} {shown}")


def _write(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
