"""Turning events into more events. Owns the running tasks and the leases.

`plan` decides, purely; a `Driver` carries it out, one per run; the `Executor` is the only way
in. The engine sees a store through its protocol and never knows which one it is.
"""
