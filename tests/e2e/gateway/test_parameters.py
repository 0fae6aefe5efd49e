"""Every parameter of the queries that stand in a URL arrives at the worker that answers."""

import httpx
import pytest
from tests.fixtures.gateway import GatewayAccess, remember
from tests.fixtures.sentence_tables import table
from tests.fixtures.wire import Json, msg

VALUES: dict[str, str] = table(__file__, "values")
TOGETHER = ({"start", "end"}, {"from", "to"})


async def test_every_parameter_is_accepted(gateway: GatewayAccess) -> None:
    async with gateway.client() as http:
        document = (await http.get("/openapi.json")).json()
        for path in (
            "facts",
            "memories",
            "periods",
            "entities",
            "graph",
            "timeline",
            "history",
            "working",
            "stats",
        ):
            described = document["paths"][f"/v1/{path}"]["get"]["parameters"]
            required = {one["name"] for one in described if one["required"]} | {"user_id"}
            for name in {one["name"] for one in described} - {"cursor"}:
                alone = required | next((some for some in TOGETHER if name in some), {name})
                chosen = alone | ({"entity"} if path == "graph" and not alone & {"from"} else set())
                answer = await http.get(f"/v1/{path}", params={each: VALUES[each] for each in chosen})
                assert answer.status_code == 200, (path, name, answer.text)


async def _pages(http: httpx.AsyncClient, path: str, listed: str, parameter: str) -> list[list[Json]]:
    """Return the pages of a query of two entries a page, each asked for with the `next` of the one before."""
    asked: dict[str, str | int] = {"user_id": "u-1", "limit": 2}
    pages = []
    while True:
        answer = await http.get(f"/v1/{path}", params=asked)
        assert answer.status_code == 200, answer.text
        pages.append(answer.json()[listed])
        if answer.json()["next"] is None:
            return pages
        asked[parameter] = answer.json()["next"]


@pytest.mark.parametrize(
    ("path", "listed", "parameter"), [("history", "messages", "before"), ("memories", "memories", "cursor")]
)
async def test_the_next_of_a_page_is_what_the_following_one_is_asked_with(
    gateway: GatewayAccess, path: str, listed: str, parameter: str
) -> None:
    said = [msg(f"m-{n}", f"Nel 19{n:02} ero a Gorizia.") for n in range(10, 15)]
    async with gateway.client() as http:
        await remember(http, *said)
        pages = await _pages(http, path, listed, parameter)
    assert [len(page) for page in pages] == [2, 2, 1]
    assert sorted(one["content"] for page in pages for one in page) == [one["content"] for one in said]
