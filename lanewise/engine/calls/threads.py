"""Threads that share a call: they take gangs until none is left.

A call is described by a record, CALL, which all threads share; what belongs to one thread is in
its WORKER, which leads to the CALL. Threads take units of gangs from `remaining`, which counts down
to zero, so that a thread that comes late finds nothing, whatever else the record says by then;
everything else in it is read after a unit was taken.

Between two calls a thread stays in `serve` and watches `ticket` for some microseconds, since the
next call usually follows soon. Then it leaves for a sleep from which the caller wakes it by other
means. Who exchanges `sleeping` decides which of the two happened. `park` sends all threads to
sleep.

A call can be left between two steps: the worlds of a gang are stored as after so many steps, which
is what `steps_made` says, and the thread goes on from there when it comes back. The calling thread
does so whenever its `patience` is at an end, so that Python can see whether somebody interrupts.
Then `halt` makes all threads leave for good.

A gang has eight worlds. If the last one has fewer, its first world fills the spare lanes: they
compute the same numbers and store them in the same place, so nothing has to know of them.
"""

from ...lanes import W, kernel
from ...lanes.calls import call_code
from ...lanes.memory import atomic_at, fetch_add, pause, swap
from ...lanes.records import Record, record_at
from ..pipeline import HOOKED, is_hooked
from .rows import int32_item, int64_item, put_int32_item

CALL = Record("Call", """
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
places      address of the worlds' places in the call, 0 if all in order
ids         address of the ids by place, 0 if all worlds
kernel      address of the gang kernel
record      address of the call's own record
stop        address of whether threads shall leave; then, of the units that nobody had taken by then
""")  # fmt: skip

WORKER = Record("Worker", """
call        address of what it takes part in, CALL
block       address of the lanes of the thread's workspace
constants   address of its lanes of the model, if worlds have different ones
parameters  address of its lanes of parameters of user code, likewise
sleeping    address of its flag
stop        address of whether it shall leave
slice       steps after which the calling thread leaves, to come back
""")  # fmt: skip

AWAKE, ASLEEP, PARKED = range(3)  # what a flag says
# how a thread's part ended; NOTICED: over, and there is something for the host to look at
OVER, NOTICED, OTHERS, LEFT = range(4)
SPINS = 2000  # looks at the ticket before a sleep: some tens of microseconds
LINE = 64  # bytes in a cache line


@kernel
def begin(shared):
    """Open the call to all threads, and note in `wake` which of them are asleep."""
    call = record_at(shared, CALL, 0)
    swap(call.done, 0)
    swap(call.remaining, call.nunit)
    fetch_add(call.ticket, 1)
    for k in range(call.nworker):
        asleep = swap(call.sleeping + LINE * k, AWAKE)
        put_int32_item(call.wake, k, int32_item(call.wake, k) | asleep)


@kernel
def work(m, d, worker):
    """The calling thread's part; then wait a little for the others to end theirs.

    LEFT if it was left between two steps, to be called again; else whether others are still at it.
    """
    own = record_at(worker, WORKER, 0)
    call = record_at(own.call, CALL, 0)
    d.patience = own.slice
    if take_units(m, d, call, worker) == 0:
        return LEFT
    for _ in range(SPINS):
        if atomic_at(call.done) == call.nunit:
            return NOTICED if d.notice else OVER
        pause()
    return OTHERS


@kernel
def work_alone(m, d, worker):
    """A call that wakes nobody. A thread that an earlier call woke may still come and help.

    HOOKED, and nothing else, if a callback of MuJoCo's is installed.
    """
    if is_hooked(m):
        return HOOKED
    call = record_at(record_at(worker, WORKER, 0).call, CALL, 0)
    swap(call.done, 0)
    swap(call.remaining, call.nunit)
    return work(m, d, worker)


@kernel
def serve(m, d, worker):
    """Another thread's part, of this call and of those that follow soon."""
    own = record_at(worker, WORKER, 0)
    call = record_at(own.call, CALL, 0)
    while True:
        seen = atomic_at(call.ticket)
        if call.park:
            swap(own.sleeping, PARKED)
            break
        if take_units(m, d, call, worker) == 0 and d.gang < d.end_of_unit:
            fetch_add(call.done, 1)  # nobody goes on with it
        for _ in range(SPINS):
            if atomic_at(call.ticket) != seen:
                break
            pause()
        if atomic_at(call.ticket) == seen:
            swap(own.sleeping, ASLEEP)
            # a call may have begun just before: whoever clears the flag first decides
            if atomic_at(call.ticket) == seen or swap(own.sleeping, AWAKE) == AWAKE:
                break


@kernel
def take_units(m, d, call, worker):
    """Units of gangs, one after the other: 1 when there are no more, 0 if it was left before."""
    stop, g, end = record_at(worker, WORKER, 0).stop, d.gang, d.end_of_unit
    while True:
        if g == end:
            left = fetch_add(call.remaining, -1)
            if left <= 0:
                d.gang, d.end_of_unit = 0, 0
                return 1
            g = (call.nunit - left) * call.unit
            end = min(g + call.unit, call.ngang)
        if d.steps_made > 0 or (d.patience > 0 and atomic_at(stop) == 0):
            choose_worlds(d, call, g)
            call_code(call.kernel, m, d, call.record, worker)
            if d.steps_made == 0:
                d.patience -= 1
                g += 1
                if g == end:
                    fetch_add(call.done, 1)
                continue
        d.gang, d.end_of_unit = g, end
        return 0


@kernel
def halt(shared):
    """Let all threads leave before their next step, and note how many units nobody has taken."""
    call = record_at(shared, CALL, 0)
    if swap(call.stop, 1) == 0:
        swap(call.stop + 8, max(swap(call.remaining, 0), 0))


@kernel
def choose_worlds(d, call, g):
    """(places, ids) => (lane_place, lane_world, timed) of gang g"""
    for lane in range(W):
        place = W * g + lane
        if place >= call.n:
            place = W * g
        if call.places != 0:
            place = int64_item(call.places, place)
        d.lane_place[lane] = place
        d.lane_world[lane] = int64_item(call.ids, place) if call.ids != 0 else place
    d.timed = min(W, call.n - W * g)
