"""Sensors: what the state and the forces look like to somebody on board."""
