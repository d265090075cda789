"""Oracles of the servers' reads (proverl.laws.oracles), one module a server with `ORACLES` by tool.

Each was written from the tools' published descriptions and schema.sql by somebody who had not opened the tools.
"""
