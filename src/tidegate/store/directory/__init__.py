"""The store in a directory: files that a person can read, and that version control can keep.

The directory holds a log of what was done to the store, order by order. What is read is an index
of it: a database in memory, which everybody who opens the store builds for himself by carrying
out the log, and keeps up to date by carrying out what others add to it.
"""
