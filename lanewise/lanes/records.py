"""Records: named numbers at an address, for what the host tells a kernel about a call.

A `Record` is declared once, a line for each member with its meaning:

    OUTPUT = Record("Output", '''
    rows      address of the first world's row
    stride    bytes from a world's row to the next
    ''')

All members are int64: numbers, or addresses of something else. A kernel reads them by name,

    output = record_at(outputs, OUTPUT, k)      # record k of those that begin at an address
    load_rows(output.rows, output.stride, ...)

and passes a record on as it passes a struct. It never writes one, but the host may while a kernel
waits for it: every read of a member is a load. The host fills `Records`, which keep what they point
at alive: an array, or other Records, is given as itself and not by its address.
"""

import ctypes

import numpy as np


class Record:
    """The declaration of a record: names of int64s that lie side by side."""

    def __init__(self, name, text):
        lines = [line.split(None, 1) for line in text.strip().splitlines()]
        self.name = name
        self.members = {member: k for k, (member, _) in enumerate(lines)}
        self.meaning = dict(lines)
        self.nbytes = 8 * len(lines)

    def __repr__(self):
        return f"<record {self.name}: {', '.join(self.members)}>"


class RecordView:
    """A record as plain-Python kernels see it."""

    __slots__ = ("_address", "_record")

    def __init__(self, address, record):
        self._address, self._record = address, record

    def __getattr__(self, name):
        if name not in self._record.members:
            raise AttributeError(f"no member {name!r} in {self._record!r}")
        return ctypes.c_int64.from_address(self._address + 8 * self._record.members[name]).value


def record_at(address, record, k):
    """Record k of those that begin at an address."""
    return RecordView(address + record.nbytes * k, record)


class Records:
    """n records in memory for kernels to read, and all that they point at."""

    def __init__(self, record, n=1):
        self.record = record
        self._numbers = np.zeros((n, len(record.members)), np.int64)
        self._cells = memoryview(self._numbers).cast("B").cast("q") if n else None
        self._kept = {}
        self.address = self._numbers.ctypes.data

    @classmethod
    def of(cls, record, rows):
        """A record for each of {member: value}."""
        records = cls(record, len(rows))
        for k, row in enumerate(rows):
            records.put(k, **row)
        return records

    def __len__(self):
        return len(self._numbers)

    def put(self, k, /, **values):
        """Set members of record k: numbers, or arrays and Records, which stand for where they lie;
        None is no address."""
        members, kept, cells = self.record.members, self._kept, self._cells
        first = k * len(members)
        for name, value in values.items():
            place = first + members[name]
            if value is None or kept.get(place) is not value:  # most are what they were
                kept[place] = value
                cells[place] = value if type(value) is int else _number(value)

    def set(self, **values):
        """Set members of the first record."""
        self.put(0, **values)

    def take(self, other):
        """Set all members as in other Records of the same declaration."""
        self._numbers[...] = other._numbers
        self._kept = dict(other._kept)

    def get(self, name):
        """A member of the first record, as a kernel sees it."""
        return int(self._numbers[0, self.record.members[name]])


def _number(value):
    if value is None:
        return 0
    if isinstance(value, Records):
        return value.address
    if isinstance(value, np.ndarray):
        return value.__array_interface__["data"][0]  # in half the time of value.ctypes.data
    return value
