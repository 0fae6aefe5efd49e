"""Builds the text that a bot puts into its prompt, within a token budget.

Everything stands inside `<recalled>` tags with nested tags escaped, so that it reads as data and is
recognised as an echo when it comes back in a message.
"""
