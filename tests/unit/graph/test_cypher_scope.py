"""Every query of facts names tenant and user in every pattern, and none holds a value of its own."""

import re

import pytest

from ricordo.graph.transactions import blocks

SCOPE = "{tenant: $tenant, user_id: $user_id"
FACTS = blocks("facts")
UPKEEP = blocks("upkeep")


def code(query: str) -> str:
    return "\n".join(line for line in query.splitlines() if not line.lstrip().startswith("//"))


@pytest.mark.parametrize("name", sorted(FACTS))
def test_every_node_and_edge_names_tenant_and_user(name: str) -> None:
    query = code(FACTS[name])
    nodes = re.findall(r"\((\w*)(:\w+)?\s*(\{[^}]*\})?\)", query)
    edges = re.findall(r"-\[[^\]]*\]-", query)
    assert "--" not in query
    bound = {variable for variable, label, _ in nodes if label}
    patterns = [node for node in nodes if node[1] or node[2] or node[0] in {"s", "o", "e", "n", "m", "p", ""}]
    assert patterns
    for variable, label, properties in patterns:
        assert properties.startswith(SCOPE) if label else variable in bound, (name, variable)
    for edge in edges:
        assert ":FACT " in edge
        assert SCOPE in edge, (name, edge)


@pytest.mark.parametrize("name", sorted(blocks("schema")))
def test_every_constraint_and_index_begins_with_tenant_and_user(name: str) -> None:
    assert "(e.tenant, e.user_id" in blocks("schema")[name]


def test_what_is_asked_over_users_tells_who_they_are_and_nothing_else() -> None:
    assert {name: code(query).partition("RETURN")[2].split() for name, query in UPKEEP.items()} == {
        "owners": "DISTINCT e.tenant AS tenant, e.user_id AS user_id".split(),
        "owners_of_states": "DISTINCT p.tenant AS tenant, p.user_id AS user_id".split(),
    }


@pytest.mark.parametrize("name", sorted(UPKEEP))
def test_nothing_is_written_over_users(name: str) -> None:
    assert not re.search(r"\b(?:CREATE|MERGE|SET|DELETE|REMOVE)\b", code(UPKEEP[name]))


@pytest.mark.parametrize("query", [*FACTS.values(), *UPKEEP.values()], ids=[*FACTS, *UPKEEP])
def test_types_and_labels_are_static_and_values_are_parameters(query: str) -> None:
    query = code(query)
    assert set(re.findall(r"[(\[]\w*:(\w+)", query)) <= {"Entity", "FACT", "Projection"}
    assert not re.search(r"['\"`]|\$\$|:\$", query)


def test_all_files_are_read_by_these_tests() -> None:
    from importlib.resources import files  # noqa: PLC0415 - only here

    found = {file.name for file in files("ricordo.graph").joinpath("cypher").iterdir()}
    assert found == {"facts.cypher", "schema.cypher", "upkeep.cypher"}
