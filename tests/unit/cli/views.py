"""Memories and facts as replies show them, of which a test states only what it is about."""

from datetime import UTC, datetime
from uuid import UUID, uuid4

from ricordo.language.annotations import MemoryKind, MemoryType, Role
from ricordo.messages.views import FactView, MemoryView

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


def memory_view(content: str | None = "Ciao Max!", **more: object) -> MemoryView:
    usual = {"type": MemoryType.EPISODIC, "kind": MemoryKind.MESSAGE, "role": Role.USER, "created_at": NOON}
    scored = {"id": uuid4(), "content": content, "score": 0.5, "importance": 0.5}
    return MemoryView.model_validate({**usual, **scored, **more})


def fact_view(
    subject: str = "user", predicate: str = "lives_in", value: str = "Turin", **more: object
) -> FactView:
    """Return a fact that is known from two messages."""
    stated = {"id": UUID(int=7), "subject": subject, "predicate": predicate, "object": value, "confidence": 2}
    return FactView.model_validate({**stated, "first_seen": NOON, "last_reinforced": NOON, **more})
