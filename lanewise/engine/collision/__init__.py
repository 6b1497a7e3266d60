"""Where two geoms touch: the geometry of pairs, on lanes, or world by world if iterative."""
