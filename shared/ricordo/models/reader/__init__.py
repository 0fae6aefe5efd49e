"""The reader: what a text says, from the states that also give its vector."""
