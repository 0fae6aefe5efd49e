"""A language model that rates and describes messages: its prompts, and which values of its answers count."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict
from typing import cast

import pytest
from tests.fixtures.ollama_stand_in import OllamaStandIn
from tests.fixtures.ollama_system import with_llm
from tests.fixtures.talking import TalkingModel, described, instructions, shown
from tests.integration.models.conftest import MODEL, chats

from ricordo.clock import SystemClock
from ricordo.language.annotations import MemoryKind, MemoryType
from ricordo.memory.llm_validation import Description, LlmMessage
from ricordo.models.llm_describer import LlmDescriber
from ricordo.settings import Settings
from ricordo_services.app.language_models import open_describer

STORY = [LlmMessage("È morta mia nonna.", "it"), LlmMessage("ok", "it"), LlmMessage("I got the job!", "en")]


@pytest.fixture
async def describer(server: OllamaStandIn, budget: float) -> AsyncIterator[LlmDescriber]:
    settings = with_llm(Settings(), server.url, MODEL, "enrichment", budget_s=budget)
    async with open_describer(settings, SystemClock()) as opened:
        assert opened is not None
        await server.received(2)  # it was looked for and loaded
        yield opened


async def test_messages_are_rated_by_the_scale_alone(server: OllamaStandIn, describer: LlmDescriber) -> None:
    await describer.read(STORY, describe=False)
    [request] = chats(server)
    lines = (
        "Rate the importance of each observation (1-10 scale).",
        "1 = mundane (routine activity, small talk)",
        "5 = moderate (notable event, useful information)",
        "10 = crucial (major event, critical insight)",
    )
    assert [line for line in lines if line not in instructions(request)] == []
    assert shown(request) == [one.text for one in STORY]


async def test_what_is_no_number_of_the_scale_is_no_rating(
    server: OllamaStandIn, describer: LlmDescriber
) -> None:
    for rating in (0.99, 11, -2, "7", True, None, [7]):
        said = dict(zip((one.text for one in STORY), (7, rating, 2.5), strict=True))
        server.behaviour.chat = TalkingModel(rate=lambda text, said=said: cast("float", said[text]))  # type: ignore[misc]
        found = [one.importance for one in await describer.read(STORY, describe=False)]
        assert found == [pytest.approx(6 / 9), None, pytest.approx(1.5 / 9)], rating


WHOLE = Description(
    valence=-0.8,
    arousal=0.5,
    dominance=0.2,
    primary="grief",
    keywords=("morta",),
    topics=("nonna",),
    participants=("Davide",),
    type=MemoryType.EMOTIONAL,
    kind=MemoryKind.MESSAGE,
    title="La nonna di Davide",
)


async def test_all_of_a_description_is_returned(server: OllamaStandIn, describer: LlmDescriber) -> None:
    fields = asdict(WHOLE) | {"emotion": WHOLE.primary}
    del fields["primary"]
    server.behaviour.chat = TalkingModel(describe=lambda _: described(**fields))
    assert [one.description for one in await describer.read(STORY[:1])] == [WHOLE]


INVALID: Sequence[tuple[dict[str, object], dict[str, object]]] = (
    ({"valence": "very"}, {"valence": None}),
    ({"valence": None, "topics": "cane"}, {"valence": None}),
    ({"topics": ["cane", 7]}, {}),
    ({"topics": ["x"] * 99}, {}),
    ({"type": "spiritual", "kind": 3}, {"type": None, "kind": None}),
    ({"title": "x" * 5_000}, {}),
)


async def test_an_invalid_value_is_left_out_and_the_others_stay(
    server: OllamaStandIn, describer: LlmDescriber
) -> None:
    for fields, left in INVALID:
        server.behaviour.chat = TalkingModel(describe=lambda _, fields=fields: described(**fields))  # type: ignore[misc]
        [found] = [one.description for one in await describer.read(STORY[:1])]
        expected = {"primary": "neutral", "valence": 0, "arousal": 0.1, "dominance": 0.5, "topics": ()} | left
        assert {name: getattr(found, name) for name in expected} == expected, fields
