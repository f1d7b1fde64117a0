"""What fills the terminal: one screen per mode, and those one drills down to."""
