"""What is drawn: bodies of all worlds, ghosts, the camera, marks of what is selected and held."""
