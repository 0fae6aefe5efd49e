"""Trace context and pauses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.runtime.backoff import Backoff
from ricordo.runtime.tracing import TraceContext

HEXADECIMAL = "0123456789abcdef"


class TestTraces:
    @given(
        st.text(HEXADECIMAL, min_size=32, max_size=32),
        st.text(HEXADECIMAL, min_size=16, max_size=16),
        st.text(HEXADECIMAL, min_size=2, max_size=2),
    )
    def test_what_is_written_is_read(self, trace: str, span: str, flags: str) -> None:
        found = TraceContext.parse(f"00-{trace}-{span}-{flags}")
        if set(trace) == {"0"} or set(span) == {"0"}:
            assert found is None
        else:
            assert found == TraceContext(trace, span, flags)
            assert TraceContext.parse(str(found)) == found

    @pytest.mark.parametrize(
        "header",
        [
            None,
            "",
            "nonsense",
            f"ff-{'a' * 32}-{'b' * 16}-01",
            f"00-{'A' * 32}-{'b' * 16}-01",
            f"00-{'a' * 32}-{'b' * 16}-01-more",
            f"00-{'a' * 31}-{'b' * 16}-01",
            f"00-{'0' * 32}-{'b' * 16}-01",
            f"00-{'a' * 32}-{'0' * 16}-01",
        ],
    )
    def test_what_is_no_trace_begins_a_new_one(self, header: str | None) -> None:
        assert TraceContext.parse(header) is None
        assert TraceContext.parse(str(TraceContext.continued(header))) is not None

    def test_a_later_version_may_say_more(self) -> None:
        assert TraceContext.parse(f"01-{'a' * 32}-{'b' * 16}-01-more") is not None

    def test_a_child_is_another_span_of_the_same_trace(self) -> None:
        parent = TraceContext.begin()
        child = parent.child()
        assert child.trace_id == parent.trace_id
        assert child.span_id != parent.span_id
        assert TraceContext.begin().trace_id != parent.trace_id


class TestBackoff:
    @given(st.integers(-3, 10_000), st.floats(0, 1, exclude_max=True))
    def test_it_never_leaves_its_bounds(self, attempt: int, chance: float) -> None:
        backoff = Backoff(first=0.5, longest=30.0, jitter=0.5, rng=lambda: chance)
        assert 0.25 <= backoff.delay(attempt) <= 30.0

    def test_it_doubles(self) -> None:
        backoff = Backoff(first=1.0, longest=5.0, jitter=0.0)
        assert [backoff.delay(attempt) for attempt in range(1, 6)] == [1.0, 2.0, 4.0, 5.0, 5.0]

    @pytest.mark.parametrize("broken", [{"first": 0.0}, {"factor": 0.5}, {"longest": 0.1}, {"jitter": 1.5}])
    def test_nonsense_is_refused(self, broken: dict[str, float]) -> None:
        with pytest.raises(ValueError, match="invalid backoff"):
            Backoff(**broken)  # type: ignore[arg-type]  # each of them is a float
