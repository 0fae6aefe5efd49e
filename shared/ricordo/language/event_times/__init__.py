"""Extracts the times of the events that a message mentions."""
