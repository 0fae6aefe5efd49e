from collections import Counter

import numpy as np

from ricordo_lab.bench.index import index
from ricordo_lab.bench.options import Line, Options
from ricordo_lab.bench.points import Invention


def test_points_are_the_same_for_a_seed_and_different_from_each_other() -> None:
    first, second, other = (list(Invention(64, seed).points("u", 0, 30)) for seed in (0, 0, 1))
    assert [one.facets for one in first] == [one.facets for one in second]
    assert all(np.array_equal(a.text_vector, b.text_vector) for a, b in zip(first, second, strict=True))
    assert len({one.id for one in first}) == 30
    assert not np.array_equal(first[0].text_vector, other[0].text_vector)


def test_vectors_have_unit_norm_and_words_are_as_frequent_as_words_are() -> None:
    points = list(Invention(64).points("u", 0, 2000))
    for vectors in ([one.text_vector for one in points], [one.window_vector for one in points]):
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    held = Counter(int(term) for one in points for term in one.text_terms.indices)
    shares = [count / len(points) for _, count in held.most_common()]
    assert (
        0.2 < shares[0] < 0.5
    )  # of 2,760 turns of conversations, the most frequent word stands in 0.2 to 0.3
    assert shares[100] < 0.1 * shares[0]
    assert len(held) > 2000


async def test_it_measures_one_user_at_each_size_and_many_users() -> None:
    said: list[Line] = []
    await index(Options(memories=(210, 40), questions=3), said.append)
    assert [(one["memories"], one["users"]) for one in said[:-1]] == [(40, 1), (210, 1), (210, 2)]
    assert all(float(str(one["p95_ms"])) >= float(str(one["p50_ms"])) > 0 for one in said[:-1])
    assert said[-1]["memories"] == [40, 210, 210]
    assert float(str(said[-1]["p95_last_to_first"])) > 0
