"""What several tests use: models, states, other engines, ways to compare."""
