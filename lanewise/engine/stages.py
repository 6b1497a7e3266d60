"""The stages of the pipeline, a line each: adding one is its kernel and its line.

A line is

    name  file  level  section  words

where the kernel `name` is found in engine/`file`, and `section` is the part of the table of fields
that it writes. The level says which calls of a Batch compute those fields:

    POS, VEL, ACC   those up to that stage of mjtStage
    STEP            only a step
    INVERSE         only inverse dynamics
    -               the stage is made of others, or speaks of itself only

Words are

    demand          it runs only for somebody who reads its fields, whose table says want="SECTION";
                    if it follows from velocities or accelerations, readers.py runs it last
    forces          it takes the forces of single constraint rows, which solvers then leave
    partial         it may leave fields of its section as they were
    forward         inverse dynamics does without it

A part of a section may be on demand as well: `want` in fields/table.py is the name of the flag.

Importing this module compiles nothing; kernels are imported when they are asked for.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib import import_module

from ..fields import DATA_FIELDS
from ..mjconst import STAGE_ACC, STAGE_POS, STAGE_VEL

STAGE_STEP, STAGE_INVERSE = STAGE_ACC + 1, STAGE_ACC + 2
_LEVELS = {
    "POS": STAGE_POS, "VEL": STAGE_VEL, "ACC": STAGE_ACC, "STEP": STAGE_STEP,
    "INVERSE": STAGE_INVERSE, "-": 0,
}  # fmt: skip


@dataclass(frozen=True)
class Stage:
    """One line of the table."""

    name: str
    file: str
    level: int  # of mjtStage, or STAGE_STEP, STAGE_INVERSE; 0: none
    section: str  # of the table of fields; '' if it writes none of its own
    words: frozenset[str] = field(default_factory=frozenset)

    @cached_property
    def kernel(self):
        """The kernel (m, d), which runs as plain Python when it is called."""
        return getattr(import_module(f".{self.file}", __package__), self.name)


def _stages(text):
    lines = (line.split() for line in text.strip().splitlines())
    return {
        name: Stage(name, file, _LEVELS[level], section.strip("-"), frozenset(words))
        for name, file, level, section, *words in lines
    }


STAGES = _stages("""
step                  pipeline                  -        -
step1                 pipeline                  -        -
step2                 pipeline                  -        -
forward               pipeline                  -        -
fwd_position          pipeline                  -        -
kinematics            smooth.kinematics         POS      kinematics
com_pos               smooth.com                POS      com_pos
camlight              smooth.kinematics         POS      camlight             demand
tendon                smooth.tendon             POS      tendon               partial
crb                   smooth.inertia            POS      crb
tendon_armature       smooth.tendon             POS      crb
factor_m              smooth.inertia            POS      factor_m
collision             collision.driver          POS      collision
make_constraint       constraint.make           POS      make_constraint
transmission          smooth.transmission       POS      transmission         partial
energy_pos            forces.energy             POS      energy               partial
fwd_velocity          pipeline                  -        -
tendon_velocity       smooth.tendon             VEL      fwd_velocity
actuator_velocity     smooth.transmission       VEL      fwd_velocity
com_vel               smooth.com                VEL      com_vel
passive               forces.passive            VEL      passive
reference_constraint  constraint.reference      VEL      reference_constraint
rne                   smooth.rne                VEL      rne
tendon_bias           smooth.tendon             VEL      rne
energy_vel            forces.energy             VEL      energy               partial
subtree_vel           smooth.com                VEL      subtree_vel          demand
fwd_actuation         forces.actuation          ACC      fwd_actuation        forward
fwd_acceleration      acceleration              ACC      fwd_acceleration     forward
fwd_constraint        acceleration              ACC      fwd_constraint
expose_constraint     constraint.efc           ACC      efc                  demand forces
project_constraint    constraint.efc           ACC      efc                  forces
rne_post_constraint   constraint.rne_post       ACC      rne_post_constraint  demand forces
contact_force         constraint.contact_force  ACC      contact_force        demand forces
power                 forces.power             ACC      power                demand
sensor_pos            sensors.position          POS      sensor               partial
sensor_vel            sensors.velocity          VEL      sensor               partial
sensor_acc            sensors.acceleration      ACC      sensor               partial forces
euler                 integrate.integrators     STEP     integrate            partial forward
implicit              integrate.integrators     STEP     integrate            partial forward
implicitfast          integrate.integrators     STEP     integrate            partial forward
discrete              integrate.integrators     STEP     integrate            partial forward
rungekutta4           pipeline                  STEP     integrate            partial forward
observe               user                      ACC      observe              partial forward
inverse_force         inverse                   INVERSE  inverse
compare_fwdinv        inverse                   ACC      compare_fwdinv       partial forward
""")

# other kernels (m, d) that functions call: on the field `vector`, if they take one
OPERATIONS = _stages("""
user_control          user                      -        -
solve_vector          smooth.inertia            -        -
half_solve_vector     smooth.inertia            -        -
mul_vector            smooth.inertia            -        -
distance_query        geometry.distance         -        -
enclosure_query       geometry.enclosure        -        -
inside_query          geometry.zones            -        -
history_query         forces.history            -        -
""")

# section of the table of fields -> the stages that write it
SECTIONS = {
    section: tuple(stage for stage in STAGES.values() if stage.section == section)
    for section in dict.fromkeys(stage.section for stage in STAGES.values() if stage.section)
}


def kernels():
    """{name: kernel} of all stages and operations."""
    return {name: stage.kernel for name, stage in (STAGES | OPERATIONS).items()}


def first_level(section):
    """The level from which on a call writes something of a section."""
    return min(stage.level for stage in SECTIONS[section])


def whole_level(section):
    """The level of a call that writes all of a section."""
    return max(stage.level for stage in SECTIONS[section])


def is_written(section, level):
    """Whether a call of this level computes the fields of a section."""
    if level < STAGE_INVERSE:
        return first_level(section) <= level
    return not has(section, "forward")


def has(section, word):
    """Whether the stages of a section have a word."""
    return any(word in stage.words for stage in SECTIONS.get(section, ()))


WANTS = tuple(name for name in DATA_FIELDS if name.startswith("want_"))


def wants(names: Iterable[str]) -> frozenset[str]:
    """The flags of Data that readers of these fields raise."""
    return _wants(tuple(names))


@lru_cache(256)
def _wants(names: tuple[str, ...]) -> frozenset[str]:
    flags = set()
    for name in names:
        f = DATA_FIELDS[name]
        if f.want:
            flags.add(f"want_{f.want}")
        if has(f.stage, "forces"):
            flags.add("want_forces")
    return frozenset(flags)


# components of the state that nothing reads before velocities, or before forces, are computed
_READ_FROM = {
    STAGE_VEL: ("qvel",),
    STAGE_ACC: ("act", "qacc_warmstart", "ctrl", "qfrc_applied", "xfrc_applied"),
}


def read_from(name):
    """The stage of mjtStage that is the first to read a component of the state."""
    return next((stage for stage, names in _READ_FROM.items() if name in names), STAGE_POS)
