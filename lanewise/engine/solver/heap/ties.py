"""Static rows of one island of a heap, in plain numbers: equalities, limits and dry friction."""

from ....lanes import abs_, kernel, load_lane, store_lane, to_int, vec
from ....mjconst import CNSTR_EQUALITY
from ..primal.edges import edge, edge_change
from ..primal.linesearch import friction_slope
from ..primal.matrix_free import friction_change, friction_energy, is_friction_row
from .hessian import add_row_to_world


@kernel
def list_rows(m, d, w, t):
    """isle_row <= the rows of island t of world w"""
    n = 0
    for a in range(d.nactive):
        r = d.active_row[a]
        if load_lane(d.row_on, r, w) > 0.0 and to_int(load_lane(d.row_islands, r, w)) == t:
            d.isle_row[n] = r
            n += 1
    d.nisle_row = n


@kernel
def friction_of(d, r, w):
    """(D, frictionloss, where the spring ends) of a row of dry friction"""
    f = load_lane(d.row_frictionloss, r, w)
    return load_lane(d.row_D, r, w), f, f * load_lane(d.row_R, r, w)


@kernel
def move_rows(m, d, w):
    """heap_search => row_dir; (slope, curvature) of equalities, which are quadratic"""
    q1, q2 = 0.0, 0.0
    for a in range(d.nisle_row):
        r = d.isle_row[a]
        v = 0.0
        for k in range(m.row_rowadr[r], m.row_rowadr[r] + m.row_rownnz[r]):
            i = m.row_colind[k]
            t = m.dof_treeid[i]
            x = load_lane(d.heap_search, t, i - m.tree_dofadr[t])
            v = v + load_lane(d.row_J, k, w) * x
        store_lane(d.row_dir, r, w, v)
        if m.row_type[r] == CNSTR_EQUALITY:
            Dv = load_lane(d.row_D, r, w) * v
            q1, q2 = q1 + Dv * load_lane(d.row_jar, r, w), q2 + Dv * v
    return vec(q1, q2)


@kernel
def row_slopes(m, d, w, alpha):
    """(slope, curvature) of limits and dry friction at alpha"""
    total = vec(0.0, 0.0)
    for a in range(d.nisle_row):
        r = d.isle_row[a]
        v = load_lane(d.row_dir, r, w)
        x = load_lane(d.row_jar, r, w) + alpha * v
        if is_friction_row(m, r):
            D, f, bound = friction_of(d, r, w)
            total = total + friction_slope(D, f, bound, x, v)
        elif m.row_type[r] != CNSTR_EQUALITY:
            Dv = edge(x, load_lane(d.row_D, r, w)) * v
            total = total + vec(Dv * x, Dv * v)
    return total


@kernel
def energy_at(m, d, r, w, x):
    """Twice the cost of a limit or of dry friction at x"""
    if is_friction_row(m, r):
        D, f, bound = friction_of(d, r, w)
        return friction_energy(D, f, bound, x)
    return edge(x, load_lane(d.row_D, r, w)) * x * x


@kernel
def advance_rows(m, d, w, alpha):
    """row_jar += alpha J search; (twice the change of cost, size of costs) without equalities"""
    change, size = 0.0, 0.0
    for a in range(d.nisle_row):
        r = d.isle_row[a]
        y = load_lane(d.row_jar, r, w)
        x = y + load_lane(d.row_dir, r, w) * alpha
        store_lane(d.row_jar, r, w, x)
        if m.row_type[r] != CNSTR_EQUALITY:
            energy, before = energy_at(m, d, r, w, x), energy_at(m, d, r, w, y)
            change, size = change + (energy - before), size + abs_(energy + before)
    return change, size


@kernel
def exact_rows(m, d, w, alpha, moved):
    """Twice the change of cost by alpha, exactly; the move has been made already, or not"""
    total = 0.0
    for a in range(d.nisle_row):
        r = d.isle_row[a]
        x, v = load_lane(d.row_jar, r, w), load_lane(d.row_dir, r, w) * alpha
        if moved == 1:
            x = x - v
        if is_friction_row(m, r):
            D, f, bound = friction_of(d, r, w)
            total = total + friction_change(D, f, bound, x, v)
        elif m.row_type[r] != CNSTR_EQUALITY:
            total = total + edge_change(x, v, load_lane(d.row_D, r, w))
    return total


@kernel
def pull(m, d, r, w):
    """The force of a row"""
    x = load_lane(d.row_jar, r, w)
    if is_friction_row(m, r):
        D, f, bound = friction_of(d, r, w)
        return f if x <= -bound else -f if x >= bound else -D * x
    D = load_lane(d.row_D, r, w)
    return -D * x if m.row_type[r] == CNSTR_EQUALITY else -edge(x, D) * x


@kernel
def pull_dofs(m, d, w):
    """heap_force += J' f"""
    for a in range(d.nisle_row):
        r = d.isle_row[a]
        f = pull(m, d, r, w)
        for k in range(m.row_rowadr[r], m.row_rowadr[r] + m.row_rownnz[r]):
            i = m.row_colind[k]
            t = m.dof_treeid[i]
            at, lane = w * m.ntree + t, i - m.tree_dofadr[t]
            y = load_lane(d.heap_force, at, lane) + load_lane(d.row_J, k, w) * f
            store_lane(d.heap_force, at, lane, y)


@kernel
def add_rows_to_world(m, d, w, bare):
    """heap_sum += J' D J of the rows, what has changed since the last call; all if it is `bare`"""
    for a in range(d.nisle_row):
        r = d.isle_row[a]
        x, D = load_lane(d.row_jar, r, w), load_lane(d.row_D, r, w)
        if is_friction_row(m, r):
            _, _, bound = friction_of(d, r, w)
            D = D if x > -bound and x < bound else 0.0
        elif m.row_type[r] != CNSTR_EQUALITY:
            D = edge(x, D)
        change = D if bare == 1 else D - load_lane(d.row_K, r, w)
        store_lane(d.row_K, r, w, D)
        if change != 0.0:
            add_row_to_world(m, d, r, w, change)
