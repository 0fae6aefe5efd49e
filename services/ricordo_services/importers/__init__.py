"""Parsers for the exports of other services.

A parser is a pure function from an opened export to its messages and to what it skips, each with the place
where it stands. Nothing here knows the bus: the command line publishes what the parsers find.
"""
