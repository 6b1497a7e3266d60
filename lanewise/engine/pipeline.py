"""The step, top to bottom.

A stage is a kernel (m, d). `forward` computes everything that follows from the state and the
controls; `step` does that and moves the state on by one time step.
"""

from ..hooks import NHOOK
from ..lanes import any_lane, kernel
from ..lanes.memory import int64_at
from ..mjconst import (
    ENBL_ENERGY,
    ENBL_FWDINV,
    INT_DISCRETE,
    INT_IMPLICIT,
    INT_IMPLICITFAST,
    INT_RK4,
    TIMER_FORWARD,
    TIMER_POS_INERTIA,
    TIMER_POS_KINEMATICS,
    TIMER_POS_MAKE,
    TIMER_POS_PROJECT,
    TIMER_POSITION,
    TIMER_STEP,
    TIMER_VELOCITY,
)  # fmt: skip
from .acceleration import fwd_acceleration, fwd_constraint
from .checks import (
    check_acc_mask,
    check_pos,
    check_vel,
    keep_warnings,
    reset_bad_acc,
    save_warnings,
)
from .collision.driver import collision
from .constraint.make import make_constraint
from .constraint.reference import reference_constraint
from .forces.actuation import fwd_actuation
from .forces.energy import energy_pos, energy_vel
from .forces.passive import passive
from .integrate.integrators import (
    discrete,
    euler,
    implicit,
    implicitfast,
    rk_back,
    rk_finish,
    rk_gather,
    rk_stage,
    rk_start,
)  # fmt: skip
from .inverse import compare_fwdinv
from .senses import senses
from .sensors.acceleration import sensor_acc
from .sensors.position import sensor_pos
from .sensors.velocity import sensor_vel
from .smooth.com import com_pos, com_vel
from .smooth.inertia import crb, factor_m
from .smooth.kinematics import camlight, kinematics
from .smooth.rne import rne
from .smooth.tendon import tendon, tendon_armature, tendon_bias, tendon_velocity
from .smooth.transmission import actuator_velocity, transmission
from .timing import extend, lap, start
from .user import user_control


@kernel
def fwd_position(m, d):
    """(qpos, mocap) => everything that depends on position only"""
    begin = start(d)
    kinematics(m, d)
    com_pos(m, d)
    if d.want_camlight or (m.sensor_cameras and senses(m, d)):
        camlight(m, d)
    tendon(m, d)
    t = lap(d, TIMER_POS_KINEMATICS, begin)
    crb(m, d)
    tendon_armature(m, d)
    factor_m(m, d)
    lap(d, TIMER_POS_INERTIA, t)
    collision(m, d)
    t = start(d)
    make_constraint(m, d)
    t = lap(d, TIMER_POS_MAKE, t)
    transmission(m, d)
    t = extend(d, TIMER_POS_KINEMATICS, t)
    lap(d, TIMER_POS_PROJECT, t)  # dual solvers project when they solve, as in MuJoCo
    if m.opt.enableflags & ENBL_ENERGY:
        energy_pos(m, d)
    lap(d, TIMER_POSITION, begin)


@kernel
def fwd_velocity(m, d):
    """(position stage, qvel) => everything that depends on position and velocity"""
    begin = start(d)
    tendon_velocity(m, d)
    actuator_velocity(m, d)
    com_vel(m, d)
    passive(m, d)
    reference_constraint(m, d)
    rne(m, d)
    tendon_bias(m, d)
    if m.opt.enableflags & ENBL_ENERGY:
        energy_vel(m, d)
    lap(d, TIMER_VELOCITY, begin)


@kernel
def position_stage(m, d):
    """`fwd_position`, and the sensors that follow from it"""
    fwd_position(m, d)
    if senses(m, d):
        sensor_pos(m, d)


@kernel
def velocity_stage(m, d):
    """`fwd_velocity`, and the sensors that follow from it"""
    fwd_velocity(m, d)
    if senses(m, d):
        sensor_vel(m, d)


@kernel
def acceleration_stage(m, d):
    """`fwd_force`, and the sensors that follow from it"""
    fwd_force(m, d)
    if senses(m, d):
        sensor_acc(m, d)


@kernel
def forward(m, d):
    """(state, controls) => qacc and all that leads to it, and what sensors read"""
    begin = start(d)
    position_stage(m, d)
    velocity_stage(m, d)
    user_control(m, d)
    acceleration_stage(m, d)
    lap(d, TIMER_FORWARD, begin)


@kernel
def forward_blind(m, d):
    """`forward` without sensors: for the stages of Runge-Kutta after the first."""
    begin = start(d)
    fwd_position(m, d)
    fwd_velocity(m, d)
    user_control(m, d)
    fwd_force(m, d)
    lap(d, TIMER_FORWARD, begin)


@kernel
def fwd_force(m, d):
    """(position and velocity stages, controls) => forces and accelerations"""
    fwd_actuation(m, d)
    fwd_acceleration(m, d)
    fwd_constraint(m, d)


@kernel
def step(m, d):
    """(state, controls) => the state one time step later; as it was, if the host must make room"""
    find_rates(m, d)
    move(m, d)


@kernel
def find_rates(m, d):
    """(state, controls) => qacc: the part of a step before the state moves on"""
    begin = start(d)
    check_pos(m, d)
    check_vel(m, d)
    forward(m, d)
    if d.no_room:
        return
    check_acc(m, d)
    compare(m, d)
    extend(d, TIMER_STEP, begin)


@kernel
def compare(m, d):
    """`compare_fwdinv`, if the model enables it and somebody reads what it finds"""
    if m.opt.enableflags & ENBL_FWDINV and d.want_fwdinv:
        compare_fwdinv(m, d)


@kernel
def move(m, d):
    """(state, forward dynamics) => the state one time step later, unless the host must make room"""
    if d.no_room:
        return
    begin = start(d)
    if m.opt.integrator == INT_RK4:
        rungekutta4(m, d)
    else:
        integrate(m, d)
    if d.no_room == 0:
        lap(d, TIMER_STEP, begin)


@kernel
def steps(m, d, n):
    """n steps, as far as there is room; twice the steps that are left, plus 1 for a notice

    HOOKED, and no step, if a callback of MuJoCo's is installed.
    """
    if is_hooked(m):
        return HOOKED
    for k in range(n):
        step(m, d)
        if d.no_room:
            return 2 * (n - k) + d.notice
    return d.notice


HOOKED = -1


@kernel
def is_hooked(m):
    """Whether a callback of MuJoCo's is installed in this process"""
    some = 0
    for k in range(NHOOK):
        some |= int64_at(m.hook_places[k])
    return some != 0


@kernel
def step1(m, d):
    """The part of a step before controls are needed."""
    begin = start(d)
    check_pos(m, d)
    check_vel(m, d)
    position_stage(m, d)
    velocity_stage(m, d)
    user_control(m, d)
    lap(d, TIMER_STEP, begin)  # the second part belongs to it


@kernel
def step2(m, d):
    """The part of a step from the controls on; Runge-Kutta becomes Euler."""
    find_rates2(m, d)
    move2(m, d)


@kernel
def find_rates2(m, d):
    """The part of `step2` before the state moves on"""
    begin = start(d)
    acceleration_stage(m, d)
    check_acc(m, d)
    if d.no_room == 0:
        compare(m, d)
    extend(d, TIMER_STEP, begin)


@kernel
def move2(m, d):
    """The part of `step2` that moves the state on, unless the host must make room"""
    if d.no_room == 0:
        begin = start(d)
        integrate(m, d)
        extend(d, TIMER_STEP, begin)


@kernel
def integrate(m, d):
    """The integrator of the model, if it is of a single stage."""
    kind = m.opt.integrator
    if kind == INT_IMPLICIT:
        implicit(m, d)
    elif kind == INT_IMPLICITFAST:
        implicitfast(m, d)
    elif kind == INT_DISCRETE:
        discrete(m, d)
    else:
        euler(m, d)


@kernel
def rungekutta4(m, d):
    """(qacc, forces) => next state, by three more evaluations of the forward dynamics"""
    rk_start(m, d)
    for stage in range(1, 4):
        rk_stage(m, d, stage)
        forward_blind(m, d)
        if d.no_room:
            rk_back(m, d)
            return
        rk_gather(m, d, stage)
    rk_finish(m, d)


@kernel
def check_acc(m, d):
    """Reset the worlds with a bad qacc, and compute their forward dynamics anew."""
    bad = check_acc_mask(m, d)
    if any_lane(bad):
        reset_bad_acc(m, d, bad)
        save_warnings(d)
        forward(m, d)
        keep_warnings(d, bad)
