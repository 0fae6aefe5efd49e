"""The running system, for all tests that drive it from outside."""

from tests.fixtures.gateway import gateway, gateway_url
from tests.fixtures.secure_system import secure
from tests.fixtures.system import bot, client, shared_bot, system

__all__ = ["bot", "client", "gateway", "gateway_url", "secure", "shared_bot", "system"]
