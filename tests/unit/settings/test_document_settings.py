"""Where documents are kept, as settings say it."""

import pytest
from pydantic import ValidationError

from ricordo.settings import DocumentSettings


@pytest.mark.parametrize(
    ("url", "bucket"),
    [
        (None, None),
        ("s3://papers", ("papers", "")),
        ("s3://papers/", ("papers", "")),
        ("s3://my.papers-2/a/b", ("my.papers-2", "a/b")),
        ("s3://papers/a/", ("papers", "a")),
    ],
)
def test_a_bucket_and_what_its_keys_begin_with(url: str | None, bucket: tuple[str, str] | None) -> None:
    assert DocumentSettings(url=url).bucket == bucket


@pytest.mark.parametrize("url", ["", "papers", "https://papers", "s3://", "s3://P", "s3://papers/a b"])
def test_what_is_no_bucket_is_refused(url: str) -> None:
    with pytest.raises(ValidationError, match="must be a bucket, such as s3://a-bucket"):
        DocumentSettings(url=url)


def test_an_endpoint_is_an_address() -> None:
    assert DocumentSettings(endpoint="http://127.0.0.1:9000").endpoint == "http://127.0.0.1:9000"
    with pytest.raises(ValidationError, match="give scheme, host and port"):
        DocumentSettings(endpoint="ftp://here")


def test_extracts_have_a_size_that_can_be_kept() -> None:
    with pytest.raises(ValidationError, match="extract_min_tokens must be at most extract_max_tokens"):
        DocumentSettings(extract_min_tokens=300)
