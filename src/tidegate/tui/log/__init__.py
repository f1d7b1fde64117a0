"""What blocks have written, as much of it as a screen holds at once: read by pages, found and filtered by lines."""
