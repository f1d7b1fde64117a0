"""How rows of a list are found: the language of filters, what each list can be filtered and ordered by, and what is kept.

Pure, but for the file that what is kept is written to.
"""
