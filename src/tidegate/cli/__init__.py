"""The command line, and the one place where the parts are put together.

Everything the monitor does has a command. With `--json` a command writes one document to
standard output and nothing else there; messages go to standard error. No command loads the
terminal toolkit but the one that opens the monitor.
"""
