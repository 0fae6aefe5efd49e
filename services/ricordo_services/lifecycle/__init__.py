"""lifecycle: what is used gets stronger, what is not fades, what was left behind is picked up."""
