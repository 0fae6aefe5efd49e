"""Measures of queries are shown before the first one, by query and outcome."""

from ricordo.runtime.measures import QueryMeasures


def test_served_queries_are_shown_before_the_first_request() -> None:
    measures = QueryMeasures(["query.stats"], ["internal"])
    assert replies(measures) == {("query.stats", "ok"): 0, ("query.stats", "internal"): 0}
    measures.record("unknown", "internal", 0.2)
    found = replies(measures)
    assert (found["unknown", "internal"], found["unknown", "ok"]) == (1, 0)


def replies(measures: QueryMeasures) -> dict[tuple[str, str], float]:
    (family,) = measures.replies.collect()
    return {
        (one.labels["query"], one.labels["outcome"]): one.value
        for one in family.samples
        if one.name.endswith("_total")
    }
