"""Forks: runs that go on from a point of another one, with what somebody wants to be other than it was there.

Owns how such a run begins and what it will do, told before it does it. What happens once it has begun is that of
every run, and the rooms above know no difference.
"""
