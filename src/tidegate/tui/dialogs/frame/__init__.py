"""What every dialog is made of: the frame, the gate that keys pass, fields, pages, and words.

Owns the safety rules. What is asked, and what an answer does, is the business of the rooms beside it.
"""
