"""Where two geoms touch: the geometry of pairs, on lanes, or world by world if iterative.

driver      the walk over pairs of bodies and geoms, in MuJoCo's order
broad grid  which bodies are near each other
pairs       the table of pairs of geom types; narrow: the ladders that call their functions
plane round box_box     closed forms, on lanes; axes: the axes of a box, renamed
convex      support gjk epa multi: convex shapes by their farthest points, world by world
mesh hfield what rests on a plane, prisms of a height field: by the same means
custom      functions and a filter of the user's
found       how a function hands over its candidates
listing     every world's contacts out of them; hits: how they wait; mix: their parameters
"""
