"""Tidegate: an operations console for durable workflows, in a terminal."""

__all__ = ["__version__"]

__version__ = "0.1.0"
