"""`ricordo bench`: its options, its benchmarks, and how their results are printed."""

import argparse
import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from ricordo.settings import Settings
from ricordo_lab.bench.analyser import analyser
from ricordo_lab.bench.batcher_bench import queue
from ricordo_lab.bench.embedding_bench import embedding
from ricordo_lab.bench.ingest import ingest
from ricordo_lab.bench.machine import describe, warn_of_others
from ricordo_lab.bench.measurement import Benchmark, Line, Options, Report
from ricordo_lab.bench.recall_bench import load, recall
from ricordo_lab.bench.startup import startup
from ricordo_lab.bench.working import working
from ricordo_lab.console import exit_code, print_line
from ricordo_lab.lab_names import ALL

BENCHES: Final[Mapping[str, Benchmark]] = {
    "startup": startup,
    "embedding": embedding,
    "queue": queue,
    "ingest": ingest,
    "recall": recall,
    "load": load,
    "working": working,
    "analyse": analyser,
}
"""The benchmarks by name."""
_NUMBERS: Final = {
    "messages": "messages (2,000)",
    "questions": "questions to ask at each size",
    "runs": "repetitions, of which the median counts",
    "rate": "messages that arrive each second (load)",
    "seconds": "seconds for which texts arrive (queue: 5)",
    "users": "users who send the messages of ingest",
}


def main(arguments: Sequence[str]) -> int:
    """Run the benchmarks that `arguments` name, and print what they find.

    Returns:
        The exit code: 0 done, 1 failed, 2 usage.
    """
    return exit_code(lambda: _measure(arguments))


async def run(name: str, options: Options, report: Report) -> None:
    """Run a benchmark, or all of them, and report the machine and what was found.

    Raises:
        KeyError: there is none of that name.
        MeasurementFailed: there was nothing to measure.
    """
    for number, one in enumerate(BENCHES if name == ALL else [name]):
        machine = describe()
        if number == 0:
            report(machine)
        warn_of_others(one, machine)
        await BENCHES[one](options, report)


def _measure(arguments: Sequence[str]) -> None:
    parser = _parser()
    asked = vars(parser.parse_args(arguments))
    name, as_json = asked.pop("name"), asked.pop("json")
    if asked["texts"] is not None:
        asked["texts"].stat()  # a missing file is reported before anything is measured
    asked["memories"] = tuple(asked["memories"])
    options = Options(**asked, settings=Settings())
    asyncio.run(run(name, options, _print_json if as_json else _print_text))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ricordo bench",
        description="Measure speed and size on this machine.",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    default = Options()
    parser.add_argument(
        "name", nargs="?", default=ALL, choices=[*BENCHES, ALL], metavar="NAME", help="which one"
    )
    parser.add_argument("--json", action="store_true", help="print JSON, an object a line")
    parser.add_argument("--texts", type=Path, metavar="FILE", help="a text a line, in place of made-up ones")
    parser.add_argument(
        "--profile", action="store_true", help="ingest: tell processor time by stage (py-spy)"
    )
    for name, words in _NUMBERS.items():
        usual = getattr(default, name)
        shown = words if usual is None else f"{words} ({usual:g})"
        parser.add_argument(f"--{name}", type=_positive, default=usual, metavar="N", help=shown)
    parser.add_argument(
        "--memories",
        type=_positive,
        nargs="+",
        default=default.memories,
        metavar="N",
        help="sizes of the memory of one user, for recall (1000 10000)",
    )
    each = (f"  {name:10} {(bench.__doc__ or '').partition('.')[0]}" for name, bench in BENCHES.items())
    parser.epilog = "\n".join(["NAME is one of", *each, f"  {ALL:10} All of these, the default"])
    return parser


def _positive(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 on, not {text[:40]!r}")
    return number


def _print_json(line: Line) -> None:
    print_line(json.dumps(line))


def _print_text(line: Line) -> None:
    rest = dict(line)
    title = str(rest.pop("bench"))
    if "run" in rest:
        print_line(f"  {title}: " + ", ".join(f"{name} {value}" for name, value in rest.items()))
        return
    print_line(f"\n{title}")
    for name, value in rest.items():
        pairs = value.items() if isinstance(value, dict) else ()
        print_line(f"  {name:24} {', '.join(f'{key} {each}' for key, each in pairs) or value}")
