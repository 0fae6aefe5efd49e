"""The local servers as child processes: start, wait, keep running, stop, recover."""

from ricordo_services.stack.endpoints import Endpoints, read_stack_file, write_stack_file
from ricordo_services.stack.local import LocalStack
from ricordo_services.stack.stack_errors import (
    AlreadyRunning,
    DataTooNew,
    FolderRefused,
    MissingPackage,
    ServerFailed,
    StackError,
)

__all__ = [
    "AlreadyRunning",
    "DataTooNew",
    "Endpoints",
    "FolderRefused",
    "LocalStack",
    "MissingPackage",
    "ServerFailed",
    "StackError",
    "read_stack_file",
    "write_stack_file",
]
