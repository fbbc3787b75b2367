"""Items that belong to several groups: their matrix, and the graph of compositions."""
