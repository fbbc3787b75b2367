"""Docks beside the pair."""
