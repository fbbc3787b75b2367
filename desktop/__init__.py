"""Pairloom's desktop: one client of the engine's Session."""
