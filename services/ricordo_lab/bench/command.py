"""`ricordo bench`: which benchmarks there are, what they may be asked, and how they say what they found."""

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from ricordo.settings import Settings
from ricordo_lab.bench.analyse import analyser
from ricordo_lab.bench.backlog import backlog
from ricordo_lab.bench.batching import queue
from ricordo_lab.bench.decay import decay
from ricordo_lab.bench.embedding import embedding
from ricordo_lab.bench.ending import exit_code
from ricordo_lab.bench.enrich import enrichment
from ricordo_lab.bench.extract import extraction
from ricordo_lab.bench.facts import facts
from ricordo_lab.bench.fairness import fairness
from ricordo_lab.bench.graph import graph
from ricordo_lab.bench.index import index
from ricordo_lab.bench.ingest import ingest
from ricordo_lab.bench.machine import describe
from ricordo_lab.bench.options import Bench, BenchFailed, Line, Options, Say
from ricordo_lab.bench.others import warn_of_others
from ricordo_lab.bench.recall import recall
from ricordo_lab.bench.record import PAGE, Record
from ricordo_lab.bench.sleep import sleep
from ricordo_lab.bench.soak import soak
from ricordo_lab.bench.startup import startup
from ricordo_lab.bench.working import working
from ricordo_lab.bench.year.run import year
from ricordo_lab.names import ALL
from ricordo_services.app.processes import WORKERS

BENCHES: Final[Mapping[str, Bench]] = {
    "startup": startup,
    "embedding": embedding,
    "queue": queue,
    "ingest": ingest,
    "backlog": backlog,
    "fairness": fairness,
    "recall": recall,
    "working": working,
    "index": index,
    "analyse": analyser,
    "enrich": enrichment,
    "extract": extraction,
    "graph": graph,
    "facts": facts,
    "sleep": sleep,
    "decay": decay,
    "year": year,
    "soak": soak,
}
"""The benchmarks by name."""
_MESSAGES: Final = "to publish at once: 2,000 by default, for backlog 5,000; that fade, for decay: 1,000,000"
_FACTS: Final = "of one user: 20,000 by default for graph, 50,000 for facts"
_SECONDS: Final = "of arrivals, for queue: 5 by default; for which users come and go, for soak: 300"
_RECORD: Final = f"show the figures in the section of a page too, {PAGE} by default, and keep them beside it"
_NEEDED: Final = ("ingest", "encode", "enrichment", "index", "knowledge")  # each sets a stage


def main(arguments: Sequence[str]) -> int:
    """Run the benchmarks that `arguments` name, and print what they find.

    Args:
        arguments: those behind `ricordo bench`.

    Returns:
        The exit code: 0 done, 1 failed, 2 usage.
    """
    return exit_code(lambda: _measure(arguments), (BenchFailed,))


def _measure(arguments: Sequence[str]) -> None:
    parser = _parser()
    asked = parser.parse_args(arguments)
    if absent := _absent(asked.split):
        parser.error(f"--split leaves out {', '.join(absent)}")
    if asked.texts is not None:
        asked.texts.stat()  # what is not there is said before anything is measured
    options = Options(
        texts=asked.texts,
        messages=asked.messages,
        memories=tuple(asked.memories),
        questions=asked.questions,
        runs=asked.runs,
        seconds=asked.seconds,
        users=asked.users,
        limit=asked.limit,
        days=asked.days,
        daily=asked.daily,
        facts=asked.facts,
        split=tuple(asked.split),
        settings=Settings(),
    )
    record = None if asked.record is None else Record(asked.record)
    asyncio.run(run(asked.name, options, _print_json if asked.json else _print_text, record))


async def run(name: str, options: Options, say: Say, record: Record | None = None) -> None:
    """Run the benchmark `name`, or all of them, and say what was found, the machine first.

    Args:
        name: of the benchmark.
        options: what it is asked to do.
        say: takes each line.
        record: keeps what each benchmark found as soon as it has ended.

    Raises:
        KeyError: there is none of that name.
        BenchFailed: there was nothing to measure, or no place to record it.
    """
    chosen = list(BENCHES) if name == ALL else [name]
    if record is not None:
        record.check_place(chosen)
    for number, one in enumerate(chosen):
        machine = describe()  # each time: its mood may have changed
        if number == 0:
            say(machine)
        warn_of_others(one, machine, recorded=record is not None)
        found = await _found(BENCHES[one], options, say)
        if record is not None:
            record.keep(one, [machine, *found])


async def _found(bench: Bench, options: Options, say: Say) -> Sequence[Line]:
    lines: list[Line] = []

    def note(line: Line) -> None:
        lines.append(line)
        say(line)

    await bench(options, note)
    return lines


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
    parser.add_argument("--record", nargs="?", type=Path, const=PAGE, metavar="PAGE", help=_RECORD)
    parser.add_argument("--texts", type=Path, metavar="FILE", help="a text a line, in place of made-up ones")
    parser.add_argument("--messages", type=_positive, metavar="N", help=_MESSAGES)
    parser.add_argument(
        "--memories",
        type=_positive,
        nargs="+",
        default=default.memories,
        help="of one user, for recall and index",
    )
    parser.add_argument("--questions", type=_positive, default=default.questions, help="to ask at each size")
    parser.add_argument("--runs", type=_positive, default=default.runs, help="of which the median counts")
    parser.add_argument("--seconds", type=_positive, metavar="S", help=_SECONDS)
    parser.add_argument(
        "--users", type=_positive, default=default.users, help="who say what is in a backlog, or come and go"
    )
    parser.add_argument(
        "--limit", type=_positive, default=default.limit, help="seconds that a backlog may take"
    )
    parser.add_argument("--days", type=_positive, default=default.days, help="of each life, for year")
    parser.add_argument("--daily", type=_positive, default=default.daily, help="messages a day, for year")
    parser.add_argument("--facts", type=_positive, metavar="N", help=_FACTS)
    parser.add_argument(
        "--split",
        type=_workers,
        nargs="+",
        default=default.split,
        metavar="WORKERS",
        help="for ingest and backlog: the workers of each process, such as index,retrieval,lifecycle encode "
        "ingest,enrichment,knowledge; all in one by default",
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


def _workers(text: str) -> str:
    if strangers := [name for name in text.split(",") if name not in WORKERS]:
        raise argparse.ArgumentTypeError(f"no worker is called {', '.join(strangers)}")
    return text


def _absent(split: Sequence[str]) -> Sequence[str]:
    """Return which of the workers that a message needs no process has; a default needs no look."""
    named = {name for names in split for name in names.split(",")}
    if "embedding" in named:
        named |= {"encode", "index"}
    return [name for name in _NEEDED if split and name not in named]


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
