"""Seeded mistakes: every cell of every row is broken in turn, and the suite has to notice.

A mistake is a row of SYSTEMS with another of the values that are allowed in one cell. With it in
place, tests of the suite are called as they are; noticed means that one of them fails. They are of
three sorts, and asked in this order:

    engine   compare with what an engine has said: fixtures, orders.json, shapes.json
    formula  compare with numbers that were written by hand, of what the cell makes a system do
    table    compare the cell with a second table of cells, as test_conventions_rows.py has it

The last notices everything, but only knows what somebody has typed twice. engines/README.md shows
for every cell which sort it is.

Most tests have nothing to do with most cells. So each is called once with rows that write down
which of their cells are read, and a mistake is only shown to tests that have read its cell.
"""

import inspect
import itertools
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import cache

import pytest

from lanewise.conventions.systems import ATTRIBUTES, SYSTEMS, System
from support.places import ENGINES
from support.suite import called

engines, orders, rows, shapes = (
    called(f"conventions/test_conventions_{name}.py")
    for name in ("engines", "order", "rows", "shapes")
)
SORTS = ("engine", "formula", "table")


@dataclass(frozen=True, eq=False)
class Probe:
    """A test of the suite with its arguments"""

    sort: str
    test: Callable
    arguments: dict
    about: set[str]  # systems that it names: their probes are asked first

    def fails(self) -> bool:
        try:
            self.test(**self.arguments)
        except (Exception, pytest.fail.Exception):
            return True
        return False


def cases(test):
    """The arguments that a test is called with, {name: value}; none if it needs a fixture."""
    marks = [mark for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
    choices = []
    for mark in marks:
        names = [mark.args[0]] if isinstance(mark.args[0], str) else mark.args[0]
        values = [getattr(value, "values", value) for value in mark.args[1]]
        whole = len(names) > 1 or any(hasattr(value, "values") for value in mark.args[1])
        choices.append([dict(zip(names, value if whole else (value,))) for value in values])
    made = [{k: v for part in parts for k, v in part.items()}
            for parts in itertools.product(*choices)]  # fmt: skip
    return [case for case in made if case.keys() == inspect.signature(test).parameters.keys()]


def probes_of(module):
    """The tests of a file; not those that start an engine again, which has no rows."""
    for name, test in vars(module).items():
        if name.startswith("test_") and "still_say" not in name:
            for case in cases(test):
                words = {word for word in case.values() if isinstance(word, str)}
                words |= {engines.FIXTURES[w]["system"] for w in words & set(engines.FIXTURES)}
                yield Probe(sort_of(module, test), test, case, words & set(SYSTEMS))


def sort_of(module, test):
    if test is shapes.test_tables_and_rows_have_the_same_shapes:
        return "table"
    by_hand = module is not engines or test is engines.test_all_pairs_of_systems
    asks = "engine" in inspect.signature(test).parameters
    return "engine" if asks or not by_hand else "formula"


PROBES = [
    *(probe for module in (engines, orders, shapes) for probe in probes_of(module)),
    Probe("table", rows.test_every_cell, {}, set()),
]


# ---- rows in place of others


@contextmanager
def in_place(changed):
    before = dict(SYSTEMS._rows)
    SYSTEMS._rows.update(changed)
    try:
        yield
    finally:
        SYSTEMS._rows.update(before)


class Watched(System):
    """A row that writes down which of its cells are read"""

    def __getattribute__(self, name):
        if name in ATTRIBUTES:
            READ.add((object.__getattribute__(self, "name"), name))
        return object.__getattribute__(self, name)


READ: set[tuple[str, str]] = set()


@cache
def cells_read():
    """The cells (system, column) that each probe has read"""
    read = {}
    watched = {name: Watched(**{f.name: getattr(row, f.name) for f in fields(System)})
               for name, row in SYSTEMS.items()}  # fmt: skip
    with in_place(watched):
        for probe in PROBES:
            READ.clear()
            probe.test(**probe.arguments)
            read[probe] = frozenset(READ)
    return read


def noticed_by(name, column, value):
    """The first of SORTS that notices a mistake, or None"""
    read = cells_read()
    asked = [probe for probe in PROBES if (name, column) in read[probe]]
    asked.sort(key=lambda probe: (SORTS.index(probe.sort), name not in probe.about))
    with in_place({name: replace(SYSTEMS[name], **{column: value})}):
        return next((probe.sort for probe in asked if probe.fails()), None)


def not_measured(name):
    """Columns that no fixture of a system has measured: their numbers are written by hand."""
    made = [f for f in engines.FIXTURES.values() if f["system"] == name]
    return set.intersection(*(set(f["written"]) for f in made)) if made else set()


@cache
def verdicts(name):
    """{column: the sort of test that notices; of several values, the one noticed worst}"""
    found = {}
    for column, (allowed, _) in ATTRIBUTES.items():
        by = {noticed_by(name, column, value) for value in allowed
              if value != getattr(SYSTEMS[name], column)}  # fmt: skip
        sort = None if None in by else max(by, key=SORTS.index)
        found[column] = "formula" if sort == "engine" and column in not_measured(name) else sort
    return found


# ---- tests

README = ENGINES / "README.md"
LETTERS = {"engine": "E", "formula": "f", "table": "."}
STATE = list(ATTRIBUTES)[: list(ATTRIBUTES).index("angle_unit")]  # poses, velocities and wrenches
MEASURED = (
    "mujoco", "newton", "physx", "sapien", "drake", "pinocchio", "pybullet", "genesis",
)  # fmt: skip


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_mistake_is_noticed(name):
    assert not [column for column, sort in verdicts(name).items() if sort is None]


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_readme_does_not_promise_more(name):
    """Who notices is written down there, so that it cannot become less by accident."""
    lines = [line.split() for line in README.read_text().splitlines()]
    said = {line[0]: line[1:] for line in lines if line and line[0] in ATTRIBUTES}
    assert list(said) == list(ATTRIBUTES)
    sorts = list(LETTERS.values())
    for column, sort in verdicts(name).items():
        promised = said[column][list(SYSTEMS).index(name)]
        assert SORTS.index(sort) <= sorts.index(promised), column


@pytest.mark.parametrize("name", SYSTEMS)
def test_states_do_not_depend_on_the_table(name):
    columns = set(STATE) - {"quaternion_text", "matrix"}
    assert "table" not in {verdicts(name)[column] for column in columns}


@pytest.mark.parametrize("name", MEASURED)
def test_engines_notice_every_mistake_in_their_states(name):
    columns = set(STATE) - {"quaternion_text", "matrix"}
    assert {verdicts(name)[column] for column in columns} == {"engine"}


def test_rows_are_put_back():
    before = dict(SYSTEMS)
    assert noticed_by("drake", "order", "linear_first") == "engine"
    assert dict(SYSTEMS) == before


def main():
    """Who notices, as the README has it."""
    for column in ATTRIBUTES:
        print(f"{column:17s}", *(LETTERS[verdicts(name)[column]] for name in SYSTEMS))


if __name__ == "__main__":
    main()
