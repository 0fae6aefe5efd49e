"""Settings of NATS, PostgreSQL, Qdrant, the graph and the storage of documents."""

import re
from pathlib import Path
from typing import Annotated, Final, Self

from pydantic import Field, SecretStr, field_validator, model_validator

from ricordo.settings.group import Group, PositiveFloat, PositiveInt, refuse, url_like
from ricordo.urls import dsn_fault

_BOLT: Final = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")
_GRAPH: Final = "bolt://127.0.0.1:7687"
_SUBJECT: Final = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*", re.ASCII)
_POSTGRES: Final = ("postgresql", "postgres")
_BUCKET: Final = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[A-Za-z0-9._=/-]{0,400})?")
_EXAMPLE: Final = "s3://a-bucket or s3://a-bucket/a/prefix"


class BusSettings(Group):
    """NATS.

    Attributes:
        url: URL, with credentials if needed.
        inbox_prefix: prefix of this process's inboxes; permissions may require one.
        tls_ca: CA certificate that verifies the server; by default those of the system.
        input_bytes: maximum size of the stream of incoming messages; when full, it rejects new ones.
        events_bytes: maximum size of the stream of derived events; when full, it drops the oldest.
        dead_letter_bytes: maximum size of the stream of dead letters; when full, it drops the oldest.
        ack_wait_s: seconds without an acknowledgement or progress signal after which an event is
            redelivered. Use the same value for all processes.
        query_timeout_s: seconds after which a query is answered with `timeout`.
        concurrent_queries: maximum number of concurrent queries per process, and a quarter as many answers in
            parts.
    """

    url: str = "nats://127.0.0.1:4222"
    inbox_prefix: str = "_INBOX"
    tls_ca: Path | None = None
    input_bytes: PositiveInt = 4 * 1024**3
    events_bytes: PositiveInt = 4 * 1024**3
    dead_letter_bytes: PositiveInt = 1024**3
    ack_wait_s: Annotated[float, Field(ge=1, le=3_600)] = 15.0
    query_timeout_s: PositiveFloat = 5.0
    concurrent_queries: PositiveInt = 32

    @field_validator("url")
    @classmethod
    def _is_address(cls, url: str) -> str:
        # the client, which is not loaded where the address is nobody's own
        from ricordo.client import InvalidRequest  # noqa: PLC0415
        from ricordo.client.addresses import checked_addresses  # noqa: PLC0415

        try:
            checked_addresses(url)
        except InvalidRequest as error:
            refuse(error.message)
        return url

    @field_validator("inbox_prefix")
    @classmethod
    def _is_subject(cls, prefix: str) -> str:
        if _SUBJECT.fullmatch(prefix) is None:
            raise ValueError(
                "no prefix of subjects: give tokens of letters, digits, - and _ with dots between them"
            )
        return prefix


class StoreSettings(Group):
    """PostgreSQL, Qdrant and the graph.

    Attributes:
        postgres_dsn: role of the workers, subject to row-level security.
        postgres_admin_dsn: owner of the schema, for migrations; without it a worker expects a migrated
            schema.
        postgres_connections: maximum number of connections per process.
        qdrant_url: Qdrant server; without it, Qdrant Edge runs in process in `qdrant_dir`.
        qdrant_api_key: API key of the Qdrant server.
        qdrant_dir: folder of Qdrant Edge.
        qdrant_min_free_mb: free megabytes on the volume of that folder below which indexing stops; below
            half of it all writes stop. Opening the index needs all of it.
        bolt_url: Neo4j or another server with the Bolt protocol.
        bolt_user: user of the graph.
        bolt_password: password of that user.
        bolt_database: database of the graph.
        bolt_timeout_s: how long a query waits to learn whether the graph answers; a slower graph counts as
            down.
    """

    postgres_dsn: SecretStr = SecretStr("postgresql://ricordo_worker@127.0.0.1:5432/ricordo")
    postgres_admin_dsn: SecretStr | None = None
    postgres_connections: PositiveInt = 12
    qdrant_url: Annotated[str, url_like("http://127.0.0.1:6333")] | None = None
    qdrant_api_key: SecretStr | None = None
    qdrant_dir: Path | None = None
    qdrant_min_free_mb: PositiveInt = 256
    bolt_url: Annotated[str, url_like(_GRAPH, _BOLT)] = _GRAPH
    bolt_user: str = "neo4j"
    bolt_password: SecretStr = SecretStr("")
    bolt_database: str = "neo4j"
    bolt_timeout_s: PositiveFloat = 0.25

    @field_validator("postgres_dsn", "postgres_admin_dsn")
    @classmethod
    def _names_database(cls, dsn: SecretStr | None) -> SecretStr | None:
        if dsn is not None:
            example = "postgresql://user:password@127.0.0.1:5432/ricordo"
            refuse(dsn_fault(dsn.get_secret_value(), _POSTGRES, example))
        return dsn


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
        max_pages: maximum number of pages; a longer document is not read.
        max_characters: maximum number of characters read from a document.
        extract_min_tokens: tokens from which an extract ends at the next page or section.
        extract_max_tokens: maximum number of tokens of an extract.
        max_extracts: maximum number of extracts of a document; the rest is not remembered.
    """

    dir: Path | None = None
    url: str | None = None
    endpoint: Annotated[str, url_like("http://127.0.0.1:9000")] | None = None
    region: str | None = None
    access_key_id: str | None = None
    secret_access_key: SecretStr | None = None
    read_seconds: PositiveFloat = 30.0
    read_memory_mb: PositiveInt = 1024
    max_pages: PositiveInt = 2_000
    max_characters: PositiveInt = 2_000_000
    extract_min_tokens: PositiveInt = 120
    extract_max_tokens: PositiveInt = 240
    max_extracts: PositiveInt = 500

    @field_validator("url")
    @classmethod
    def _is_bucket(cls, url: str | None) -> str | None:
        if url is not None and _BUCKET.fullmatch(url) is None:
            refuse(f"must be a bucket, such as {_EXAMPLE}")
        return url

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.extract_min_tokens > self.extract_max_tokens:
            refuse("extract_min_tokens must be at most extract_max_tokens")
        return self

    @property
    def bucket(self) -> tuple[str, str] | None:
        """Name of the bucket and prefix of its keys; None if documents are in a folder."""
        if self.url is None:
            return None
        name, _, prefix = self.url.removeprefix("s3://").partition("/")
        return name, prefix.strip("/")
