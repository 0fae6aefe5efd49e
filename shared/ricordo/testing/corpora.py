"""Small collections of points, and scopes over them, as hypothesis draws them for the vector index."""

from hypothesis import strategies as st

from ricordo.index.port import Point, Scope
from ricordo.testing.factories import at, point, unit_vector

WORDS = "red green blue cat dog bird house river mountain bread".split()


@st.composite
def corpora(draw: st.DrawFn) -> list[Point]:
    """Draw points of two users, with few words and moments, so that they meet."""
    count = draw(st.integers(1, 14))
    texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
    users = st.sampled_from(("u-1", "u-1", "u-2"))
    return [
        point(
            f"p-{n}",
            user_id=draw(users),
            text=draw(texts),
            before=draw(texts),
            vector=unit_vector(n),
            window=unit_vector(n + 100),
            created_at=at(draw(st.integers(0, 5))),
            informative=draw(st.sampled_from((True, True, False))),
            archived=draw(st.booleans()),
            valence=draw(st.sampled_from((-0.9, 0.0, 0.9))),
        )
        for n in range(count)
    ]


SCOPES = st.builds(
    Scope,
    user_id=st.just("u-1"),
    start=st.sampled_from((None, at(1), at(3))),
    end=st.sampled_from((None, at(2), at(4))),
    above_valence=st.sampled_from((None, None, 0.0)),
    include_archived=st.booleans(),
    include_uninformative=st.booleans(),
)
