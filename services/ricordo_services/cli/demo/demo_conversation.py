"""The conversation of the demo: Giulia, who mends violins, in forty days; and the questions about it."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from importlib.resources import files
from typing import Final
from zoneinfo import ZoneInfo

from ricordo.messages.events import MessageReceived

USER: Final = "giulia"
NAME: Final = "Giulia"
TIMEZONE: Final = "Europe/Rome"
_MANY: Final = 1000  # more than there are messages


def conversation(now: datetime) -> list[MessageReceived]:
    """Return the messages in the order in which they were said, the last one shortly before `now`."""
    text = files(__package__).joinpath("conversation.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    return [_message(line, number, now) for number, line in enumerate(lines, start=1)]


def _message(line: Mapping[str, str | int], number: int, now: datetime) -> MessageReceived:
    by_user = line["role"] == "user"
    return MessageReceived.model_validate(
        {
            "id": f"demo-{number:03}",
            "user_id": USER,
            "conversation_id": line["conversation"],
            "role": line["role"],
            "content": line["content"],
            "timestamp": _moment(line, number, now.astimezone(UTC)),
            "speaker": NAME if by_user else None,
            "timezone": TIMEZONE,
            "language": line["language"],
        }
    )


def _moment(line: Mapping[str, str | int], number: int, now: datetime) -> datetime:
    zone = ZoneInfo(TIMEZONE)
    today = now.astimezone(zone).date()
    if "minutes_ago" not in line:
        day = today + timedelta(days=int(line["day"]))
        return datetime.combine(day, time.fromisoformat(str(line["time"])), zone)
    # Right after midnight today is short: what was said today stays today, and in its order.
    midnight = datetime.combine(today, time(), zone).astimezone(UTC)
    return max(
        now - timedelta(minutes=int(line["minutes_ago"])), midnight + (now - midnight) * number / _MANY
    )


@dataclass(frozen=True, slots=True)
class DemoQuestion:
    """A question and what a good answer rests on."""

    text: str
    language: str
    shows: str
    top: int = 3


_QUESTIONS: Final = tomllib.loads(files(__package__).joinpath("questions.toml").read_text("utf-8"))
QUESTIONS: Final = tuple(DemoQuestion(**question) for question in _QUESTIONS["question"])
