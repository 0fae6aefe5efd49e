"""Workers die at each step of each handler: what follows is as if nobody had died."""

import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Final

import pytest
from tests.fixtures.crashes.experiment import PASSES, Experiment, Played, Point, start_experiment
from tests.fixtures.crashes.scenarios import COMMANDS, NOW, SCENARIOS
from tests.fixtures.crashes.steps import Step
from tests.fixtures.crashes.stores import Reader, Stores

from ricordo.messages.routing import CONSUMERS, CONTRACTS
from ricordo_services.job_progress import ORDER

pytestmark = pytest.mark.slow

KINDS: Final = (
    "before commit",
    "after commit",
    "after publish",
    "after graph",
    "after points",
    "after object",
)
"""Between any two stores, and before what has been done is told and acknowledged."""
BY_THE_CLOCK: Final = {"documents", "discarded", "erasures", "reconcile", "sweeper"}
NOT_OF_THEIR_OWN: Final = {"archive"}
"""A pass that does nothing but what the reconciliation does."""
MAY_BE_OVER: Final = {
    ("reconcile", "before commit"),
    ("reconcile", "after commit"),
    ("index-changes", "after publish"),
}
"""What moved is told of once more by a pass that the clock begins, also before the one that is to die. And
`index-changes` publishes nothing but the items of an event that was delivered before, which is chance."""
ONLY_READS: Final = {"command.export"}
LOST_USE: Final = {"after reply", "before publish"}
"""Of a recall: whoever asked has the answer, and nobody knows any more that it was given. Where the answer
died with its process, on its way out, they asked again."""


@pytest.mark.parametrize(
    "extent",
    [
        pytest.param("each-kind-once", marks=pytest.mark.timeout(900)),
        pytest.param("every-step", marks=[pytest.mark.chaos, pytest.mark.timeout(3600)]),
    ],
)
async def test_a_crash_at_any_step_ends_in_the_same_state(tmp_path: Path, extent: str) -> None:
    began = time.monotonic()
    async with start_experiment(tmp_path) as experiment:
        made = await experiment.undisturbed(SCENARIOS)
        _every_handler_has_its_steps(made)
        points = _all(made) if extent == "every-step" else _of_each_kind(made)
        await experiment.die_at(points)
        states = await _states(experiment)
    _is_one_state(experiment.played, states)
    reached = [one.point for one in experiment.played if one.point is not None and one.reached]
    missed = [one.point for one in experiment.played if one.point is not None and not one.reached]
    per_handler = Counter(point.step.handler for point in reached)
    sys.stdout.write(
        f"{len(reached)} crashes in {time.monotonic() - began:.0f} s, of {len(points)} points\n"
        f"{', '.join(f'{name} {count}' for name, count in sorted(per_handler.items()))}\n"
        f"not come by: {', '.join(map(str, missed))}\n"
    )
    first = [(point.step.handler, point.step.moment) for point in missed if point.step.nth == 1]
    assert set(first) <= MAY_BE_OVER, "of each kind the first is always come by"
    assert set(per_handler) >= {point.step.handler for point in points}


def _every_handler_has_its_steps(made: Sequence[Point]) -> None:
    """A handler that is new has no talk yet."""
    asked = {name for name in CONTRACTS if name.startswith("command.")} - ONLY_READS
    assert asked == set(COMMANDS)
    handlers = {reader.name for reader in CONSUMERS} | asked | BY_THE_CLOCK
    handlers |= set(ORDER) - NOT_OF_THEIR_OWN
    assert handlers <= {point.step.handler for point in made}
    assert "nobody" not in {point.step.handler for point in made}


def _about(point: Point) -> bool:
    """Whether a step is one that its talk always makes: others come by when the clock says so."""
    passed = point.step.handler in ORDER and point.step.handler != "summarize"
    return point.step.handler in point.scenario.about and passed == (point.group == PASSES)


def _of_each_kind(made: Sequence[Point]) -> list[Point]:
    """Return the first step of each kind of each handler, in the first talk that makes it."""
    found: dict[tuple[str, str], Point] = {}
    for point in sorted(filter(_about, made), key=lambda point: SCENARIOS.index(point.scenario)):
        handler, moment, _ = point.step
        if moment in KINDS:
            found.setdefault((handler, moment), Point(point.group, point.scenario, Step(handler, moment, 1)))
    return list(found.values())


def _all(made: Sequence[Point]) -> list[Point]:
    return [
        Point(point.group, point.scenario, Step(point.step.handler, point.step.moment, nth))
        for point in filter(_about, made)
        for nth in range(1, point.step.nth + 1)
    ]


async def _states(experiment: Experiment) -> dict[str, Stores]:
    reader = Reader(experiment.endpoints, since=NOW - timedelta(minutes=1))
    return await reader.read([one.tenant for one in experiment.played])


def _may_lose_its_use(played: Played) -> bool:
    step = None if played.point is None else played.point.step
    return step is not None and step.handler == "query.recall" and step.moment in LOST_USE


def _is_one_state(played: Sequence[Played], states: dict[str, Stores]) -> None:
    """Compare each tenant with the first one that had the same talk and saw nobody die."""
    undisturbed: dict[str, Stores] = {}
    for one in played:
        if one.point is None:
            undisturbed.setdefault(one.scenario.name, states[one.tenant])
    unlike = {}
    for one in played:
        expected, found = undisturbed[one.scenario.name], states[one.tenant]
        if _may_lose_its_use(one) and found.hash == undisturbed["unheard"].hash:
            continue
        if found.hash != expected.hash:
            unlike[f"{one.tenant} {one.point or one.scenario.name}"] = found.unlike(expected)
    assert not unlike, json.dumps(unlike, indent=1)
