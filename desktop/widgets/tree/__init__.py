"""What shows the hierarchy behind the groups: the dendrogram, its cut, and what was asked in it."""
