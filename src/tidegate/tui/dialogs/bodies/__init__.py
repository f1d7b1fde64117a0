"""How an answer is given: one body for each kind of question, and what each answer leads to."""
