"""A language is a folder of data: a made-up one with a handful of files is read without a change of code."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from tests.fixtures.sentence_tables import table

import ricordo

Found = dict[str, Any]
PACKAGE = Path(ricordo.__file__).parent
FILES = table(__file__, "files")
PROGRAM = """
    import json
    from datetime import UTC, datetime
    from zoneinfo import ZoneInfo
    from ricordo.language.annotations import NEUTRAL
    from ricordo.language.data_files import LANGUAGES
    from ricordo.language.detection import detect, identify
    from ricordo.language.document import Document
    from ricordo.language.emotion import estimate
    from ricordo.language.event_times.extraction import event_times
    from ricordo.language.facts import extract
    from ricordo.language.query_analysis import analyse
    from ricordo.language.temporal import resolve
    from ricordo.language.topics import topics
    from ricordo.memory.enrichment import enrich
    from ricordo.memory.importance import importance

    NOW, ZONE = datetime(2026, 5, 5, 12, tzinfo=UTC), ZoneInfo("UTC")

    def asked(query):
        found = analyse(query, now=NOW, zone=ZONE, language="xx")
        return [found.intent, found.language, list(found.requested.names)]

    def document(text):
        return Document(text, "xx")

    text = "Mu dasu en Zorga e mu ridutu"
    derived = enrich(document("Herun mu volku lu pomaru"))
    happened = event_times(document("Herun mu volku lu pomaru"), NOW, ZONE)
    span = resolve("mu volku herun", NOW, ZONE, "xx")
    print(json.dumps({
        "languages": LANGUAGES,
        "detected": [detect(text), identify(text), detect("I live in Turin"), identify("Abito a Torino")],
        "facts": [[s.predicate, s.object] for s in extract(document(text))]
        + [[s.predicate, s.object] for s in extract(document("Mia nomu estu Zed"))],
        "day": span and span.start.isoformat(),
        "questions": [asked("ki okazu herun?"), asked("kiel oni pomaru?"), asked("Kie mu dasu?")],
        "topics": topics(document("Mu volku lu pomaru")),
        "emotion": estimate(document("Mu ridutu")).primary,
        "importance": [c.reason for c in importance(document("gravu"), NEUTRAL).contributions],
        "enriched": [derived.topics, [event.start.isoformat() for event in happened]],
    }))
    """


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    """Return what a copy of the library reads that has one more folder of data."""
    root = tmp_path_factory.mktemp("library")
    shutil.copytree(PACKAGE, root / "ricordo", ignore=shutil.ignore_patterns("__pycache__"))
    folder = root / "ricordo" / "language" / "data" / "xx"
    folder.mkdir()
    for name, content in FILES.items():
        (folder / f"{name}.toml").write_text(dedent(content), "utf-8")
    program = f"import sys; sys.path.insert(0, {str(root)!r})\n{dedent(PROGRAM)}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    reading: Found = json.loads(done.stdout)
    return reading


def test_a_folder_is_a_language(found: Found) -> None:
    assert found["languages"] == ["en", "it", "xx"]


def test_its_function_words_tell_it_from_the_others(found: Found) -> None:
    assert found["detected"] == ["xx", "xx", "en", "it"]


def test_facts_are_read(found: Found) -> None:
    assert found["facts"] == [["lives_in", "Zorga"], ["name", "Zed"]]


def test_times_are_read(found: Found) -> None:
    assert found["day"] == "2026-05-04T00:00:00+00:00"


def test_questions_are_read(found: Found) -> None:
    assert found["questions"] == [
        ["temporal", "xx", []],
        ["procedural", "xx", []],
        ["general", "xx", ["lives_in"]],
    ]


def test_topics_feelings_and_importance_are_read(found: Found) -> None:
    assert found["topics"] == ["pomaru"]
    assert found["emotion"] == "joy"
    assert "keyword" in found["importance"]


def test_a_message_is_enriched(found: Found) -> None:
    topics, times = found["enriched"]
    assert "pomaru" in topics
    assert times == ["2026-05-04T00:00:00+00:00"]
