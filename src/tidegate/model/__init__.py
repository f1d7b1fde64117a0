"""The nouns: what a workflow, a run, a journal event, a prompt and a checkpoint are.

Frozen values and pure functions. Nothing in this room reads a file, a clock or a socket, and
nothing in it knows YAML, SQLite or a terminal.
"""
