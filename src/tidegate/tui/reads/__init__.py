"""What screens and dialogs show, read in the engine's thread, and nothing of how it is shown."""
