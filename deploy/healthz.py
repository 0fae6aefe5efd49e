#!/usr/bin/env python3
"""Ask the workers of this container how they are: exit 0 when all are well, else 1; standard library only."""

import os
import sys
from http.client import HTTPConnection, HTTPException

_SECONDS = 3.0


def main() -> int:
    """Ask `/healthz` on RICORDO_WORKER__HEALTH_PORT; say what it answered, and return the exit code."""
    port = os.environ.get("RICORDO_WORKER__HEALTH_PORT", "")
    if not port.isdecimal():
        sys.stdout.write("RICORDO_WORKER__HEALTH_PORT names no port\n")
        return 1
    connection = HTTPConnection("127.0.0.1", int(port), timeout=_SECONDS)
    try:
        connection.request("GET", "/healthz")
        response = connection.getresponse()
        sys.stdout.write(response.read().decode(errors="replace") + "\n")
    except (OSError, HTTPException) as error:
        sys.stdout.write(f"nobody answers on port {port}: {error}\n")
        return 1
    finally:
        connection.close()
    return 0 if response.status == 200 else 1


if __name__ == "__main__":
    sys.exit(main())
