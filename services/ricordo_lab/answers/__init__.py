"""Learns which passage answers a question, and with which words."""
