"""One run as it is now: its waves, its blocks, and what they write."""
