"""A model beside MuJoCo: everything that both compute, in states where things touch.

Every part is compared alone, from MuJoCo's own data, so that a difference shows where it is made:

    stages      each stage of the pipeline, by the fields that it writes
    contacts    the list of contacts, pair of geoms by pair
    rows        constraint rows, from MuJoCo's contacts
    solver      the acceleration under constraints, with tolerances that leave no choice
    sensors     what the sensors of the model read
    functions   Jacobians, products, inverse dynamics, rays, derivatives ...
    steps       whole steps, with the options of the model and with every integrator
    rollout     a hundred steps, beside a MuJoCo that began a hair away
    batch       worlds of a Batch and the same alone, bit by bit

A difference is relative to the largest number of a field in a world, or to one if that is larger.
Where it is beyond the tolerance, MuJoCo is the yardstick of itself: its state is moved by 1e-15 to
1e-10, and if its own answer goes as far, the question has several right answers (two faces that lie
flat on each other, a solver that stops early). Such a world is undecided, and fails nobody.
"""

from .examination import examine
from .findings import Finding, Findings

__all__ = ["Finding", "Findings", "examine"]
