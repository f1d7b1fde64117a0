"""What runs in a process of its own, with any interpreter: scripts that import the standard library only.

They have a folder of their own because Python puts a script's folder in front of the path: a module
here must have no name that anybody else's module could have.
"""
