"""Reading back. Owns nothing and writes nothing.

What the monitor and the command line show of runs, pauses, checkpoints and output comes from
here, folded from the journal when it is asked for.
"""
