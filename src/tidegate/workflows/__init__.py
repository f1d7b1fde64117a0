"""Text to definition: workflow files, their references and expressions, and the folders they lie in."""
