"""From what is known to what is shown.

Pure: values in, frozen lines out. Every foreign string is made safe where it becomes a piece.
"""
