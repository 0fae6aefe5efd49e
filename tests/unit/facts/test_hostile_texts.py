"""A text that states nothing, made to take long, is read in a time that grows with its length only."""

import time

import pytest

from ricordo.domain.facts import extract

LONGEST = 32_768


def seconds_for(text: str, language: str) -> float:
    began = time.process_time()
    assert extract(text, language=language, speaker="", role="user") == ()
    return time.process_time() - began


@pytest.mark.parametrize("language", ["it", "en"])
@pytest.mark.parametrize(
    "part", ["-", " -", ": ", "& ", "and ", "e ", "a@", "who, ", "e se ", "<recalled>", "'"]
)
@pytest.mark.parametrize("end", ["", "?"])
def test_a_message_of_joints_alone_takes_no_longer_than_its_length(
    part: str, language: str, end: str
) -> None:
    text = (part * LONGEST)[: LONGEST - 1] + end
    assert seconds_for(text, language) < 5  # quadratic reading takes minutes, linear a fraction of a second
