"""The shipped conversation: Giulia, who mends violins, tells an assistant of forty days of her life.

Each line says how many days ago it was said and at what local time, so that "yesterday" is always yesterday.
What was said today is told in minutes before now.
"""

import json
from collections.abc import Mapping
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
    """Return the messages in the order in which they were said, the last one shortly before `now`.

    Args:
        now: the present, aware.
    """
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
