"""knowledge: what messages state becomes facts, with evidence."""
