"""What the words mean, before it is known when they were said.

An expression is what the grammar reads ("the Friday of last week"); its window is what the
words mean at a moment.
"""
