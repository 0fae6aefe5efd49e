"""Documents: what is read of one, and how that is cut into the extracts that are remembered.

A document never enters a prompt as a whole. It is read into parts (`Part`: a page, an attachment, or all of
it), and the parts are cut at their own borders into extracts, short enough to be remembered one by one.
"""
