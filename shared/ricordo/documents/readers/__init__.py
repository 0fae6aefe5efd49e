"""Readers of documents: plain text, Markdown, HTML, mails and PDF.

What they are given comes from anybody, so that all of them run in a process of their own (`process.py`),
whose time and memory are limited and which holds no secret.
"""
