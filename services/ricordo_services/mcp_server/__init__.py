"""The MCP server: tools, resources and prompts for assistants, as a client of the bus."""
