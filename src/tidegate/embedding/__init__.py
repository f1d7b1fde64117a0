"""Tidegate inside another Python program: one object over the executor and the history of a store.

Owns no behaviour of runs: what it does is what the executor does, and what it tells is what history
tells. It turns Python values into what they take, and waits until a run rests. What a program may
rely on is what `tidegate` itself exports.
"""
