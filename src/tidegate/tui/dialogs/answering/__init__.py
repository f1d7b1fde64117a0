"""The dialogs that answer questions: one at a time, or several that ask the same.

Owns what happens between a decision and an answer on disk, also where somebody else decides meanwhile.
"""
