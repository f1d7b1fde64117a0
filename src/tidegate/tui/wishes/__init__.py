"""What an operator wants, from the wish to what came of it: which dialog asks, and who is told."""
