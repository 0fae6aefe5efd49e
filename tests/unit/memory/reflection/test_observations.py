"""What insights are drawn from."""

from dataclasses import replace

from tests.fixtures.material import memory

from ricordo.language.annotations import Role
from ricordo.memory.reflection.observations import is_observation


def test_only_what_the_user_said_is_an_observation() -> None:
    said = memory(1, "You live in Paris.")
    assert [is_observation(replace(said, role=role)) for role in Role] == [True, False, False, False]
