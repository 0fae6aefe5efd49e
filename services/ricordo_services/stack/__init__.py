"""The local servers as child processes: start, wait, keep running, stop, recover."""

from ricordo_services.stack.endpoints import Endpoints, write_stack_file
from ricordo_services.stack.local import LocalStack
from ricordo_services.stack.servers import FolderRefused, ServerFailed, StackError

__all__ = ["Endpoints", "FolderRefused", "LocalStack", "ServerFailed", "StackError", "write_stack_file"]
