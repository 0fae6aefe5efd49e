"""Where documents are kept, and how they are read."""

import re
from pathlib import Path
from typing import Final, Self

from pydantic import SecretStr, field_validator, model_validator

from ricordo.settings.values import HTTP, Group, PositiveFloat, PositiveInt, refuse
from ricordo.urls import fault

_BUCKET: Final = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[A-Za-z0-9._=/-]{0,400})?")
_EXAMPLE: Final = "s3://a-bucket or s3://a-bucket/a/prefix"


class DocumentSettings(Group):
    """What messages bring along.

    Without `dir` and `url`, a message that brings a document is dead-lettered, to be replayed later.

    Attributes:
        dir: the folder that keeps them; every process of `ingest` must see the same one.
        url: the bucket that keeps them instead, as `s3://a-bucket/a/prefix`.
        endpoint: what speaks S3, where that is not Amazon: an http or https address.
        region: of the bucket; without it, what the environment says.
        access_key_id: who signs; without it, what the environment or the machine says.
        secret_access_key: the key to sign with.
        read_seconds: for which one document may be read.
        read_memory_mb: the memory that reading one may take, on Linux.
        most_pages: pages of a document; one that has more is not read.
        most_characters: characters of a document that are read.
        extract_least: tokens from which on an extract ends where a page or a section does.
        extract_most: tokens of an extract.
        most_extracts: extracts of a document; what comes after them is not remembered.
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
        """The name of the bucket, and what all keys in it begin with; None where a folder keeps them."""
        if self.url is None:
            return None
        name, _, prefix = self.url.removeprefix("s3://").partition("/")
        return name, prefix.strip("/")
