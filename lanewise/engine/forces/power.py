"""What actuators put into the motion and dampers take out of it.

    actuator_power  force times velocity of every output of an actuator                        (1)
    joint_power     of every dof, what its actuators, springs, dampers and constraints do:
                    (qfrc_actuator + qfrc_passive + qfrc_constraint + qfrc_applied) qvel        (2)

Kinetic energy changes by the sum of (2) and by gravity, as far as time steps are small.
"""

from ...lanes import kernel


@kernel
def power(m, d):
    """(forces, velocities) => actuator_power, joint_power"""
    # (1)
    for o in range(m.nout):
        d.actuator_power[o] = d.actuator_force[o] * d.actuator_velocity[o]
    # (2)
    for i in range(m.nv):
        force = d.qfrc_actuator[i] + d.qfrc_passive[i] + d.qfrc_constraint[i] + d.qfrc_applied[i]
        d.joint_power[i] = force * d.qvel[i]
