"""A language is a folder of data: a made-up one with a handful of files is read without a change of code."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

from tests.fixtures.sentence_tables import table

import ricordo

PACKAGE = Path(ricordo.__file__).parent
FILES = table(__file__, "files")
PROGRAM = """
    import json
    from datetime import UTC, datetime
    from zoneinfo import ZoneInfo
    from ricordo.language.data_files import LANGUAGES
    from ricordo.language.detection import detect, identify
    from ricordo.language.document import Document
    from ricordo.language.feelings import feeling_of
    from ricordo.language.event_times.extraction import event_times
    from ricordo.language.facts.message_words import MessageWords
    from ricordo.language.query_analysis.query_parser import analyse
    from ricordo.language.temporal.time_extraction import resolve
    from ricordo.language.topics import topic_form
    from ricordo.memory.enrichment import enrich

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
        "value": MessageWords(document(text)).core("en lu Zorga"),
        "day": span and span.start.isoformat(),
        "questions": [asked("ki okazu herun?"), asked("kiel oni pomaru?"), asked("Kie mu dasu?")],
        "topic": topic_form("lu pomaru", "xx"),
        "emotion": feeling_of("ridutu", "xx"),
        "title": derived.title,
        "happened": [event.start.isoformat() for event in happened],
    }))
    """


def test_a_folder_of_data_is_a_language(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "ricordo", ignore=shutil.ignore_patterns("__pycache__"))
    folder = tmp_path / "ricordo" / "language" / "data" / "xx"
    folder.mkdir()
    for name, content in FILES.items():
        (folder / f"{name}.toml").write_text(dedent(content), "utf-8")
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{dedent(PROGRAM)}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found == {
        "languages": ["en", "it", "xx"],
        "detected": ["xx", "xx", "en", "it"],
        "value": "Zorga",
        "day": "2026-05-04T00:00:00+00:00",
        "questions": [["temporal", "xx", []], ["procedural", "xx", []], ["general", "xx", ["lives_in"]]],
        "topic": "pomaru",
        "emotion": "joy",
        "title": "Herun mu volku lu pomaru",
        "happened": ["2026-05-04T00:00:00+00:00"],
    }
