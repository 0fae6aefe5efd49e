"""Which users' neighbourhoods a worker remembers."""

from uuid import UUID

from ricordo.memory.links import LinkedMember, Neighbourhood
from ricordo.memory.similarity import quantize
from ricordo.store.link_store import LinkVersion
from ricordo.testing.factories import unit_vectors
from ricordo_services.enrichment.related_memories import RememberedNeighbourhoods, VectorPosition

STATE = LinkVersion(generation=UUID(int=1), number=1)


def _neighbourhood(members: int) -> Neighbourhood:
    neighbourhood = Neighbourhood(0.5, 4)
    vectors = unit_vectors(members, 4, seed=1)
    neighbourhood.add([LinkedMember(UUID(int=n), n, quantize(vector)) for n, vector in enumerate(vectors)])
    return neighbourhood


def test_what_is_too_much_by_itself_is_not_remembered_and_costs_no_other_its_place() -> None:
    small, large = _neighbourhood(3), _neighbourhood(2000)
    remembered = RememberedNeighbourhoods(2 * small.nbytes)
    a, b, c = (VectorPosition("acme", user, "model") for user in "abc")
    for place in (a, b, c):
        remembered.keep(place, small, STATE)
    assert remembered.take(a) is None, "there is room for two"
    remembered.keep(a, large, STATE)
    assert remembered.take(a) is None
    assert len(remembered) == 2
    assert remembered.nbytes == 2 * small.nbytes
    remembered.keep(b, large, STATE)
    assert remembered.take(b) is None, "what was remembered of this one has passed"
    assert remembered.take(c) == (small, STATE)
