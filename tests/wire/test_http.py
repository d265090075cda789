"""Which addresses are served over HTTP."""

import pytest

from proverl.errors import UsageError
from proverl.wire.http import http_app
from support.shop import server as shop


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org", ""])
def test_no_address_but_this_machine_is_served(host: str) -> None:
    with pytest.raises(UsageError, match="loopback"):
        http_app(shop, host=host)
