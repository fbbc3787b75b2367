"""Widgets that pages and docks are made of."""
