"""A glider of Ptera Software's, with few panels, flown by whichever engine is under its solver.

It starts banked and turning, so that all six degrees of freedom move.
"""

import numpy as np
import pterasoftware as ps

MASS, GRAVITY, INTERVAL = 42.8, 9.80665, 0.0129
INERTIA = ((155.6, 0.0, -45.7), (0.0, 398.5, 0.0), (-45.7, 0.0, 508.7))


def wing(name, airfoil, at, tilt, span, symmetric=True):
    section = ps.geometry.wing_cross_section.WingCrossSection
    about = {
        "chord": 1.0,
        "airfoil": ps.geometry.airfoil.Airfoil(name=airfoil),
        "control_surface_symmetry_type": "symmetric" if symmetric else None,
    }
    root = section(num_spanwise_panels=3, spanwise_spacing="cosine", **about)
    tip = section(
        num_spanwise_panels=None, spanwise_spacing=None, Lp_Wcsp_Lpp=(0.0, span, 0.0), **about
    )
    return ps.geometry.wing.Wing(
        wing_cross_sections=[root, tip], name=name, Ler_Gs_Cgs=at, angles_Gs_to_Wn_ixyz=tilt,
        symmetric=symmetric, symmetryNormal_G=(0.0, 1.0, 0.0) if symmetric else None,
        symmetryPoint_G_Cg=(0.0, 0.0, 0.0) if symmetric else None, num_chordwise_panels=2,
    )  # fmt: skip


def airplane():
    wings = [
        wing("wing", "naca2412", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 5.0),
        wing("tail", "naca0012", (5.0, 0.0, 0.5), (0.0, -5.0, 0.0), 1.0),
        wing("fin", "naca0012", (5.0, 0.0, 1.0), (90.0, 0.0, 0.0), 2.0, symmetric=False),
    ]
    return ps.geometry.airplane.Airplane(wings=wings, name="glider", weight=MASS * GRAVITY)


def solver(steps, integrator="RK4", bank=5.0, rates=(2.0, 0.0, 1.0)):
    """A free flight of so many steps, five of which are prescribed; angles in degrees."""
    moves, plane = ps.movements, airplane()
    still = moves.wing_cross_section_movement.WingCrossSectionMovement
    wings = [
        moves.wing_movement.WingMovement(
            base_wing=w,
            wing_cross_section_movements=[
                still(base_wing_cross_section=s) for s in w.wing_cross_sections
            ],
        )
        for w in plane.wings
    ]
    point = ps.operating_point.OperatingPoint(
        vCg__E=12.9, alpha=3.3, angles_E_to_BP1_izyx=(bank, 3.3, 0.0), g_E=(0.0, 0.0, GRAVITY),
        omegas_BP1__E=rates,
    )  # fmt: skip
    movement = moves.free_flight_movement.FreeFlightMovement(
        airplane_movements=[
            moves.airplane_movement.AirplaneMovement(base_airplane=plane, wing_movements=wings)
        ],
        operating_point_movement=(
            moves.free_flight_operating_point_movement.FreeFlightOperatingPointMovement(
                base_operating_point=point
            )
        ),
        delta_time=INTERVAL,
        prescribed_num_steps=5,
        free_num_steps=steps - 5,
        max_wake_rows=20,
    )
    problem = ps.problems.FreeFlightUnsteadyProblem(
        movement=movement, mass=MASS, I_BP1_CgP1=INERTIA, integrator=integrator
    )
    method = ps.free_flight_unsteady_ring_vortex_lattice_method
    return method.FreeFlightUnsteadyRingVortexLatticeMethodSolver(
        free_flight_unsteady_problem=problem
    )


def fly(*args, **kwargs):
    """(the solver, positions (steps, 3) [m], lift (steps,) [N]) of a flight."""
    made = solver(*args, **kwargs)
    made.run(prescribed_wake=True, show_progress=False)
    points = made.unsteady_problem.movement.operating_point_movement.operating_points
    lift = [-p.airplanes[0].forces_W[2] for p in made.unsteady_problem.steady_problems]
    return made, np.array([point.CgP1_E_Eo for point in points]), np.array(lift)
