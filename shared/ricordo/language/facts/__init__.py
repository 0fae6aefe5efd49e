"""What messages state: the vocabulary of facts, and exact rules for their values, times and ties."""
