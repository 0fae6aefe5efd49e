"""The wire contract as one AsyncAPI document, for tools that draw it or write clients from it."""
