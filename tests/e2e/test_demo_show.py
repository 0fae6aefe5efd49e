"""`ricordo demo`: what a newcomer sees first."""

import re
import signal
import subprocess
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import httpx
import psutil
import pytest
from tests.e2e.cli.ricordo_command import Ricordo
from tests.fixtures.commands import COMMAND
from tests.fixtures.documents import ROOT

from ricordo_services.cli.demo_command import QUESTIONS, TIMEZONE

pytestmark = [pytest.mark.timeout(400), pytest.mark.slow]


def answer(shown: str, question: str) -> str:
    """Return what was shown below a question, up to the next one."""
    behind = shown[shown.index(question) :]
    return re.split(r"\n\d+/\d+  |\n─+\n", behind, maxsplit=1)[0]


def memories(shown: str, question: str) -> str:
    return answer(shown, question).partition("\nFacts\n")[0]


def tutorial_sample() -> str:
    tutorial = (ROOT / "docs/tutorial.md").read_text("utf-8")
    (sample,) = re.findall(r"```text\n(9/10  .*?)\n```", tutorial, re.DOTALL)
    return str(sample)


def timeless(shown: str) -> list[str]:
    """Return the lines of an answer without what depends on the moment, and without its figures."""
    for pattern, mark in (
        (r"\w{3} \d\d \w{3} \d{4} \d\d:\d\d \w+", "DAY"),
        (r"\d{4}-\d\d-\d\d", "DATE"),
        (r"\d+ ms", "N ms"),
        (r"\d+ tokens, \d+ of \d+ lines", "TOKENS"),
        (r"\w+ (?=[+-]\d\.\d\b)", "FEELING "),  # of two that are as likely, each machine tells its own
        (r"\d\.\d\d", "#"),
        (r"(?m)^# █* +", "# BAR "),
    ):
        shown = re.sub(pattern, mark, shown)
    return [line.rstrip() for line in shown.strip().splitlines()]


def figures_of_days_ago(shown: str) -> list[float]:
    """Return the figures of the two memories in the sample that were told days ago."""
    _, first, second, *_ = re.split(r"(?m)^(?=\d\.\d\d )", shown)
    return [float(number) for number in re.findall(r"\d\.\d\d", first + second)]


def _command(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:  # it has just ended
        return ""


def play(ricordo: Ricordo) -> str:
    """Run the demo with its album until the link is there; return what it shows until it is interrupted."""
    process = psutil.Popen(
        [*COMMAND, "demo", "--album"], stdout=subprocess.PIPE, text=True, env=ricordo.environment
    )
    try:
        shown = []
        for line in process.stdout:
            shown.append(line)
            if line == "Stop it with Ctrl-C.\n":
                break
        (link,) = (line.split()[-1] for line in shown if "Open the album:" in line)
        (folder,) = (line.split()[-1] for line in shown if " --data-dir " in line)
        again = ricordo.json("album", "--user", "giulia", "--data-dir", folder)["album"]
        assert link.partition("#")[0] == again.partition("#")[0]
        assert httpx.get(f"{link.partition('/album')[0]}/healthz").status_code == 200
        process.send_signal(signal.SIGINT)
        shown.append(process.stdout.read())
        assert process.wait(60) == 0
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        process.stdout.close()
    return "".join(shown)


def test_the_demo_remembers_and_leaves_nothing_behind(tmp_path: Path) -> None:
    began = datetime.now(ZoneInfo(TIMEZONE)).date()
    shown = play(Ricordo(tmp_path, {"TMPDIR": str(tmp_path)}))
    ended = datetime.now(ZoneInfo(TIMEZONE)).date()  # where midnight came meanwhile
    assert f"{len(QUESTIONS)} answers" in shown
    assert "\x1b" not in shown  # no terminal, no colours
    assert shown.count("│ f") >= len(QUESTIONS)  # a fact of each context
    for question in QUESTIONS:
        found = answer(shown, question.text)
        assert len(found.splitlines()) <= 24, "a screen"
        assert re.search(r"\nAnswer  .{10,}(?s:.*?)\n {8}confidence [01]\.\d\d of 1, by \w+", found)
        assert "nothing is remembered" not in found
        assert re.search(r"\n\d\.\d\d ", found), question.text
        assert re.search(r"(?m)^•+ .*\(said \w+", found), question.text
        assert "│ m1 " in found, question.text  # the beginning of its context
    yesterday = memories(shown, "Cosa abbiamo fatto ieri?")
    days = set(re.findall(r"(\w{3} \d\d \w{3} \d{4}) \d\d:\d\d \w+ ·", yesterday.partition(" ms\n")[2]))
    assert days
    # what was told today may have happened yesterday
    told_of = {day - timedelta(days=ago) for day in (began, ended) for ago in (0, 1)}
    assert days <= {f"{day:%a %d %b %Y}" for day in told_of}
    assert "sardoni" in yesterday
    assert "assistant" not in yesterday
    assert "Davide" in memories(shown, "Cosa sai di Davide?")
    assert "Mi è piaciuto tantissimo" in " ".join(memories(shown, "Cosa mi è piaciuto?").split())
    assert "farina e un uovo" in memories(shown, "Come si fanno gli gnocchi di susine?")
    assert re.search(r"•{4} +user  lives_in  Trieste", answer(shown, "Where do I live now?"))
    assert "hide glue" in memories(shown, "What did I say about the cello last week?")
    assert "terrified" in memories(shown, "How was I feeling about the interview?")
    assert "chalk" in memories(shown, "How do I stop a violin peg from slipping?")
    assert "femore" in memories(shown, "Che cosa è successo alla nonna Ada?")
    assert "allergica alle noci" in memories(shown, "A che cosa sono allergica?")
    assert "Answer  You live in Trieste" in shown
    sample, ninth = tutorial_sample(), answer(shown, QUESTIONS[8].text)
    assert timeless(sample.partition("  ")[2]) == timeless(ninth)
    # The processor decides on the precision of the vectors, and the hour on what was told just before.
    assert figures_of_days_ago(sample) == pytest.approx(figures_of_days_ago(ninth), abs=0.04)
    assert [entry.name for entry in tmp_path.iterdir() if entry.name.startswith("ricordo-demo-")] == []
    assert [one for one in psutil.process_iter() if str(tmp_path) in _command(one)] == []
