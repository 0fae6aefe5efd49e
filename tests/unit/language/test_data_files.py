"""The data files of all languages have one shape."""

import tomllib
from pathlib import Path

import pytest

import ricordo.language
from ricordo.language.data_files import LANGUAGES, read_patterns, read_table

FOLDER = Path(ricordo.language.__file__).parent / "data"
SCHEMA = tomllib.loads((FOLDER / "schema.toml").read_text("utf-8"))
FOLDERS = sorted(path.name for path in FOLDER.iterdir() if path.is_dir())
FILES = [(path.parent.name, path.stem) for path in sorted(FOLDER.glob("*/*.toml"))]


def test_every_folder_but_the_common_one_is_a_complete_language() -> None:
    assert [*LANGUAGES, "common"] == sorted(FOLDERS, key=lambda name: (name == "common", name))
    assert {"en", "it"} <= set(LANGUAGES)


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_has_the_files_of_the_schema_and_no_others(folder: str) -> None:
    described = SCHEMA["common" if folder == "common" else "language"]
    assert {name for of, name in FILES if of == folder} == described.keys()


@pytest.mark.parametrize(("folder", "name"), FILES)
def test_a_file_is_of_the_shape_of_the_schema_and_says_what_it_is_for(folder: str, name: str) -> None:
    assert read_table(name, folder)
    assert (FOLDER / folder / f"{name}.toml").read_text("utf-8").startswith("# ")


def test_a_file_that_nobody_described_is_refused() -> None:
    with pytest.raises(KeyError):
        read_table("surprises", "it")


@pytest.mark.parametrize("language", LANGUAGES)
def test_placeholders_of_patterns_are_expanded(language: str) -> None:
    patterns = read_patterns("questions", language)
    assert "parts" not in patterns
    assert not [name for name, each in patterns.items() if "<what>" in getattr(each, "pattern", "")]


def test_what_a_language_lacks_is_empty() -> None:
    nothing = read_patterns("questions", "xx")
    assert nothing["question"].search("anything") is None
    assert nothing["pleasant"] == frozenset()
