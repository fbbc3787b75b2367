"""Pairloom's engine: data, features, active clustering, projects. Works without a desktop."""
