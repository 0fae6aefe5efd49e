"""Settings of documents: storage, limits of reading, size of extracts."""

import re
from pathlib import Path
from typing import Final, Self

from pydantic import SecretStr, field_validator, model_validator

from ricordo.settings.values import HTTP, Group, PositiveFloat, PositiveInt, refuse
from ricordo.urls import fault

_BUCKET: Final = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[A-Za-z0-9._=/-]{0,400})?")
_EXAMPLE: Final = "s3://a-bucket or s3://a-bucket/a/prefix"


class DocumentSettings(Group):
    """Documents that messages carry.

    Without `dir` and `url`, a message with a document becomes a dead letter that can be replayed.

    Attributes:
        dir: folder for documents; all processes of `ingest` must share it.
        url: bucket for documents, instead of a folder, as `s3://a-bucket/a/prefix`.
        endpoint: URL of an S3-compatible service other than Amazon S3.
        region: of the bucket; by default from the environment.
        access_key_id: access key; by default from the environment or the machine's role.
        secret_access_key: secret of the access key.
        read_seconds: time limit for reading one document.
        read_memory_mb: memory limit for reading one document, on Linux.
        most_pages: maximum number of pages; a longer document is not read.
        most_characters: maximum number of characters read from a document.
        extract_least: tokens from which an extract ends at the next page or section.
        extract_most: maximum number of tokens of an extract.
        most_extracts: maximum number of extracts of a document; the rest is not remembered.
    """

    dir: Path | None = None
    url: str | None = None
    endpoint: str | None = None
    region: str | None = None
    access_key_id: str | None = None
    secret_access_key: SecretStr | None = None
    read_seconds: PositiveFloat = 30.0
    read_memory_mb: PositiveInt = 1024
    most_pages: PositiveInt = 2_000
    most_characters: PositiveInt = 2_000_000
    extract_least: PositiveInt = 120
    extract_most: PositiveInt = 240
    most_extracts: PositiveInt = 500

    @field_validator("url")
    @classmethod
    def _is_bucket(cls, url: str | None) -> str | None:
        if url is not None and _BUCKET.fullmatch(url) is None:
            refuse(f"must be a bucket, such as {_EXAMPLE}")
        return url

    @field_validator("endpoint")
    @classmethod
    def _is_endpoint(cls, url: str | None) -> str | None:
        if url is not None:
            refuse(fault(url, HTTP, "http://127.0.0.1:9000"))
        return url

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.extract_least > self.extract_most:
            refuse("extract_least must be at most extract_most")
        return self

    @property
    def bucket(self) -> tuple[str, str] | None:
        """Name of the bucket and prefix of its keys; None if documents are in a folder."""
        if self.url is None:
            return None
        name, _, prefix = self.url.removeprefix("s3://").partition("/")
        return name, prefix.strip("/")
