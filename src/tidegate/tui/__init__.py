"""What the operator sees. Owns nothing durable.

The monitor asks the executor and history, nobody else, and what is on the screen is what is on
disk: nothing is drawn before it was committed.
"""
