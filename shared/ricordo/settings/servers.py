"""Where NATS, PostgreSQL, Qdrant and the graph are, and how they are used."""

import re
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field, SecretStr, field_validator

from ricordo.settings.values import HTTP, Group, PositiveFloat, PositiveInt, refuse
from ricordo.urls import dsn_fault, fault

_BOLT: Final = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")
_SUBJECT: Final = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*", re.ASCII)
_POSTGRES: Final = ("postgresql", "postgres")


class BusSettings(Group):
    """NATS.

    Attributes:
        url: where it answers, credentials inside it when there are any.
        inbox_prefix: where answers reach this process; permissions may demand one of its own.
        tls_ca: the certificate by which that of the server is checked; without it, what the system trusts.
        input_bytes: limit of the stream that bots write to; a full one refuses.
        events_bytes: limit of the stream of derived events; a full one drops its oldest.
        dead_letter_bytes: limit of the stream of dead letters; a full one drops its oldest.
        ack_wait_s: seconds after which what a process was given, and shows no sign of life of, is given to
            another one: 1 to 3600. The same for all processes.
        query_timeout_s: after this many seconds a query is answered with `timeout`.
        concurrent_queries: how many are worked on at once in one process.
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
        postgres_dsn: the workers' role, bound by row-level security.
        postgres_admin_dsn: the owner of the schema, for migrations; without it a worker expects them done.
        postgres_connections: the most that one process opens.
        qdrant_url: a Qdrant server; without it the engine runs in process, in `qdrant_dir`.
        qdrant_api_key: of the Qdrant server.
        qdrant_dir: folder of the engine in process.
        qdrant_min_free_mb: megabytes on the volume of that folder below which nothing more is indexed; below
            half of it nothing at all is written there. To open the index takes all of it, to read as well.
            A full volume would end the process.
        bolt_url: Neo4j, or what speaks its protocol.
        bolt_user: who signs in to the graph.
        bolt_password: their password.
        bolt_database: the database that holds the graph.
        bolt_within_s: seconds for which a query waits to hear whether the graph answers; it takes one that is
            slower for away.
    """

    postgres_dsn: SecretStr = SecretStr("postgresql://ricordo_worker@127.0.0.1:5432/ricordo")
    postgres_admin_dsn: SecretStr | None = None
    postgres_connections: PositiveInt = 12
    qdrant_url: str | None = None
    qdrant_api_key: SecretStr | None = None
    qdrant_dir: Path | None = None
    qdrant_min_free_mb: PositiveInt = 256
    bolt_url: str = "bolt://127.0.0.1:7687"
    bolt_user: str = "neo4j"
    bolt_password: SecretStr = SecretStr("")
    bolt_database: str = "neo4j"
    bolt_within_s: PositiveFloat = 0.25

    @field_validator("postgres_dsn", "postgres_admin_dsn")
    @classmethod
    def _names_database(cls, dsn: SecretStr | None) -> SecretStr | None:
        if dsn is not None:
            example = "postgresql://user:password@127.0.0.1:5432/ricordo"
            refuse(dsn_fault(dsn.get_secret_value(), _POSTGRES, example))
        return dsn

    @field_validator("qdrant_url")
    @classmethod
    def _is_qdrant(cls, url: str | None) -> str | None:
        if url is not None:
            refuse(fault(url, HTTP, "http://127.0.0.1:6333"))
        return url

    @field_validator("bolt_url")
    @classmethod
    def _is_bolt(cls, url: str) -> str:
        refuse(fault(url, _BOLT, "bolt://127.0.0.1:7687"))
        return url
