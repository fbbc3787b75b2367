"""What shows groups: the map, the gallery, one item."""
