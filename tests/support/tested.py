"""Which servers the common tests run on, and where each keeps its ways, orders and oracles.

Covers: the servers of the package, and others that the environment variable PROVERL_SERVERS names as
package.module:attribute, separated by commas:

    PYTHONPATH=examples PROVERL_SERVERS=library:server pytest tests/servers -k library

A server of the package has the modules support.reach.NAME, support.orders.NAME and support.oracles.NAME; one outside
has PACKAGE.tests.reach, PACKAGE.tests.orders and PACKAGE.tests.oracles. Does not cover: what these modules hold; the
tests that use them say it.
"""

from __future__ import annotations

import importlib
import os
from types import ModuleType

from proverl import servers

OUTSIDE = tuple(name for name in os.environ.get("PROVERL_SERVERS", "").split(",") if name)
NAMES = (*servers.names(), *OUTSIDE)


def part(name: str, what: str) -> ModuleType:
    """The module of a server with its `reach`, `orders` or `oracles`."""
    package = name.partition(":")[0].partition(".")[0]
    return importlib.import_module(f"{package}.tests.{what}" if ":" in name else f"support.{what}.{name}")
