"""Readers of plain text, Markdown, HTML, mails and PDF.

Documents come from anyone, so all readers run in a process of their own (`reader_process.py`) with limits on
time and memory, and without secrets.
"""
