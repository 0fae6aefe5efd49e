"""The wire contract, version 1: every event, query, command, reply and error as a frozen model.

The package imports nothing else of Ricordo, so that a bot, a worker and a schema generator share it. Readers
ignore unknown fields; writers emit UTF-8 JSON with UTC instants ending in `Z`.
"""
