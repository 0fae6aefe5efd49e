"""Checks annotated turns against the guide, and completes the short form in which they are written.

python -m ricordo_lab.reader.corpus_check FILE [--write FULL]
"""

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from ricordo.language.reading import (
    CERTAINTIES,
    DIRECTIONS,
    EMOTIONS,
    MESSAGE_KINDS,
    NAME_KINDS,
    PREDICATES,
    STATUSES,
)
from ricordo_lab.reader.annotations import SPEAKER

Row = Mapping[str, Any]
_AS_BEFORE: Final = ("c", "l", "s", "t")
"""Keys that may be left out where they are as in the line before."""
_USUAL: Final[Row] = {"v": 0, "ar": 0, "e": "neutral", "n": "", "tp": [], "en": [], "ev": [], "f": []}
_USUAL_FACT: Final[Row] = {
    "sub": SPEAKER,
    "pred": "",
    "obj": "",
    "pol": "+",
    "st": "current",
    "time": "",
    "q": "",
    "cert": "sure",
}
_SCALES: Final[Mapping[str, range]] = {
    "a": range(2),
    "inf": range(2),
    "i": range(4),
    "v": range(-2, 3),
    "ar": range(3),
}
_LANGUAGES: Final = frozenset({"it", "en", "de"})


def completed(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield rows with what the short form leaves out."""
    before: Row = {}
    for row in rows:
        known = {key: row.get(key, before.get(key, "")) for key in _AS_BEFORE}
        before = known
        bot = row.get("a", 0)
        informative = row.get("inf", 0 if bot else 1)
        yield {
            **known,
            "a": bot,
            "inf": informative,
            "i": 1 if informative else 0,
            **_USUAL,
            **row,
            "f": [{**_USUAL_FACT, **fact} for fact in row.get("f", ())],
        }


def faults(row: Row) -> Iterator[str]:
    """Yield what is wrong with a complete row."""
    text = row.get("x", "")
    if not text or not all(row[key] for key in _AS_BEFORE):
        yield "c, l, s, t or x is missing"
    if row["l"] not in _LANGUAGES or row["e"] not in EMOTIONS or row.get("k", "message") not in MESSAGE_KINDS:
        yield "l, e or k is unknown"
    if wrong := [key for key, scale in _SCALES.items() if row[key] not in scale]:
        yield f"out of range: {', '.join(wrong)}"
    verbatim = [row["n"], *row["tp"], *(part for part, _ in (*row["en"], *row["ev"]))]
    verbatim += [fact[key] for fact in row["f"] for key in ("obj", "q", "time")]
    if missing := [part for part in verbatim if part not in text]:
        yield f"not verbatim: {missing}"
    kinds = {kind for _, kind in row["en"]} - {*NAME_KINDS} | {kind for _, kind in row["ev"]} - {*DIRECTIONS}
    if kinds:
        yield f"unknown kinds: {sorted(kinds)}"
    for fact in row["f"]:
        known = fact["pred"] in PREDICATES and fact["st"] in STATUSES and fact["cert"] in CERTAINTIES
        if not known or fact["pol"] not in {"+", "-"} or not (fact["obj"] and fact["q"]):
            yield f"a fact is not as the guide has it: {fact}"
        if surplus := fact.keys() - _USUAL_FACT.keys():
            yield f"unknown keys of a fact: {sorted(surplus)}"


def main() -> None:
    """Print the faults of a file, and write its complete form if there are none."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--write", type=Path, metavar="FULL")
    asked = parser.parse_args()
    lines = asked.file.read_text(encoding="utf-8").splitlines()
    rows = list(completed(map(json.loads, filter(None, lines))))
    found = [f"{place}: {fault}" for place, row in enumerate(rows, 1) for fault in faults(row)]
    stated = sum(len(row["f"]) for row in rows)
    if asked.write is not None and not found:
        full = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        asked.write.write_text("".join(full), encoding="utf-8")
    summary = f"{len(rows)} turns, {stated} facts, {len(found)} faults"
    parser.exit(int(bool(found)), "\n".join([*found, summary]) + "\n")


if __name__ == "__main__":
    main()
