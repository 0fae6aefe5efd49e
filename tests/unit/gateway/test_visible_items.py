"""What leaves over HTTP is cut item by item: no foreign item passes, and none of one's own is lost."""

from hypothesis import given
from hypothesis import strategies as st

from ricordo_services.gateway.event_stream import visible_to

USERS = st.sampled_from(["u-1", "u-2", "u-11", ""])


@given(owners=st.lists(USERS, min_size=1, max_size=9), user=USERS)
def test_a_key_of_one_user_gets_its_own_items_alone(owners: list[str], user: str) -> None:
    items = [{"user_id": owner, "memory_id": str(place)} for place, owner in enumerate(owners)]
    event = {"id": "e", "at": "now", "items": items}
    own = [item for item in items if item["user_id"] == user]
    assert visible_to(user, event) == (event | {"items": own} if own else None)
    assert visible_to(None, event) == event


@given(owner=USERS, user=USERS)
def test_an_event_without_items_is_its_users(owner: str, user: str) -> None:
    event = {"id": "e", "user_id": owner}
    assert visible_to(user, event) == (event if owner == user else None)
