"""Forms that make themselves: parameters, and the strategy they belong to."""
