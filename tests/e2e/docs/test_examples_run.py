"""What the documents tell a reader to type works, on a whole running system."""

import asyncio
import json
import os
import re
import shutil
import sys
from collections.abc import Mapping
from ipaddress import IPv4Network
from pathlib import Path

import pytest
from tests.fixtures.documents import ROOT, Block, blocks, blocks_of
from tests.fixtures.gateway import FIXED_KEY, GatewayAccess
from tests.fixtures.ollama_stand_in import ollama_stand_in
from tests.fixtures.scraping import free_port
from tests.fixtures.sentence_tables import table
from tests.fixtures.system import System

from ricordo_services.stack.endpoints import Endpoints, write_stack_file

TUTORIAL = list(blocks_of(ROOT / "docs/tutorial.md"))
(README,) = [block for block in blocks("python") if block.path == "README.md"]

SHOWN: Mapping[str, tuple[str, str]] = table(__file__, "shown")


class Reader:
    """Somebody at a terminal, whose home holds the stack that runs."""

    def __init__(self, home: Path, endpoints: Endpoints) -> None:
        self._folder = home / "work"
        self._folder.mkdir()
        (home / ".local/share").mkdir(parents=True)
        (home / ".local/share/ricordo").symlink_to(endpoints.data_dir)
        inherited = {
            name: value for name, value in os.environ.items() if not name.startswith(("RICORDO_", "XDG_"))
        }
        scripts = Path(sys.executable).parent
        cache = {"XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")}
        place = {"HOME": str(home), "PATH": f"{scripts}:{inherited['PATH']}", "COLUMNS": "200"}
        self._environment = inherited | cache | place

    def is_told(self, variable: str, value: str) -> None:
        self._environment[variable] = value

    def forgets_the_usual_folder(self) -> None:
        """Have a stack with another data folder."""
        (Path(self._environment["HOME"]) / ".local/share/ricordo").unlink()

    def saves(self, name: str, block: Block) -> None:
        (self._folder / name).write_text(block.text, encoding="utf-8")

    async def runs(self, *command: str, code: int = 0) -> str:
        """Run a command, which must end with `code`; return what it printed."""
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=self._folder,
            env=self._environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        async with asyncio.timeout(60):
            output, _ = await process.communicate()
        assert process.returncode == code, f"{command}: {output.decode()}"
        return output.decode()


@pytest.fixture
def reader(system: System, tmp_path: Path) -> Reader:
    at = system.endpoints
    write_stack_file(at.data_dir, {**at.document(), "pid": os.getpid()})
    return Reader(tmp_path, at)


@pytest.mark.slow
async def test_the_tutorial_works_from_top_to_bottom(reader: Reader) -> None:
    shown: set[str] = set()
    for block in TUTORIAL:
        match block.language, block.notes:
            case "python", ("run",):
                await reader.runs("python", "-c", block.text)
            case "sh", ("run",):
                typed = (_typed(reader, line) for line in block.text.splitlines())
                shown.update(*await asyncio.gather(*typed))  # the lines of a block are independent
            case _, (name,) if "." in name:
                reader.saves(name, block)
            case _:
                continue
    assert shown == SHOWN.keys()


@pytest.mark.slow
async def test_the_bot_of_the_tutorial_asks_a_language_model(reader: Reader) -> None:
    (bot,) = [block for block in TUTORIAL if block.notes == ("bot.py",)]
    reader.saves("bot.py", bot)
    async with ollama_stand_in(("llama3.2:latest",)) as ollama:
        ollama.behaviour.chat = lambda _: "By the sea, I should think."
        reader.is_told("OLLAMA_HOST", ollama.url)
        shown = await reader.runs("bash", "-c", "echo 'Where do I live now?' | python bot.py")
    assert shown.rstrip().endswith("By the sea, I should think.")
    path, asked = ollama.requests[-1]
    assert path == "/api/chat"
    assert "Where do I live now?" in str(asked)
    assert shown.split("\n")[0] in str(asked), "what is printed is what the model is given"


# After the tutorial, whose history they are later turns of.
async def test_the_bot_of_the_readme_remembers(reader: Reader) -> None:
    reader.saves("bot.py", README)
    assert "Max" in await reader.runs("python", "bot.py")


async def test_the_bot_of_the_readme_takes_an_address_first(reader: Reader, system: System) -> None:
    reader.forgets_the_usual_folder()
    reader.is_told("RICORDO_NATS_URL", system.endpoints.nats_url)
    reader.saves("bot.py", README)
    assert "Max" in await reader.runs("python", "bot.py")


@pytest.mark.parametrize("bot", [README, *(block for block in TUTORIAL if block.notes == ("bot.py",))])
async def test_a_bot_without_a_stack_says_what_to_start(reader: Reader, bot: Block) -> None:
    reader.saves("bot.py", bot)
    reader.forgets_the_usual_folder()
    nothing = await reader.runs("python", "bot.py", code=1)
    reader.is_told("RICORDO_NATS_URL", f"nats://127.0.0.1:{free_port()}")
    nobody = await reader.runs("python", "bot.py", code=1)
    for shown in (nothing, nobody):
        assert shown.startswith("No Ricordo answers: start one with `make up`")
        assert "Traceback" not in shown


@pytest.mark.skipif(shutil.which("curl") is None, reason="the examples call curl")
@pytest.mark.parametrize("page", ["README.md", "docs/http.md"])
async def test_what_the_pages_send_by_curl_is_answered(reader: Reader, system: System, page: str) -> None:
    found = [block for block in blocks_of(ROOT / page) if "run" in block.notes]
    commands = [block.text for block in found if "curl" in block.text]
    async with GatewayAccess.running(system, webhook_networks=(IPv4Network("127.0.0.0/8"),)) as gateway:
        reader.is_told("RICORDO_URL", gateway.url)
        reader.is_told("RICORDO_KEY", FIXED_KEY)
        shown = await reader.runs("bash", "-euo", "pipefail", "-c", "\n".join(commands))
    assert '"state":"remembered"' in shown
    assert re.search(r"Trieste|Cork", shown.partition("remembered")[2])
    assert '"type":"about:blank"' not in shown  # no problem document


# The other examples of the page need frameworks: `make test-agents` runs them.
async def test_a_program_calls_the_tools_for_agents(reader: Reader, system: System) -> None:
    [example] = [block for block in blocks_of(ROOT / "docs/agents.md") if block.notes == ("run",)]
    reader.is_told("RICORDO_NATS_URL", system.endpoints.nats_url)
    reader.saves("bot.py", example)
    shown = await reader.runs("python", "bot.py")
    assert shown.startswith("9 tools")
    assert "<recalled>user: My sister Nora lives in Lisbon.</recalled>" in shown


async def test_the_bot_whose_model_reads_facts_hands_them_in(reader: Reader, system: System) -> None:
    [bot] = [block for block in blocks_of(ROOT / "docs/agents.md") if block.notes == ("reading_bot.py",)]
    assert len(bot.text.splitlines()) <= 35
    reader.is_told("RICORDO_NATS_URL", system.endpoints.nats_url)
    reader.saves("bot.py", bot)
    read = [("likes", "windsurfing"), ("works_as", "astronaut")]
    async with ollama_stand_in(("llama3.2:latest",)) as ollama:
        facts = [{"predicate": predicate, "object": value} for predicate, value in read]
        ollama.behaviour.chat = lambda _: json.dumps({"facts": facts})
        reader.is_told("OLLAMA_HOST", ollama.url)
        shown = await reader.runs("python", "bot.py", "ok so windsurfing is my new thing")
    accepted, refused = shown.splitlines()
    assert accepted == "likes windsurfing accepted"
    assert refused.startswith("works_as astronaut no sentence of the message has the object")


@pytest.mark.skipif(shutil.which("curl") is None, reason="the examples call curl")
async def test_the_past_of_the_guide_is_imported(reader: Reader, system: System) -> None:
    outputs: list[str] = []
    async with GatewayAccess.running(system) as gateway:
        reader.is_told("RICORDO_URL", gateway.url)
        reader.is_told("RICORDO_KEY", FIXED_KEY)
        for block in blocks_of(ROOT / "docs/importing.md"):
            match block.language, block.notes:
                case "sh", ("run",):
                    outputs.append(await reader.runs("bash", "-euo", "pipefail", "-c", block.text))
                case "text", ():
                    assert block.text == outputs[-1], "what the guide shows is what is printed"
                case _, (name,):
                    reader.saves(name, block)
                case _:
                    continue
    *_, imported, looked_at, uploaded = outputs
    assert "3 published, 3 remembered" in imported
    assert "allergico alle noci" in imported
    assert "Davide" in json.loads(looked_at)["unclear"]
    assert json.loads(uploaded)["accepted"] == 3


async def _typed(reader: Reader, line: str) -> set[str]:
    output = await reader.runs("bash", "-euo", "pipefail", "-c", line)
    assert "Traceback" not in output
    fulfilled = {beginning for beginning in SHOWN if line.startswith(beginning)}
    for beginning in fulfilled:
        wanted, unwanted = SHOWN[beginning]
        assert re.search(wanted, output), f"{line}: {output}"
        assert not re.search(unwanted, output, flags=re.IGNORECASE), f"{line}: {output}"
    return fulfilled
