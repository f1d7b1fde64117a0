"""What the terminal around the monitor can do: titles, bells, notifications, the clipboard."""
