"""Other ways in than the command line and the monitor: the Model Context Protocol.

Owns how a protocol's calls become calls of `tidegate.embedding`, and results and errors what its clients
are told. It knows no terminal, opens no store, and has no behaviour of runs of its own. What needs the
protocol's package is loaded when a server is started, and by nothing else.
"""
