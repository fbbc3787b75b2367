"""Parts of the suggestions page: what the answers make likely, and what items are compared in."""
