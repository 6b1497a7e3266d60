"""Questions about geometry: rays, distances, insides."""
