"""Many worlds through one workspace: rows become lanes, run, and become rows again.

A world is a row of float64, its state; rows are C-ordered, as users see them. A gang takes eight
rows, transposes them in blocks of 8x8 into the lanes of the workspace d, computes, and writes back
what may have changed: the state, the warning counters, and the fields somebody asked for. If the
last gang has fewer than eight worlds, its first one fills the spare lanes: they compute the same
numbers and store them in the same place, so nothing has to know of them.

A call is described by a `job`, which all threads share; what belongs to one thread is in `w`.
Threads take units of gangs from `remaining`, which counts down to zero, so that a thread that comes
late finds nothing, whatever else the job says by then; everything else in the job is read after a
unit was taken.

Between two calls a thread stays in `serve` and watches `ticket` for some microseconds, since the
next call usually follows soon. Then it leaves for a sleep from which the caller wakes it by other
means. Who exchanges `sleeping` decides which of the two happened. `park` sends all threads to
sleep.
"""

from ..lanes import any_lane, kernel, lane_item, lane_mask, not_, splat, to_int, vec, where
from ..lanes.memory import (
    atomic_at,
    fetch_add,
    int32_at,
    int64_at,
    lane_at,
    number_at,
    pause,
    prefetch,
    put_int32,
    put_lane,
    put_number,
    swap,
    transpose,
)  # fmt: skip
from ..mjconst import STAGE_ACC, STAGE_NONE, STAGE_POS
from .checks import check_pos, check_vel
from .constraint.contact_force import contact_force
from .constraint.rne_post import rne_post_constraint
from .constraint.rows import expose_constraint
from .inverse import inverse_force
from .pipeline import forward, fwd_position, fwd_velocity, step
from .smooth.com import com_pos
from .smooth.kinematics import kinematics
from .spatial import cross

# what a call is about, all int64; a table at an address has rows of `COLUMNS` numbers
JOB = [
    line.split()[0]
    for line in """
remaining   address of the number of units of gangs that nobody has taken
done        address of the number of units that are done
ticket      address of the number of calls so far
park        whether threads shall sleep
nworker     threads besides the calling one that the call is worth waking
sleeping    address of their flags, a cache line apart
wake        address of int32s: those that were asleep when the call began
nunit       units of gangs in the call
unit        gangs in a unit
ngang       gangs in the call
n           worlds in the call
mode        RUN, JACOBIAN or INVERSE
ahead       distance of the rows of the next gang, if they are far from the processor
wanted      bits of the field `wanted`
nstep       steps
stage       stage to compute after them
places      address of the worlds' places in the call, 0 if all in order
ids         address of the ids by place, 0 if all worlds
state       address of the state rows
nstate      numbers in a row
nchanged    numbers at the beginning of a row that a step changes
plastic     first of the others that it changes
nplastic    their number
warning     address of the warning counters
noutput     fields to copy out
outputs     address of their table
effort      address of int32s: what a world's last step took, to be put beside similar ones
counts      address of int32 pairs: contacts and rows that a world's outputs hold
nzero       fields that may not be written
zeros       address of their table
nconstant   model constants that differ between worlds
constants   address of their table
rollout     whether each step has a control and records
ncontrol    numbers in a control, 0 if there is none
control     address of the controls
npiece      state components in a control
pieces      address of their table
nrecord     records of a step
records     address of their table
body        Jacobian: address of the bodies' int32 ids
point       Jacobian: address of the points
jacp        Jacobian: address of the result for translation
jacr        Jacobian: address of the result for rotation
qacc        inverse: address of the accelerations, by place
qacc_lanes  inverse: distance of the field qacc in a workspace
""".strip().splitlines()
]
WORKER = ("block", "constants", "sleeping")  # one number each
WORKER_ROWS = ("world", "place", "stopped")  # one number for each lane
COLUMNS = 6

RUN, JACOBIAN, INVERSE = range(3)  # mode
FLOAT64, INT32 = range(2)  # how a field is stored in rows
PER_CONTACT, PER_ROW = 2, 4  # added to that: it is as long as a world's contacts, constraint rows
AWAKE, ASLEEP, PARKED = range(3)  # what `sleeping` says
SPINS = 2000  # looks at the ticket before a sleep: some tens of microseconds
NWARNING = 7


def struct_types():
    """The types of job and w in a kernel."""
    from ..lanes.kinds import struct_type

    job = [(name, "int64", True, 1, False) for name in JOB]
    w = [(name, "int64", name in WORKER, 1, False) for name in (*WORKER, *WORKER_ROWS)]
    return struct_type("Job", job, const=False), struct_type("Worker", w, const=False)


# ------------------------------------------------------------------------------------------ threads


@kernel
def begin(job):
    """Open the call to all threads, and note in `wake` which of them are asleep."""
    swap(job.done, 0)
    swap(job.remaining, job.nunit)
    fetch_add(job.ticket, 1)
    for k in range(job.nworker):
        put_int32(job.wake + 4 * k, swap(job.sleeping + 64 * k, AWAKE))


@kernel
def work(m, d, job, w):
    """The calling thread's part; then wait a little for the others to end theirs."""
    take_units(m, d, job, w)
    for _ in range(SPINS):
        if atomic_at(job.done) == job.nunit:
            break
        pause()


@kernel
def work_alone(m, d, job, w):
    """A call that wakes nobody. A thread that an earlier call woke may still come and help."""
    swap(job.done, 0)
    swap(job.remaining, job.nunit)
    work(m, d, job, w)


@kernel
def serve(m, d, job, w):
    """Another thread's part, of this call and of those that follow soon."""
    while True:
        seen = atomic_at(job.ticket)
        if job.park:
            swap(w.sleeping, PARKED)
            break
        take_units(m, d, job, w)
        for _ in range(SPINS):
            if atomic_at(job.ticket) != seen:
                break
            pause()
        if atomic_at(job.ticket) == seen:
            swap(w.sleeping, ASLEEP)
            # a call may have begun just before: whoever clears the flag first decides
            if atomic_at(job.ticket) == seen or swap(w.sleeping, AWAKE) == AWAKE:
                break


@kernel
def take_units(m, d, job, w):
    while True:
        left = fetch_add(job.remaining, -1)
        if left <= 0:
            break
        first = (job.nunit - left) * job.unit
        for g in range(first, min(first + job.unit, job.ngang)):
            choose_worlds(job, w, g)
            if job.mode == JACOBIAN:
                jacobian_gang(m, d, job, w)
            elif job.mode == INVERSE:
                inverse_gang(m, d, job, w)
            else:
                run_gang(m, d, job, w)
        fetch_add(job.done, 1)


@kernel
def choose_worlds(job, w, g):
    """place: where a lane's world is in the call; world: which one it is."""
    for lane in range(8):
        place = 8 * g + lane
        if place >= job.n:
            place = 8 * g
        if job.places != 0:
            place = int64_at(job.places + 8 * place)
        w.place[lane] = place
        w.world[lane] = int64_at(job.ids + 8 * place) if job.ids != 0 else place
        w.stopped[lane] = 0


# ------------------------------------------------------------------------------------------- a gang


@kernel
def run_gang(m, d, job, w):
    load_rows(w.world, job.state, 8 * job.nstate, job.nstate, w.block, job.ahead)
    load_warnings(d, job, w)
    load_constants(job, w)
    set_wanted(d, job.wanted)
    for k in range(job.nzero):
        zero_field(job.zeros + 8 * COLUMNS * k, w)
    if job.rollout:
        nstopped = roll_out(m, d, job, w)
    else:
        nstopped = 0
        for _ in range(job.nstep):
            step(m, d)
    run_stage(m, d, job.stage)
    for_readers(m, d, job.wanted)
    if nstopped > 0:
        for lane in range(8):
            if w.stopped[lane] == 0:
                store_world(d, job, w, lane)
    else:
        store_gang(d, job, w)


@kernel
def set_wanted(d, wanted):
    forces = wanted & (8 | 16 | 32)
    d.wanted = vec((wanted & 1) * 1.0, (wanted & 2) * 1.0, (wanted & 4) * 1.0, forces * 1.0)


@kernel
def for_readers(m, d, wanted):
    """What nothing else in a step depends on: by the bits of `wanted`"""
    if wanted & 8:
        expose_constraint(m, d)
    if wanted & 16:
        rne_post_constraint(m, d)
    if wanted & 32:
        contact_force(m, d)


@kernel
def run_stage(m, d, stage):
    """Everything up to a stage, of the present state."""
    if stage > STAGE_NONE:
        check_pos(m, d)
        check_vel(m, d)
    if stage == STAGE_ACC:
        forward(m, d)
    elif stage > STAGE_NONE:
        fwd_position(m, d)
        if stage > STAGE_POS:
            fwd_velocity(m, d)


@kernel
def roll_out(m, d, job, w):
    """Steps with a control and a record each; the number of worlds that stopped at a warning.

    A stopped world is stored at once. Its lane goes on, but nobody looks at it.
    """
    nstopped = 0
    at_start = count_warnings(d)
    for k in range(job.nstep):
        if job.ncontrol > 0:
            load_control(job, w, k)
        step(m, d)
        for_readers(m, d, job.wanted)
        for r in range(job.nrecord):
            record(job, w, job.records + 8 * COLUMNS * r, k, nstopped)
        raised = count_warnings(d) > at_start
        if any_lane(raised):
            for lane in range(8):
                if w.stopped[lane] == 0 and lane_item(count_warnings(d) - at_start, lane) > 0.0:
                    w.stopped[lane] = 1
                    nstopped += 1
                    store_world(d, job, w, lane)
    return nstopped


@kernel
def load_control(job, w, k):
    stride = 8 * job.ncontrol
    for p in range(job.npiece):
        piece = job.pieces + 8 * COLUMNS * p
        source = job.control + stride * k + 8 * int64_at(piece)
        target = w.block + 64 * int64_at(piece + 8)
        load_rows(w.place, source, stride * job.nstep, int64_at(piece + 16), target, 0)


@kernel
def record(job, w, item, k, nstopped):
    """(rows, stride of a world, lanes, count, kind, stride of a step): one record of step k."""
    rows, stride, step_stride = int64_at(item), int64_at(item + 8), int64_at(item + 40)
    count, kind = int64_at(item + 24), int64_at(item + 32)
    rows += step_stride * k
    store_rows(w.place, w.block + int64_at(item + 16), count, rows, stride, kind)
    if nstopped > 0:
        size = count if kind == INT32 else 2 * count
        for lane in range(8):
            if w.stopped[lane] > 0:
                row = rows + stride * w.place[lane]
                for i in range(size):
                    put_int32(row + 4 * i, int32_at(row - step_stride + 4 * i))


@kernel
def store_gang(d, job, w):
    """All worlds of a gang: rows of the state, warnings, outputs."""
    if any_lane(count_warnings(d) > 0.0):  # a reset may have changed everything
        for lane in range(8):
            store_warnings(d, job, w, lane)
        store_rows(w.world, w.block, job.nstate, job.state, 8 * job.nstate, FLOAT64)
    else:
        store_rows(w.world, w.block, job.nchanged, job.state, 8 * job.nstate, FLOAT64)
        if job.nplastic > 0:
            rows = job.state + 8 * job.plastic
            lanes = w.block + 64 * job.plastic
            store_rows(w.world, lanes, job.nplastic, rows, 8 * job.nstate, FLOAT64)
    for k in range(job.noutput):
        item = job.outputs + 8 * COLUMNS * k
        lanes = w.block + int64_at(item + 16)
        rows, stride, kind = int64_at(item), int64_at(item + 8), int64_at(item + 32)
        if kind < PER_CONTACT:
            store_rows(w.world, lanes, int64_at(item + 24), rows, stride, kind)
        else:
            for lane in range(8):
                store_counted(d, job, w, lane, item)
    for lane in range(8):
        store_counts(d, job, w, lane)
        put_int32(job.effort + 4 * w.world[lane], effort(d, lane))


@kernel
def effort(d, lane):
    """A measure of what constraints cost a world: iterations of the solver, then rows"""
    return to_int(lane_item(d.solver_niter[0] * 4096.0 + d.nefc, lane))


@kernel
def store_counted(d, job, w, lane, item):
    """What a world has of a field with a capacity; what was stored beyond becomes zero."""
    i, kind, each = w.world[lane], int64_at(item + 32), int64_at(item + 40)
    counted, last = (d.ncon, 0) if kind < PER_ROW else (d.nefc, 4)
    room = int64_at(item + 24)
    n = min(to_int(lane_item(counted, lane)) * each, room)
    before = min(int32_at(job.counts + 8 * i + last) * each, room)
    row = int64_at(item) + int64_at(item + 8) * i
    store_row(lane, w.block + int64_at(item + 16), n, row, kind & 1)
    for k in range(n, before):
        if kind & 1:
            put_int32(row + 4 * k, 0)
        else:
            put_number(row + 8 * k, 0.0)


@kernel
def store_counts(d, job, w, lane):
    if job.counts == 0:
        return
    row = job.counts + 8 * w.world[lane]
    put_int32(row, to_int(lane_item(d.ncon, lane)))
    put_int32(row + 4, to_int(lane_item(d.nefc, lane)))


@kernel
def store_world(d, job, w, lane):
    """One world of a gang: the row of its state, its warnings and outputs."""
    store_warnings(d, job, w, lane)
    row = job.state + 8 * job.nstate * w.world[lane]
    store_row(lane, w.block, job.nstate, row, FLOAT64)
    store_outputs(d, job, w, lane)


@kernel
def store_outputs(d, job, w, lane):
    """The outputs of one world."""
    i = w.world[lane]
    for k in range(job.noutput):
        item = job.outputs + 8 * COLUMNS * k
        lanes = w.block + int64_at(item + 16)
        row = int64_at(item) + int64_at(item + 8) * i
        if int64_at(item + 32) < PER_CONTACT:
            store_row(lane, lanes, int64_at(item + 24), row, int64_at(item + 32))
        else:
            store_counted(d, job, w, lane, item)
    store_counts(d, job, w, lane)


@kernel
def inverse_gang(m, d, job, w):
    """Inverse dynamics at the accelerations of the job; only outputs are stored."""
    load_rows(w.world, job.state, 8 * job.nstate, job.nstate, w.block, 0)
    load_warnings(d, job, w)
    load_constants(job, w)
    set_wanted(d, job.wanted)
    load_rows(w.place, job.qacc, 8 * m.nv, m.nv, w.block + job.qacc_lanes, 0)
    fwd_position(m, d)
    fwd_velocity(m, d)
    inverse_force(m, d)
    for_readers(m, d, job.wanted)
    for lane in range(8):
        store_outputs(d, job, w, lane)


# ---------------------------------------------------------------------------------------- jacobians


@kernel
def jacobian_gang(m, d, job, w):
    load_rows(w.world, job.state, 8 * job.nstate, job.nstate, w.block, 0)
    load_constants(job, w)
    kinematics(m, d)
    com_pos(m, d)
    for lane in range(8):
        jacobian(m, d, job, w, lane)


@kernel
def jacobian(m, d, job, w, lane):
    """jacp, jacr (3, nv) in one world: d(v_WP_W)/d(qvel), d(w_WB_W)/d(qvel), P a point of body b"""
    place = w.place[lane]
    b, point = int32_at(job.body + 4 * place), job.point + 24 * place
    p_WP = vec(number_at(point), number_at(point + 8), number_at(point + 16))
    r = p_WP - d.subtree_com[m.body_rootid[b]]
    row = 8 * m.nv
    jacp, jacr = job.jacp + 3 * row * place, job.jacr + 3 * row * place
    while b > 0 and m.body_dofnum[b] == 0:
        b = m.body_parentid[b]
    i = m.body_dofadr[b] + m.body_dofnum[b] - 1 if b > 0 else -1
    while i >= 0:
        axis = d.cdof[i]
        v = axis[3:6] + cross(axis[0:3], r)
        put_vec3(jacp + 8 * i, row, v, lane)
        put_vec3(jacr + 8 * i, row, axis[0:3], lane)
        i = m.dof_parentid[i]


@kernel(inline=True)
def put_vec3(column, row, v, lane):
    put_number(column, lane_item(v[0], lane))
    put_number(column + row, lane_item(v[1], lane))
    put_number(column + 2 * row, lane_item(v[2], lane))


# ----------------------------------------------------------------------------------- rows and lanes


@kernel
def load_rows(index, rows, stride, count, lanes, ahead):
    """count numbers of eight rows => lanes; what lies `ahead` bytes farther on is needed next"""
    r0, r1, r2, r3, r4, r5, r6, r7 = row_addresses(index, rows, stride)
    if count < 8:
        for k in range(count):
            to = lanes + 64 * k
            put_number(to, number_at(r0 + 8 * k))
            put_number(to + 8, number_at(r1 + 8 * k))
            put_number(to + 16, number_at(r2 + 8 * k))
            put_number(to + 24, number_at(r3 + 8 * k))
            put_number(to + 32, number_at(r4 + 8 * k))
            put_number(to + 40, number_at(r5 + 8 * k))
            put_number(to + 48, number_at(r6 + 8 * k))
            put_number(to + 56, number_at(r7 + 8 * k))
        return
    k = 0
    while k < count:
        k = min(k, count - 8)  # the last block may overlap the one before
        o = 8 * k
        if ahead != 0:
            prefetch8(r0 + o + ahead, r1 + o + ahead, r2 + o + ahead, r3 + o + ahead,
                      r4 + o + ahead, r5 + o + ahead, r6 + o + ahead, r7 + o + ahead)  # fmt: skip
        block = transpose(
            vec(
                lane_at(r0 + o), lane_at(r1 + o), lane_at(r2 + o), lane_at(r3 + o),
                lane_at(r4 + o), lane_at(r5 + o), lane_at(r6 + o), lane_at(r7 + o),
            )
        )  # fmt: skip
        to = lanes + 64 * k
        put_lane(to, block[0])
        put_lane(to + 64, block[1])
        put_lane(to + 128, block[2])
        put_lane(to + 192, block[3])
        put_lane(to + 256, block[4])
        put_lane(to + 320, block[5])
        put_lane(to + 384, block[6])
        put_lane(to + 448, block[7])
        k += 8


@kernel
def store_rows(index, lanes, count, rows, stride, kind):
    """lanes => count numbers of eight rows"""
    if count < 8 or kind != FLOAT64:
        for lane in range(8):
            store_row(lane, lanes, count, rows + stride * index[lane], kind)
        return
    r0, r1, r2, r3, r4, r5, r6, r7 = row_addresses(index, rows, stride)
    k = 0
    while k < count:
        k = min(k, count - 8)
        at = lanes + 64 * k
        block = transpose(
            vec(
                lane_at(at), lane_at(at + 64), lane_at(at + 128), lane_at(at + 192),
                lane_at(at + 256), lane_at(at + 320), lane_at(at + 384), lane_at(at + 448),
            )
        )  # fmt: skip
        o = 8 * k
        put_lane(r0 + o, block[0])
        put_lane(r1 + o, block[1])
        put_lane(r2 + o, block[2])
        put_lane(r3 + o, block[3])
        put_lane(r4 + o, block[4])
        put_lane(r5 + o, block[5])
        put_lane(r6 + o, block[6])
        put_lane(r7 + o, block[7])
        k += 8


@kernel(inline=True)
def prefetch8(a0, a1, a2, a3, a4, a5, a6, a7):
    prefetch(a0)
    prefetch(a1)
    prefetch(a2)
    prefetch(a3)
    prefetch(a4)
    prefetch(a5)
    prefetch(a6)
    prefetch(a7)


@kernel(inline=True)
def row_addresses(index, rows, stride):
    return (
        rows + stride * index[0], rows + stride * index[1], rows + stride * index[2],
        rows + stride * index[3], rows + stride * index[4], rows + stride * index[5],
        rows + stride * index[6], rows + stride * index[7],
    )  # fmt: skip


@kernel
def store_row(lane, lanes, count, row, kind):
    """One lane => count numbers of a row"""
    for k in range(count):
        x = number_at(lanes + 64 * k + 8 * lane)
        if kind == INT32:
            put_int32(row + 4 * k, int(x))
        else:
            put_number(row + 8 * k, x)


@kernel
def zero_field(item, w):
    """(lanes, count): what nobody may write in this call, so that it is not another gang's."""
    lanes = w.block + int64_at(item)
    for k in range(int64_at(item + 8)):
        put_lane(lanes + 64 * k, splat(0.0))


@kernel
def load_constants(job, w):
    """(rows, stride, count, lanes): model constants that differ between worlds"""
    for k in range(job.nconstant):
        item = job.constants + 8 * COLUMNS * k
        rows, stride, count = int64_at(item), int64_at(item + 8), int64_at(item + 16)
        load_rows(w.world, rows, stride, count, w.constants + int64_at(item + 24), 0)


# ----------------------------------------------------------------------------------------- warnings


@kernel
def load_warnings(d, job, w):
    """Counters of the worlds: pairs of int32, what the last was about and how many there were."""
    some = 0
    for lane in range(8):
        row = job.warning + 8 * NWARNING * w.world[lane]
        for k in range(NWARNING):
            some |= int64_at(row + 8 * k)
    for k in range(NWARNING):
        d.warning[k] = splat(0.0)
        d.warning_info[k] = splat(0.0)
    if some != 0:
        for lane in range(8):
            row = job.warning + 8 * NWARNING * w.world[lane]
            here = lane_mask(lane + 1) & not_(lane_mask(lane))
            for k in range(NWARNING):
                info, number = int32_at(row + 8 * k) * 1.0, int32_at(row + 8 * k + 4) * 1.0
                d.warning_info[k] = where(here, info, d.warning_info[k])
                d.warning[k] = where(here, number, d.warning[k])


@kernel
def store_warnings(d, job, w, lane):
    row = job.warning + 8 * NWARNING * w.world[lane]
    for k in range(NWARNING):
        put_int32(row + 8 * k, int(lane_item(d.warning_info[k], lane)))
        put_int32(row + 8 * k + 4, int(lane_item(d.warning[k], lane)))


@kernel
def count_warnings(d):
    total = splat(0.0)
    for k in range(NWARNING):
        total = total + d.warning[k]
    return total
