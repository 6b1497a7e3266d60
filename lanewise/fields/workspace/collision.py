"""Workspace of collision detection: near bodies, candidates, and the convex method."""

from ..table import table

FIELDS = [
    *table(
        "collision",
        """
con_body1             int32 nconmax -        body of the first geom
con_body2             int32 nconmax -        body of the second geom
con_on                nconmax     -          1 where the contact is a constraint
pair_reach            -           m          distance within which a pair's function finds contacts, where it is compiled apart
pair_lanes            index -     -          bits of the lanes that it is asked about
user_answer           index -     -          what it answered: how many candidates, or bits of lanes
user_value            -           -          a number that user code returned
near_body             index nbody -          bodies that can collide, ascending
near_rank             index nbody -          how many of them are below a body
near_low              plain nbody m          grid: where the interval of a body begins
near_high             plain nbody m          grid: where it ends
near_range            plain 3     m          grid: where cells begin, cells per metre, the longest interval
near_ncell            index -     -          grid: number of cells; 0: bodies are not filed
near_napart           index -     -          grid: number of bodies kept apart
near_first            index nbody -          grid: first body of a cell in near_order
near_order            index nbody -          grid: bodies by cells
near_apart            index nbody -          grid: bodies kept apart
near_list             index nbody -          grid: bodies near a body
near_geom             ngeom,4     m          sphere around a geom, inflated by its share of margin and gap: centre, radius
near_sphere           nbody,4     m          sphere around their geoms, inflated by margin and gap: centre, radius
found_dist            63          m          narrow phase: distances of a pair's candidates; then of pairs that waited
found_pos             63,3        m          narrow phase: their positions
found_frame           63,6        -          narrow phase: their normals and first tangents; zeros: any tangent
con_hit               nconmax     -          row of a contact in hit_geometry
nhit                  index -     -          how many rows of hit_geometry are in use
nhit_pair             index -     -          how many rows of hit_parameters are in use
hit_geometry          nhitmax,14  -          of what some world has: see collision/hits.py
hit_parameters        nhitmax,17  -          of pairs of geoms: see collision/hits.py
pair_shapes           17,31       -          sizes, positions and axes of both geoms of a pair, and how far apart they may be; from row 1 on of pairs in queues, a lane each
pair_waits            index -     -          1: pairs of the convex method may wait
nwait                 index 16    -          pairs that wait in each of the queues: see collision/waiting.py
nwaiting              index -     -          pairs that wait in all of them
wait_kind             index 16    -          what kinds of shapes those of a queue have
wait_world            index 128   -          the world of each pair, by queues, eight each
wait_geom1            index 128   -          its first geom
wait_geom2            index 128   -          its second geom
wait_pair             index 128   -          its explicit pair, or -1
wait_met              index 128   -          its number among the pairs that were met
wait_new              index 8     -          contacts that each world has got of those of a queue
nmet                  index -     -          pairs of geoms that were met
last_met              -           -          the last of them in a world's list of contacts
late                  index -     -          bits of the worlds whose lists are not in that order
pending               -           -          contacts that the pairs of a world that wait can have
clip_vertex           24,3        m          box-box: corners of a face before and after clipping
clip_kept             12          -          box-box: 1 where a corner makes a contact
""",
        own=True,
    ),
    *table(
        "convex collision",
        """
gjk_pos               2,3         m          of two shapes, in each world: its origin
gjk_mat               2,9         -          its orientation
gjk_size              2,3         m          its sizes
gjk_margin            2           m          how much it is grown
gjk_hint              2,2         -          vertex that was farthest last, and its place in the hull: see collision/support.py
gjk_prism             6,3         m          vertices of the prism under a height field, bottom first
gjk_along             1,3         -          direction of a search, in the axes of a mesh
gjk_vert              4,3         m          simplex: points of the first shape minus points of the second
gjk_birth             4           -          iterations in which they were found
gjk_past1             200,3       m          by iterations: points of the first shape
gjk_past2             200,3       m          points of the second shape
gjk_pastid            200,2       -          which vertices of the shapes they are
gjk_vert1             4,3         m          points of the first shape that the simplex is made of
gjk_vert2             4,3         m          these points of the second shape
gjk_vertid            4,2         -          which vertices of the shapes they are
gjk_weight            4           -          weights of the simplex's points in the one nearest to the origin
gjk_nsimplex          1           -          how many points the simplex has
gjk_dist              1           m          result: distance
gjk_axis              1,3         -          direction in which shapes that are apart are so
gjk_x1                1,3         m          result: point on the first shape
gjk_x2                1,3         m          result: point on the second shape
sift_axis             4,3         -          directions along which prisms under a height field are compared with a geom
sift_range            4,2         m          what the geom covers along them, with margin
sift_slack            1           m          that margin
sift_low              8           m          how far a mesh reaches down along directions up and to eight sides, with margin
sift_vertex           64,2        -          prisms that may touch: strip of the field, and vertex of it: see collision/hfield.py
pack_shape            1,16        -          above a height field, in each world: origin, orientation, sizes and margin of the geom
pack_hint             1,2         -          and the vertex of it where searches begin, as in gjk_hint
pack_vertex           1,2         -          in each lane: a prism, as in sift_vertex
pack_world            index 8     -          the world that it belongs to
pack_geom             index 8     -          the world whose geom is in the lane
pack_count            index 8     -          how many candidates each world has
pack_found            1,7         -          in each lane: distance, midpoint and normal of what was found
apart_pair            index 512   -          pairs of geoms that were apart, as numbers: see collision/apart.py
apart_axis            512,3       -          the direction in which they were
apart_hint            512,2       -          where on the hulls of meshes the points were that showed it
rest_hint             ngeom       -          of a mesh above a plane: where on its hull the lowest vertex was
rest_corner           3           -          other vertices of the face that it lies on, or -1
gjk_mesh              index 16    -          meshes of the shapes in each lane, of all first shapes first
ccd_mixed             index -     -          1: these differ
ccd_type              index 2     -          of two shapes: what geom each is (mjtGeom)
ccd_kind              index 2     -          how its farthest points are found
ccd_mesh              index 2     -          its mesh, or -1
ccd_pos               plain 2,3   m          its origin
ccd_mat               plain 2,9   -          its orientation
ccd_size              plain 2,3   m          its sizes
ccd_margin            plain 2     m          how much it is grown
ccd_hint              index 2,2   -          vertex that was farthest last, and its place in the hull: see collision/support.py
ccd_prism             plain 6,3   m          vertices of the prism under a height field, bottom first
ccd_tie               index -     -          1: vertices of a mesh were equally far in some search
ccd_unsure            index -     -          1: they were in the first search of some pair of shapes
ccd_lane              index -     -          the world that is looked at
ccd_nsimplex          index -     -          how many points the simplex has
ccd_separated         index -     -          1: the shapes are surely apart
ccd_nfound            index -     -          how many results there are
ccd_npoint            index -     -          rows of ccd_vert in use, with those of the polytope
ccd_nface             index -     -          how many faces the polytope has had
ccd_nnear             index -     -          how many faces are in ccd_near
ccd_vert              plain 210,3 m          points of the first shape minus points of the second: simplex, polytope
ccd_vert1             plain 210,3 m          these points of the first shape
ccd_vert2             plain 210,3 m          these points of the second shape
ccd_vertid            index 210,2 -          which vertices of the shapes they are
ccd_weight            plain 4     -          weights of the simplex's points in the one nearest to the origin
ccd_center            plain 1,3   m          a point inside the polytope
ccd_side              index 4832,2 -         edges of the polytope, four rows to a face: where each begins, and the same edge of the face beyond
ccd_place             index 1208  -          where each face is in ccd_near, or a code: see collision/polytope.py
ccd_plane             row 604     m          x, y and z of the foot of the origin on each face's plane, and m^2: its distance squared
ccd_near              index 1200  -          faces that may be the nearest
ccd_nearness          plain 1200  m^2        their squared distances from the origin
ccd_stack             index 1200  -          edges to be looked at, on the way to the horizon
ccd_rim               index 208   -          horizon: its edges, of the faces beyond it
ccd_rim_from          index 208   -          the corners where they begin
ccd_rim_to            index 208   -          the corners where they end
ccd_dist              plain 50    m          result: signed distances
ccd_x1                plain 50,3  m          result: points on the first shape
ccd_x2                plain 50,3  m          result: points on the second shape
ccd_cpos              plain 50,3  m          contacts: midpoints
ccd_normal            plain 50,3  -          contacts: normals
ccd_way               plain 512,3 -          normals of faces at a contact: of the first shape, from 256 on of the second
ccd_wayid             index 512   -          these faces
ccd_edge              plain 256,3 -          directions of the edges at a contact
ccd_end               plain 256,3 m          where these edges end
ccd_clipped           index -     -          row of ccd_polygon from which on the clipped polygon is
ccd_polygon           plain 1024,3 m         corners while a polygon is clipped: from, and from 512 on to
""",
        own=True,
    ),
    *table(
        "query",
        """
query_geom            index 2     -          the two geoms of a question for their distance
query_most            -           m          up to where it is of interest
query_dist            -           m          their signed distance
query_ends            :6          m          the nearest points on both, in W
query_site            index 1     -          the site of a question for what is inside
query_shape           index 2     -          of a question for what juts out of it: kind (mjtObj) and number
search_at             plain 6,3   -          directions in which it is looked for
search_along          plain 6,3   m          where each of them turns
search_step           plain 6     -          by how much
search_best           plain 6     m          how far the shape juts out there
query_point           1,3         m          a point, in W
query_inside          -           -          whether it is: 1, or 0
query_history         index 4     -          a buffer that is asked for the past: place, samples, numbers, interpolation
query_time            -           s          when
query_past            nhistory    -          what it held then
""",
        own=True,
    ),
]
