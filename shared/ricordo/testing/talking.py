"""A stand-in's language model: it rates, describes, relates and judges what it is shown, as tests predict."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Body = Mapping[str, object]


def shown(request: Body) -> list[str]:
    """Return the texts of the messages that a request shows the model, in order.

    Raises:
        ValueError: the request shows them in a way that this does not know.
    """
    content = _content(request, "user")
    if wants_description(request):
        return [str(one["text"]) for one in json.loads(content)["messages"]]
    lines = content.splitlines()
    if len(lines) == 1:
        return [str(json.loads(content.partition(" ")[2]))]
    return [str(json.loads(line.partition(" ")[2])) for line in lines[1:]]


def wants_description(request: Body) -> bool:
    """Tell whether a request asks for more than ratings: only then it names a schema."""
    return request.get("format") is not None


def wants_facts(request: Body) -> bool:
    """Tell whether a request asks what messages state: only its schema speaks of facts."""
    return '"facts"' in json.dumps(request.get("format"))


def entities(request: Body) -> list[list[str]]:
    """Return the names that a request for facts shows with each of its messages."""
    messages = json.loads(_content(request, "user"))["messages"]
    return [[str(one["name"]) for one in message["entities"]] for message in messages]


def wants_verdicts(request: Body) -> bool:
    """Tell whether a request asks who is who: only its schema speaks of pairs."""
    return '"pairs"' in json.dumps(request.get("format"))


def pairs(request: Body) -> list[Mapping[str, Any]]:
    """Return the pairs that a request asks about, each with its `number`, `first` and `second`."""
    found: list[Mapping[str, Any]] = json.loads(_content(request, "user"))["pairs"]
    return found


def instructions(request: Body) -> str:
    """Return what a request tells the model to do."""
    return _content(request, "system")


@dataclass(slots=True)
class TalkingModel:
    """What the stand-in's `/api/chat` answers.

    Attributes:
        rate: the line that rates a text.
        describe: the fields that describe a text, beside its number; None leaves it out.
        relate: the facts that a text states, as `stated` makes them; None leaves it out.
        judge: says of two names whether they are `same`, `different`, or `unsure`; None leaves them out,
            several are all said of them.
        requests: the texts of each request about messages, in order.
    """

    rate: Callable[[str], str] = field(default=lambda _: "6")
    describe: Callable[[str], Mapping[str, Any] | None] = field(default=lambda _: described())
    relate: Callable[[str], Sequence[object] | None] = field(default=lambda _: ())
    judge: Callable[[str, str], str | tuple[str, ...] | None] = field(default=lambda _, __: "unsure")
    requests: list[Sequence[str]] = field(default_factory=list)

    def __call__(self, request: Body) -> str:
        """Answer a request."""
        if wants_verdicts(request):
            return self._verdicts(request)
        texts = shown(request)
        self.requests.append(texts)
        if not wants_description(request):
            return "\n".join(self.rate(text) for text in texts)
        say = self._facts if wants_facts(request) else self.describe
        answers = [
            {"number": number, **fields}
            for number, text in enumerate(texts, 1)
            if (fields := say(text)) is not None
        ]
        return json.dumps({"messages": answers}, ensure_ascii=False)

    def _verdicts(self, request: Body) -> str:
        answers = [
            {"number": pair["number"], "verdict": verdict}
            for pair in pairs(request)
            if (said := self.judge(pair["first"]["name"], pair["second"]["name"])) is not None
            for verdict in ((said,) if isinstance(said, str) else said)
        ]
        return json.dumps({"pairs": answers})

    def _facts(self, text: str) -> Mapping[str, Any] | None:
        facts = self.relate(text)
        return None if facts is None else {"facts": list(facts)}


def described(**fields: object) -> dict[str, object]:
    """Return the description of a message without feeling, with other `fields`."""
    neutral: dict[str, object] = {
        "emotion": "neutral",
        "valence": 0.0,
        "arousal": 0.1,
        "dominance": 0.5,
        "keywords": [],
        "topics": [],
        "participants": [],
        "type": "episodic",
        "kind": "message",
        "title": "",
    }
    return neutral | fields


def stated(subject: str, predicate: str, value: str, quote: str, *, past: bool = False) -> dict[str, object]:
    """Return a fact as a model answers it."""
    return {"subject": subject, "predicate": predicate, "object": value, "quote": quote, "past": past}


def _content(request: Body, role: str) -> str:
    messages = request["messages"]
    if not isinstance(messages, list):
        raise TypeError("a chat request holds a list of messages")
    return "\n".join(str(one["content"]) for one in messages if one["role"] == role)
