"""Workspace of rays: those of stages, a packet of eight of one world, and what it looks at."""

from ..table import table

FIELDS = table(
    "rays",
    """
ray_pnt               nray,3      m          where a ray of a stage starts, in W
ray_vec               nray,3      -          its direction, in W
ray_exclude           nray        -          body that it does not see, or -1
ray_cutoff            1           m          for rays pruned as mj_multiRay does: what is farther is left out
ray_dist              nray        -          result: distance in lengths of ray_vec, or -1
ray_geom              nray        -          result: the geom that it meets, or -1
ray_normal            nray,3      -          result: normal of the surface there, in W
packet_pnt            row 1,3     m          where the eight rays of a packet start, in W
packet_vec            row 1,3     -          their directions, in W
packet_exclude        row 1       -          bodies that they do not see, or -1
packet_reach          row 1       -          how far they reach, in lengths of packet_vec
packet_dist           row 1       -          result: distances in lengths of packet_vec, or -1
packet_geom           row 1       -          result: the geoms that they meet, or -1
packet_part           row 1       -          result: the part of the surface: see geometry/ray_shapes.py
packet_normal         row 1,3     -          result: normals there, in W
ray_ncandidate        index -     -          how many geoms count
ray_candidate         index ngeom -          which they are, rising
ray_sphere            plain ngeom,4 m        spheres around them: centre, squared radius
ray_angles            plain ngeom,4 rad      angles they are seen at: least azimuth and elevation, greatest
ray_stack             index 256   -          nodes of a mesh's tree that are still to be looked at
ray_work              row 4       -          of eight rays, what is looked at one by one
""",
    own=True,
)
