"""Memory for agents: tools bound to one user, for any framework, and a store for LangGraph.

`tool_table` defines the tools; `openai_agents` and `pydantic_ai` offer them to these frameworks, and
`langgraph` has the store. A framework is imported by its own module only.
"""
