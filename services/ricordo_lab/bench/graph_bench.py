"""Measures how many facts a second the graph on the local server writes, reads and removes."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import Final
from uuid import UUID, uuid4

from ricordo.clock import SystemClock
from ricordo.graph.bolt.fact_graph import FactGraph
from ricordo.graph.graph_model import GraphDelta, in_pages
from ricordo.language.facts.evidence import Evidence
from ricordo.memory.facts.fact_model import Fact
from ricordo.memory.facts.folding import fold
from ricordo_lab.bench.generated_texts import FIRST_SAID
from ricordo_lab.bench.measurement import Figures, Options, Report, Stopwatch, repeated
from ricordo_lab.bench.system import scratch
from ricordo_services.app.resources import Resources
from ricordo_services.stack.endpoints import local_settings
from ricordo_services.stack.local import LocalStack

_FACTS: Final = 20_000
_EACH: Final = 20  # facts of each of many users
_AT_ONCE: Final = 500  # facts of one user, as when the graph is written anew
_GONE: Final = 20  # facts that are removed at once
_PREDICATES: Final = ("lives_in", "born_in", "works_at", "works_as", "studies", "plays", "allergic_to")
_OBJECTS: Final = 400
_PAUSE: Final = timedelta(minutes=5)


async def graph(options: Options, report: Report) -> None:
    """Measure writing, reading and removing facts in the graph on the local server."""
    facts = _facts(options.facts or _FACTS)
    with scratch() as folder:
        async with LocalStack.open(folder) as stack, AsyncExitStack() as exits:
            settings = local_settings(stack.endpoints, options.settings)
            resources = Resources(settings, SystemClock(), exits)
            writing = await resources.graph()
            await writing.prepare()
            await _written(writing, "warm-up", facts[:_AT_ONCE])
            found = await repeated(
                "graph", options.runs, report, lambda run: _run(writing, f"run-{run}", facts)
            )
    counts = {"runs": options.runs, "facts": len(facts), "users": max(1, len(facts) // _EACH)}
    report({"bench": "graph", **counts, **found})


async def _run(graph: FactGraph, tenant: str, facts: Sequence[Fact]) -> Figures:
    """Write all facts as those of one user, twice, then as those of many users."""
    of_one = await _written(graph, tenant, facts)
    again = await _written(graph, tenant, facts)
    reading, removing = Stopwatch(), Stopwatch()
    with reading:
        await graph.export(tenant, _user(0))
    with removing:
        await _project(graph, tenant, _user(0), (), *(fact.id for fact in facts[:_GONE]))
    many = Stopwatch()
    shares = [facts[start : start + _EACH] for start in range(0, len(facts), _EACH)]
    for nth, share in enumerate(shares, 1):
        with many:
            await _project(graph, tenant, _user(nth), share)
    return {
        "written_per_second_of_one_user": len(facts) / of_one.seconds,
        "written_again_per_second": len(facts) / again.seconds,
        "written_per_second_of_many_users": len(facts) / many.seconds,
        "read_per_second": len(facts) / reading.seconds,
        "ms_to_remove_some": 1000 * removing.seconds,
    }


async def _written(graph: FactGraph, tenant: str, facts: Sequence[Fact]) -> Stopwatch:
    watch = Stopwatch()
    for start in range(0, len(facts), _AT_ONCE):
        with watch:
            await _project(graph, tenant, _user(0), facts[start : start + _AT_ONCE])
    return watch


async def _project(graph: FactGraph, tenant: str, user: str, facts: Sequence[Fact], *gone: UUID) -> None:
    async def read(version: int | None) -> GraphDelta:
        return GraphDelta(version=(version or 0) + 1, pages=in_pages(facts), gone=gone)

    await graph.project(tenant, user, read)


def _facts(number: int) -> Sequence[Fact]:
    """Return so many facts: seven about each person, whose objects are shared with other people."""
    evidence = []
    for nth in range(number):
        person, place = divmod(nth, len(_PREDICATES))
        subject, value = f"Person {person}", f"Thing {nth % _OBJECTS}"
        at = FIRST_SAID + person * _PAUSE
        evidence.append(Evidence(subject, _PREDICATES[place], value, f"m-{person}", at, position=place))
    return fold(evidence, tenant=str(uuid4()), user_id=_user(0))


def _user(nth: int) -> str:
    return f"user-{nth}"
