"""Runs a peer in the environment of its own, which has nothing else, and speaks JSON lines.

Requests have `do`: `add` with `messages` (`id`, `user`, `conversation`, `role`, `text`, `at`), `search` with
`user` and `query`, `count` with `users`. Replies have `result` or `error`. A search returns the id of the
message and the text of each memory, best first.
"""

import json
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partialmethod
from importlib import import_module
from pathlib import Path
from typing import Any, Final

SHOWN: Final = 10
"""The most memories that a search returns."""
Said = Mapping[str, str]
Hits = Sequence[tuple[str, str]]
Actions = tuple[Callable[[Sequence[Said]], None], Callable[[str, str], Hits], Callable[[Sequence[str]], int]]
"""Add, search and count."""


def mem0(folder: Path, model: Path) -> Actions:
    """Open mem0 with its local store; hybrid, as fastembed is there; it reads no facts (`infer=False`)."""
    os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder), "OPENAI_API_KEY": "unused"}
    fastembed, words = import_module("fastembed"), import_module("stop_words").get_stop_words("english")
    for kind, files in (
        (fastembed.TextEmbedding, {}),
        (fastembed.SparseTextEmbedding, {"stopwords": set(words)}),
    ):  # which fetch their files from a hub otherwise
        kind.__init__ = partialmethod(kind.__init__, specific_model_path=str(model), **files)
    embedder = {"model": "sentence-transformers/all-MiniLM-L6-v2", "embedding_dims": 384}
    store = {"path": str(folder / "qdrant"), "embedding_model_dims": 384}
    memory: Any = import_module("mem0").Memory.from_config(
        {
            "embedder": {"provider": "fastembed", "config": embedder},
            "vector_store": {"provider": "qdrant", "config": store},
            "history_db_path": str(folder / "history.db"),
        }
    )

    def add(messages: Sequence[Said]) -> None:
        for said in messages:
            turn = [{"role": said["role"], "content": said["text"]}]
            memory.add(turn, user_id=said["user"], metadata={"message": said["id"]}, infer=False)

    def search(user: str, query: str) -> Hits:
        hits = memory.search(query, top_k=SHOWN, filters={"user_id": user})["results"]
        return [(hit["metadata"]["message"], hit["memory"]) for hit in hits]

    def count(users: Sequence[str]) -> int:
        return sum(len(memory.get_all(filters={"user_id": one}, top_k=10**6)["results"]) for one in users)

    return add, search, count


def mempalace(folder: Path, model: Path) -> Actions:
    """Open MemPalace, a palace for each user, which is told of transcripts as its `sweep` reads them."""
    os.environ["HOME"] = str(folder)
    files = folder / ".cache/chroma/onnx_models/all-MiniLM-L6-v2"
    files.mkdir(parents=True)
    (files / "onnx").symlink_to(model)
    sweep, opened = import_module("mempalace.sweeper").sweep, import_module("mempalace.palace").get_collection
    search_memories = import_module("mempalace.searcher").search_memories
    palaces: dict[str, str] = {}
    ids: dict[str, str] = {}

    def add(messages: Sequence[Said]) -> None:
        transcripts: defaultdict[str, list[str]] = defaultdict(list)
        for said in messages:
            ids[f"sweep_{said['conversation']}_{said['id']}"] = said["id"]
            turn = {"type": said["role"], "message": {"role": said["role"], "content": said["text"]}}
            turn |= {"uuid": said["id"], "sessionId": said["conversation"], "timestamp": said["at"]}
            transcripts[said["user"]].append(json.dumps(turn))
        for user, lines in transcripts.items():
            palace = palaces.setdefault(user, str(folder / f"palace-{len(palaces)}"))
            (folder / "transcript.jsonl").write_text("\n".join(lines), encoding="utf-8")
            sweep(str(folder / "transcript.jsonl"), palace)

    def search(user: str, query: str) -> Hits:
        drawers = search_memories(query, palace_path=palaces[user], n_results=SHOWN)["results"]
        return [(ids[drawer["drawer_id"]], drawer["text"]) for drawer in drawers]

    def count(users: Sequence[str]) -> int:
        return sum(opened(palaces[user], create=False).count() for user in users)

    return add, search, count


def bm25(_folder: Path, _model: Path) -> Actions:
    """Index English stems in memory, anew for a user with each portion of messages."""
    bm25s, stemmer = import_module("bm25s"), import_module("Stemmer").Stemmer("english")
    told: defaultdict[str, list[Said]] = defaultdict(list)
    indexes: dict[str, Any] = {}

    def stems(texts: Sequence[str]) -> Any:  # noqa: ANN401 - the library has no types
        return bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)

    def add(messages: Sequence[Said]) -> None:
        for said in messages:
            told[said["user"]].append(said)
        for user in {said["user"] for said in messages}:
            indexes[user] = bm25s.BM25()
            indexes[user].index(stems([said["text"] for said in told[user]]), show_progress=False)

    def search(user: str, query: str) -> Hits:
        shown = min(SHOWN, len(told[user]))
        places, scores = indexes[user].retrieve(stems([query]), k=shown, show_progress=False)
        hits = [told[user][place] for place, score in zip(places[0], scores[0], strict=True) if score > 0]
        return [(said["id"], said["text"]) for said in hits]

    return add, search, lambda users: sum(len(told[user]) for user in users)


def serve(actions: Actions) -> None:
    """Answer requests until standard input ends; what a peer prints goes to standard error."""
    named: Mapping[str, Callable[..., object]] = dict(zip(("add", "search", "count"), actions, strict=True))
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as replies:
        os.dup2(2, 1)
        for line in sys.stdin:
            request = json.loads(line)
            try:
                reply = {"result": named[request.pop("do")](**request)}
            except Exception as error:  # noqa: BLE001 - whatever a peer raises is told to whoever asked
                reply = {"error": f"{type(error).__name__}: {error}"}
            replies.write(json.dumps(reply) + "\n")
            replies.flush()


if __name__ == "__main__":
    opening = {"mem0": mem0, "mempalace": mempalace, "bm25": bm25}[sys.argv[1]]
    serve(opening(Path(sys.argv[2]), Path(sys.argv[3])))
