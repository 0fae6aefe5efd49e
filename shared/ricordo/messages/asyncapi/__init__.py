"""The wire contract as an AsyncAPI document."""
