"""What is known about a user: statements read from messages, and facts folded from them."""
