"""What the rooms of the monitor hand to each other: values, without words for them.

`reads` finds them out, `present` says them, screens and dialogs ask for them. They know neither the toolkit nor
where they came from.
"""
