"""What screens are made of. A widget tells what happened to it in messages, and asks nobody."""
