"""Flight: a free body under loads that come from outside, one body or thousands of them.

    body = lanewise.flight.RigidBody(mass=2.0, inertia=(0.1, 0.2, 0.25), gravity=(0, 0, -9.81))
    flight = lanewise.flight.Flight(body, interval=0.02, substeps=4)
    flight.apply_loads(f_W, t_Bcm_W)      # in Earth axes, about the centre of mass
    flight.step()
    flight.state                          # of this very moment, attitude included
    flight.state.ptera()                  # in the names, matrices and degrees of Ptera Software

    rigid_body.py     a body as numbers, and the MJCF that is made of it
    flight_state.py   the motion of a free body, in MuJoCo's notation and in Ptera Software's
    free_body.py      where a model keeps the numbers of a body that flies
    flights.py        Flight on a Data, Flights on a Batch
    surfaces.py       wings as strips, and the air around them
    strip_loads.py    what the air does to strips: a kernel, inside of the step

docs/flight.md tells all of it; lanewise.bridges.ptera puts it under Ptera Software's solver.
"""

from .flight_state import FlightState
from .flights import Flight, Flights
from .rigid_body import RigidBody
from .surfaces import Air, Surface

__all__ = ["Air", "Flight", "FlightState", "Flights", "RigidBody", "Surface"]
