"""Passes of lifecycle over what is stored; import their names from the modules."""
