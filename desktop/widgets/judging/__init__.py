"""What the Judge page is made of: the pair, its answers, the keys, and when an answer counts."""
