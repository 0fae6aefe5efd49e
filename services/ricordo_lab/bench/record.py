"""What was measured, kept beside the page that shows it.

python -m ricordo_lab.bench.record [PAGE] [--check]

The page is written by people, but for what stands between two comments that name a benchmark: that is made
from the record, by the command above or whenever something is measured to be recorded.
"""

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from ricordo_lab.bench.options import BenchFailed, Line
from ricordo_lab.bench.report import section

PAGE: Final = Path("docs/performance.md")
"""Of the project, where commands of its developers are run."""
FIGURES: Final = "figures.json"
_SECTION: Final = re.compile(
    r"(?P<begin><!-- figures of (?P<name>[a-z]+): written by ricordo bench --record -->\n)"
    r".*?"
    r"(?P<end><!-- end of figures -->)",
    re.DOTALL,
)

Figures = Mapping[str, Sequence[Line]]
"""The lines of each benchmark, the machine first."""


class Record:
    """The figures of a page; they are in a file in the folder that has the page's name.

    Args:
        page: a Markdown file.

    Raises:
        BenchFailed: there is no such page, or its figures cannot be read.
    """

    def __init__(self, page: Path) -> None:
        self._page = page
        self._file = page.with_suffix("") / FIGURES
        if not page.is_file():
            raise BenchFailed(f"{page} is no file that figures could be recorded in")
        self._figures = _read(self._file)

    def check_place(self, names: Sequence[str]) -> None:
        """See that the page has a place for each benchmark, before hours are spent.

        Raises:
            BenchFailed: it has none for one of them.
        """
        places = {found["name"] for found in _SECTION.finditer(self._page.read_text(encoding="utf-8"))}
        if homeless := [name for name in names if name not in places]:
            raise BenchFailed(f"{self._page} has no place for the figures of {', '.join(homeless)}")

    def keep(self, name: str, lines: Sequence[Line]) -> None:
        """Keep the lines of a benchmark, the machine first, and show them on the page."""
        self._figures = {**self._figures, name: list(lines)}
        self._file.parent.mkdir(exist_ok=True)
        self._file.write_text(_text(self._figures), encoding="utf-8")
        self.write()

    def write(self) -> None:
        """Write the page anew."""
        self._page.write_text(self.written(), encoding="utf-8")

    def is_shown(self) -> bool:
        """Tell whether the page shows the figures as they are."""
        return self._page.read_text(encoding="utf-8") == self.written()

    def written(self) -> str:
        """Return the page with the figures; a section of what was not measured stays as it is.

        Raises:
            BenchFailed: what was recorded by another version lacks a figure.
        """

        def fresh(found: re.Match[str]) -> str:
            name = found["name"]
            if name not in self._figures:
                return found[0]
            try:
                return f"{found['begin']}\n{section(self._figures[name])}\n\n{found['end']}"
            except LookupError as error:
                raise BenchFailed(
                    f"the recorded figures of {name} lack {error}: measure them again"
                ) from None

        return _SECTION.sub(fresh, self._page.read_text(encoding="utf-8"))


def _read(file: Path) -> Figures:
    if not file.exists():
        return {}
    try:
        return dict(json.loads(file.read_text(encoding="utf-8")))
    except (ValueError, TypeError) as error:
        raise BenchFailed(f"{file} cannot be read: {error}") from None


def _text(figures: Figures) -> str:
    """Return JSON with a line of its own for each line of a benchmark, so that changes are easily seen."""
    benches = []
    for name, lines in sorted(figures.items()):
        rows = ",\n".join(f"    {json.dumps(line, ensure_ascii=False)}" for line in lines)
        benches.append(f"  {json.dumps(name)}: [\n{rows}\n  ]")
    return "{\n" + ",\n".join(benches) + "\n}\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check a page; return the exit code."""
    parser = argparse.ArgumentParser(description="Write the figures of a page from their record.")
    parser.add_argument("page", nargs="?", type=Path, default=PAGE)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when they differ")
    asked = parser.parse_args(arguments)
    try:
        record = Record(asked.page)
        is_shown = record.is_shown()
        if not asked.check:
            record.write()
    except BenchFailed as failure:
        sys.stderr.write(f"{failure}\n")
        return 1
    if asked.check and not is_shown:
        sys.stderr.write(f"{asked.page} does not show what was recorded\n")
    return int(asked.check and not is_shown)


if __name__ == "__main__":
    sys.exit(main())
