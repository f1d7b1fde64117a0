"""What a block does. Owns nothing: given inputs and a context, a block returns a result.

A block knows no journal, no store and no terminal. It emits bytes, and says how it ended.
"""
