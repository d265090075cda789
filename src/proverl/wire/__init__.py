"""MCP: servers in this process or others, and sessions in them. The only folder that imports the SDK."""
