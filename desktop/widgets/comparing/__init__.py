"""Strategies side by side: who takes part, their curves, their tables."""
