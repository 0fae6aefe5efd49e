"""What every file keeps to: a readable length, and nothing of the machine that it was written on."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = (".ci", "deploy", "docs", "schemas", "services", "shared", "tests")
CODE = {".cypher", ".py", ".sh", ".sql"}
LONGEST = 350  # lines

# Character classes keep these patterns from finding themselves.
PLACES = {
    "a machine's folder": re.compile(
        r"/(?:work/main|work/shared|roo[t]/|home/[a-z]|User[s]/|opt/pyp[i]|opt/wheel[s])"
    ),
    "a package index": re.compile(
        r"https?://[^\s\"')]*/simpl[e]|pypi[.]org/simpl[e]|files[.]pythonhoste[d]|--(?:extra-)?index-ur[l]"
    ),
    "a document that is not shipped": re.compile(
        r"\b(?:SPE[C]|FACT[S]|DESIG[N])(?:[.]md\b| §)|[.][.]/share[d]/"
    ),
}


def project_files() -> Iterator[Path]:
    for entry in sorted(ROOT.iterdir()):
        if entry.is_file() and entry.name not in {".env", ".git"}:  # the latter in a worktree
            yield entry
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path


def text_of(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def test_no_source_file_outgrows_a_reader() -> None:
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in project_files()
        if path.suffix in CODE
    }
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST} == {}


@pytest.mark.parametrize("place", PLACES)
def test_no_file_names(place: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
        for path in project_files()
        for number, line in enumerate((text_of(path) or "").splitlines(), start=1)
        if PLACES[place].search(line)
    ]
    assert found == []
