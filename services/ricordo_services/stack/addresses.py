"""The addresses of the local stack, as settings."""

from ricordo.settings import Settings
from ricordo_services.stack import Endpoints


def local_settings(endpoints: Endpoints, base: Settings) -> Settings:
    """Return `base` with the addresses of the local servers in it."""
    stores = base.stores.model_copy(
        update={
            "postgres_dsn": type(base.stores.postgres_dsn)(endpoints.postgres_dsn),
            "postgres_admin_dsn": type(base.stores.postgres_dsn)(endpoints.postgres_admin_dsn),
            "qdrant_url": None,
            "qdrant_dir": endpoints.qdrant_dir,
            "bolt_url": endpoints.bolt_url,
            "bolt_user": endpoints.bolt_user,
            "bolt_password": type(base.stores.bolt_password)(endpoints.bolt_password),
            "bolt_database": endpoints.bolt_database,
        }
    )
    bus = base.bus.model_copy(update={"url": endpoints.nats_url})
    documents = base.documents
    if documents.url is None and documents.dir is None:
        documents = documents.model_copy(update={"dir": endpoints.object_dir})
    return base.model_copy(update={"bus": bus, "stores": stores, "documents": documents})
