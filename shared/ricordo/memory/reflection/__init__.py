"""Finds what recurs in what a user said, as insights with their evidence."""
