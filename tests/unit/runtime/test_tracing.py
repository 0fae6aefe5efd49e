"""Trace context, backoff, and malformed input from servers."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ricordo.messages.errors import header_text
from ricordo.messages.subjects import InvalidSubject, Subject, dead_letter_subject, parse_dead_letter
from ricordo.runtime.backoff import Backoff
from ricordo.runtime.sweeper import Advisory
from ricordo.runtime.tracing import TraceContext
from ricordo_services.cli.worker_reports import reports_in

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


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=4,
)
ADVISORY = {"stream": "RICORDO", "consumer": "encode", "stream_seq": 7, "deliveries": 9}
DEEP = b"[" * 100_000


@given(st.binary(max_size=80) | JSON.map(json.dumps).map(str.encode))
@example(DEEP)
def test_any_bytes_are_an_advisory_or_none(body: bytes) -> None:
    found = Advisory.parse(body)
    assert found is None or isinstance(found.sequence, int)


@given(st.sampled_from(sorted(ADVISORY)), JSON)
@example("stream_seq", float("inf"))
def test_any_field_of_an_advisory_may_be_anything(field: str, value: object) -> None:
    found = Advisory.parse(json.dumps(ADVISORY | {field: value}).encode())
    assert found is None or isinstance(found.deliveries, int)


@given(st.binary(max_size=80) | JSON.map(lambda told: json.dumps({"workers": told}).encode()))
@example(DEEP)
@example(b"null")
def test_any_answer_about_health_holds_reports_or_none(reply: bytes) -> None:
    assert all(isinstance(report, dict) for report in reports_in(reply))


@given(st.text(max_size=80) | st.from_regex(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-x)?"))
def test_any_trace_is_continued(header: str) -> None:
    found = TraceContext.parse(str(TraceContext.continued(header)))
    parent = TraceContext.parse(header)
    assert found is not None
    assert parent is None or found.trace_id == parent.trace_id


@given(
    st.text(max_size=60) | st.lists(st.sampled_from(["dlq", "memory", "v1", "a", "", "*", ">"])).map(".".join)
)
def test_any_subject_is_read_or_refused(subject: str) -> None:
    try:
        assert str(Subject.parse(subject)) == subject
    except InvalidSubject as error:
        assert str(error)  # noqa: PT017 - either is right
    try:
        assert dead_letter_subject(*parse_dead_letter(subject)) == subject
    except InvalidSubject as error:
        assert str(error)  # noqa: PT017 - likewise


@given(st.text())
def test_any_reason_fits_a_header(text: str) -> None:
    line = header_text(text)
    assert len(line) <= 500
    assert line.isascii()
    assert line.isprintable()
