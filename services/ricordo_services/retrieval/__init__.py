"""retrieval: answers queries about messages, facts and memories."""
