"""Ports in memory."""
