"""One run as it was: step by step, compared, and where forks begin."""
