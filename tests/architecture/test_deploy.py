"""What docker-compose.yml and the Dockerfile name exists: commands, settings, files, services, packages."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from ricordo.settings import STEPS, Settings
from ricordo_services.app import worker_process
from ricordo_services.cli.application import application

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load(TEXT)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
DOCKERFILE = (ROOT / "deploy/Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
SECRETS = re.findall(
    r"^([A-Z0-9_]+)=", (ROOT / ".env.example").read_text(encoding="utf-8"), flags=re.MULTILINE
)

OURS = {name: service for name, service in SERVICES.items() if "build" in service}
WORKERS = {name: service for name, service in OURS.items() if service["command"][0] == "worker"}
ENDING = {name for name, service in SERVICES.items() if service.get("restart") == "no"}
VARIABLE = re.compile(r"(?<!\$)\$\{(\w+)(?:(:[-?])([^}]*))?\}")
WORDS_FOR_SECRETS = re.compile(r"PASSWORD|SECRET|TOKEN|API_?KEY")


def filled(value: object) -> str:
    """Return a value as compose would interpolate it, each secret being its own name in lower case."""

    def fill(match: re.Match[str]) -> str:
        return match[1].lower() if match[2] == ":?" else match[3]

    return VARIABLE.sub(fill, str(value))


def environment(service: Mapping[str, Any]) -> dict[str, str]:
    given = service.get("environment", {}).items()
    return {name: filled(value) for name, value in given if value is not None}


def profile(name: str) -> dict[str, str]:
    """Return the settings of a profile."""
    text = (ROOT / f"deploy/profiles/{name}.env").read_text(encoding="utf-8")
    return dict(re.findall(r"^([A-Z][A-Z0-9_]*)=(.*)$", text, flags=re.MULTILINE))


def has_compose() -> bool:
    """Whether the client is there, and can read such files."""
    asked = ["docker", "compose", "version"]
    found = shutil.which("docker") is not None
    return found and subprocess.run(asked, capture_output=True, check=False).returncode == 0


def commands() -> set[str]:
    group = typer.main.get_command(application([]))
    assert isinstance(group, typer.core.TyperGroup)
    return set(group.commands)


def test_there_is_a_service_for_each_server_and_each_worker() -> None:
    servers = {"nats", "postgres", "qdrant", "neo4j", "ollama"}
    workers = {"ingest", "enrichment", "embedding", "knowledge", "retrieval", "lifecycle", "gateway"}
    assert SERVICES.keys() == servers | workers | {"migrate", "models", "prometheus"}
    assert WORKERS.keys() == workers
    assert sorted(ENDING) == ["migrate", "models"]


@pytest.mark.parametrize("name", OURS)
def test_a_container_runs_a_command_that_exists(name: str) -> None:
    command, *arguments = OURS[name]["command"]
    assert command in commands()
    if name in WORKERS:
        assert arguments == [name]
        assert name in worker_process.WORKERS


@pytest.mark.parametrize("name", OURS)
def test_a_container_is_given_settings_that_exist_and_hold(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = environment(OURS[name])
    for variable, value in given.items():
        monkeypatch.setenv(variable, value)
    for variable in OURS[name]["environment"]:
        if variable.startswith("RICORDO_") and "__" in variable:
            group, field = variable.removeprefix("RICORDO_").lower().split("__")
            assert group in Settings.model_fields, variable
            annotation = Settings.model_fields[group].annotation
            assert annotation is not None
            assert field in annotation.model_fields, variable
        else:
            assert variable in {"RICORDO_NATS_URL", "HF_HOME"}
    settings = Settings()
    assert settings.worker.health_port == 8080
    assert settings.worker.health_host == "0.0.0.0"
    assert settings.stores.qdrant_url == "http://qdrant:6333"
    assert (settings.stores.postgres_admin_dsn is not None) == (name == "migrate")


@pytest.mark.parametrize("name", WORKERS)
def test_every_setting_can_be_set_in_one_file(name: str) -> None:
    """All but two: the port of a container is its own, and the index is a server's."""
    settings = {
        f"RICORDO_{group}__{field}".upper()
        for group, one in Settings.model_fields.items()
        for field in getattr(one.annotation, "model_fields", ())
    }
    elsewhere = {"RICORDO_STORES__QDRANT_DIR", "RICORDO_GATEWAY__PORT", "RICORDO_STORES__POSTGRES_ADMIN_DSN"}
    elsewhere |= {"RICORDO_DOCUMENTS__DIR", "RICORDO_GATEWAY__HOST", "RICORDO_GATEWAY__KEY"}  # of one worker
    assert settings - elsewhere - OURS[name]["environment"].keys() == set()


@pytest.mark.parametrize("name", ["light", "embeddings", "full"])
def test_a_profile_is_of_settings_and_choices_that_exist(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = {one for one, _, _ in VARIABLE.findall(TEXT)} | {"COMPOSE_PROFILES"}
    given = profile(name)
    assert given["COMPOSE_PROFILES"] == name
    assert given.keys() <= chosen | WORKERS["knowledge"]["environment"].keys()
    for variable, value in (environment(WORKERS["knowledge"]) | given).items():
        monkeypatch.setenv(variable, value)
    settings = Settings()
    asked = {getattr(settings, step).llm for step in STEPS}
    if name != "full":
        provider = {"light": "onnx", "embeddings": "ollama"}[name]
        assert (settings.embedding.provider, asked, settings.knowledge.gliner_model) == (provider, {""}, None)
    else:
        assert asked == {"hermes3:8b", "qwen2.5:1.5b"}
        assert set(given["RICORDO_OLLAMA_MODELS"].split()) == asked | {settings.embedding.model}
        assert settings.knowledge.gliner_model is not None


@pytest.mark.skipif(not has_compose(), reason="docker compose is not there")
@pytest.mark.parametrize("name", ["light", "embeddings", "full"])
def test_the_client_reads_the_file_in_each_profile(name: str, tmp_path: Path) -> None:
    env = tmp_path / ".env"
    subprocess.run([sys.executable, ROOT / "deploy/make_env.py", env, "--profile", name], check=True)
    command = ["docker", "compose", "--env-file", str(env), "config", "--services"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    asked_for = {"prometheus"} | ({"ollama", "models"} if name == "light" else set())
    assert set(run.stdout.split()) == SERVICES.keys() - asked_for


@pytest.mark.parametrize("name", OURS)
def test_addresses_name_services_of_this_file(name: str) -> None:
    hosts = re.findall(r"\w://(?:[^@/]*@)?([a-z0-9]+):", "\n".join(environment(OURS[name]).values()))
    assert {"nats", "postgres", "qdrant", "neo4j", "ollama"} == set(hosts)


def test_every_secret_is_demanded_and_none_has_a_default() -> None:
    for name, operator, default in VARIABLE.findall(TEXT):
        if name in SECRETS:
            assert (operator, "make_env.py" in default) == (":?", True), name
        else:
            assert operator == ":-", name
            assert not WORDS_FOR_SECRETS.search(name), f"{name} is missing in .env.example"
    assert set(SECRETS) == {name for name, operator, _ in VARIABLE.findall(TEXT) if operator == ":?"}


def test_what_may_be_chosen_is_documented_with_its_default() -> None:
    page = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
    chosen = {(name, default) for name, operator, default in VARIABLE.findall(TEXT) if operator == ":-"}
    assert [name for name, default in chosen if f"| `{name}` | `{default}` |" not in page] == []


def test_no_secret_is_written_down() -> None:
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    assert re.findall(r"^\w+=(.+)$", example, flags=re.MULTILINE) == []
    for service in SERVICES.values():
        for name, value in service.get("environment", {}).items():
            if value is not None and (WORDS_FOR_SECRETS.search(name) or name == "NEO4J_AUTH"):
                assert ":?" in value, name
            assert not re.search(r"//[^:/$]*:[^$@]+@", str(value)), name


def test_workers_do_not_know_the_owner_of_the_database() -> None:
    for name, service in WORKERS.items():
        assert "owner" not in "".join(environment(service).values()), name


def test_only_models_and_monitoring_have_to_be_asked_for() -> None:
    assert {name: service["profiles"] for name, service in SERVICES.items() if "profiles" in service} == {
        "ollama": ["embeddings", "full"],
        "models": ["embeddings", "full"],
        "prometheus": ["monitoring"],
    }


def test_workers_can_be_scaled() -> None:
    assert [name for name, service in SERVICES.items() if "container_name" in service] == []
    assert [name for name, service in OURS.items() if "hostname" in service] == []
    assert [name for name, service in OURS.items() if "ports" in service] == ["gateway"]
    kept = {name: service["volumes"] for name, service in OURS.items() if "volumes" in service}
    names = {"ingest": ["documents:/documents"], "knowledge": ["gliner:/models"]}
    assert kept == names, "a file has a name of its own, whoever writes it"


def test_ports_are_published_on_the_loopback_address_only() -> None:
    published = [filled(port) for service in SERVICES.values() for port in service.get("ports", [])]
    assert published == ["127.0.0.1:4222:4222", "127.0.0.1:7480:7480", "127.0.0.1:9090:9090"]


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_limited_and_looked_after(name: str) -> None:
    service = SERVICES[name]
    assert re.fullmatch(r"\d+[mg]", filled(service["mem_limit"]))
    health = service["healthcheck"]
    if name in ENDING:
        assert health == {"disable": True}
    else:
        assert service["restart"] == "unless-stopped"
        assert health["test"][0] == "CMD"
        assert health.keys() >= {"interval", "timeout", "retries", "start_period"}


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_waits_for_what_can_come_to_pass(name: str) -> None:
    for other, wait in SERVICES[name].get("depends_on", {}).items():
        expected = "service_completed_successfully" if other in ENDING else "service_healthy"
        asked_for = {"required": False} if other == "models" and name != "ollama" else {}
        assert wait == {"condition": expected} | asked_for, other


@pytest.mark.parametrize("name", SERVICES)
def test_what_is_mounted_exists(name: str) -> None:
    for mount in SERVICES[name].get("volumes", []):
        source, target, *mode = mount.split(":")
        assert target.startswith("/")
        if source.startswith("."):
            assert (ROOT / source).is_file(), source
            assert mode == ["ro"], mount
        else:
            assert source in COMPOSE["volumes"]


def test_images_are_pinned() -> None:
    images = [filled(service["image"]) for service in SERVICES.values()]
    bases = re.findall(r"^ARG PYTHON=(\S+)$", DOCKERFILE, flags=re.MULTILINE)
    assert len(bases) == 1
    for image in {*images, *(f"python:{base}" for base in bases)}:
        assert re.search(r":v?\d+\.\d+(\.\d+)?(-[a-z]+)*$", image), image


def test_models_stay_loaded() -> None:
    assert environment(SERVICES["ollama"])["OLLAMA_KEEP_ALIVE"] == "-1"


def test_the_database_admits_the_connections_of_a_scaled_cluster() -> None:
    (admitted,) = re.findall(r"max_connections=(\d+)", " ".join(SERVICES["postgres"]["command"]))
    each = Settings.model_fields["stores"].default.postgres_connections
    assert int(admitted) >= 2 * each * len(WORKERS)


def copied() -> Iterator[tuple[str, str]]:
    """Yield what the Dockerfile copies out of the build context, with where to."""
    for arguments in re.findall(r"^COPY (?!--from)(.+)$", DOCKERFILE, flags=re.MULTILINE):
        *sources, target = arguments.split()
        yield from ((source, target) for source in sources)


def is_in_context(path: str) -> bool:
    """Whether .dockerignore, which lets in what it names after an exclamation mark, lets `path` in."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    return "!" + path.partition("/")[0] in lines and "*" in lines


def test_what_the_image_is_made_of_exists_and_is_in_its_context() -> None:
    assert {source for source, _ in copied()} >= {"requirements.lock", "shared", "services"}
    for source, _ in copied():
        assert (ROOT / source).exists(), source
        assert is_in_context(source), source
    assert not is_in_context(".env")


def test_the_image_installs_locked_packages_only() -> None:
    installs = re.findall(r"pip (?:--python \S+ )?install ([^&\n]+)", DOCKERFILE)
    assert len(installs) == 5
    for arguments in installs[:4]:  # the last is PyTorch's, in an image of its own
        assert "--no-deps" in arguments
        assert "--require-hashes" in arguments or arguments.strip().endswith("dist/*.whl")


def test_the_image_runs_as_nobody_special() -> None:
    final = DOCKERFILE.split("\nFROM ")[-2]
    assert DOCKERFILE.rstrip().endswith("USER 10001")
    assert re.search(r"^USER [1-9]\d*$", final, flags=re.MULTILINE)
    assert 'ENTRYPOINT ["ricordo"]' in final
    for service in OURS.values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]


def test_the_health_check_is_in_the_image() -> None:
    (probe,) = {service["healthcheck"]["test"][1] for service in WORKERS.values()}
    targets = [target for source, target in copied() if source == "deploy/healthz.py"]
    assert [Path(target).name for target in targets] == [probe]
    assert f"PATH={Path(targets[0]).parent}:" in DOCKERFILE


@pytest.mark.parametrize("script", ["deploy/healthz.py", "deploy/ollama/pull", "deploy/postgres/10-roles.sh"])
def test_scripts_can_be_run(script: str) -> None:
    assert (ROOT / script).stat().st_mode & 0o111 == 0o111
