"""The nodes of a Ray cluster: finding Ray, which nodes there are, and how worlds are shared out.

A node gets worlds in proportion to its processors, in multiples of eight: the worlds of a gang stay
together, so a split costs no lanes.
"""

import importlib
import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from ..errors import ClusterError
from ..lanes import W

_OTHERS = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"  # whether Ray believes in other machines


@dataclass(frozen=True)
class Node:
    """A machine of the cluster: Ray's id, its address, and how many processors are ours there."""

    id: str
    address: str
    cpus: int

    def __str__(self) -> str:
        return f"{self.address} (node {self.id[:8]})"


@dataclass(frozen=True)
class Share:
    """What one node has of n worlds: `count` of them, from `first` on, and threads for them."""

    first: int
    count: int
    nthread: int

    @property
    def rows(self) -> slice:
        """Which of the n worlds, as a slice."""
        return slice(self.first, self.first + self.count)


def connect() -> ModuleType:
    """Ray, connected to a cluster: the one in use, that of RAY_ADDRESS, or one on this machine."""
    address = os.environ.get("RAY_ADDRESS", "local")
    ray = need_ray()
    if ray.is_initialized():
        return ray
    if ":" in address and "/" not in address and not answers(address):  # Ray would try for minutes
        raise ClusterError(
            f"nobody answers at RAY_ADDRESS={address}: start a cluster there (`ray start --head`),"
            " or unset RAY_ADDRESS to use this machine alone"
        )
    here = address == "local"
    more = {"include_dashboard": False} if here else {}
    try:
        with alone() if here else nullcontext():
            ray.init(address=address, log_to_driver=False, **more)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise ClusterError(f"Ray cannot be started or reached at {address}: {error}") from error
    return ray


@contextmanager
def alone() -> Iterator[None]:
    """What is started of Ray meanwhile listens to this machine alone. It would listen on all
    addresses, and do what anybody says who reaches it."""
    from ray._private import ray_constants

    before = os.environ.get(_OTHERS), ray_constants.ENABLE_RAY_CLUSTER
    os.environ[_OTHERS], ray_constants.ENABLE_RAY_CLUSTER = "0", False
    try:
        yield
    finally:
        variable, ray_constants.ENABLE_RAY_CLUSTER = before
        os.environ.pop(_OTHERS, None)
        if variable is not None:
            os.environ[_OTHERS] = variable


def need_ray() -> ModuleType:
    """Ray, or one line on how to get it."""
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise ImportError("lanewise.cluster needs ray: pip install 'lanewise[cluster]'") from error


def living(ray: Any, cpus: int | None = None) -> list[Node]:
    """The nodes that are alive and have processors; cpus: how many are used of each, at most."""
    nodes = []
    for node in ray.nodes():
        number = int(node["Resources"].get("CPU", 0))
        if node["Alive"] and number > 0:
            number = number if cpus is None else min(number, cpus)
            nodes.append(Node(node["NodeID"], node["NodeManagerAddress"], number))
    return sorted(nodes, key=lambda node: (node.address, node.id))


def split(n: int, weights: Sequence[int]) -> list[tuple[int, int]]:
    """(first, count) of n worlds for each weight, in multiples of eight but for the last."""
    gangs, total = -(-n // W), sum(weights)
    exact = [gangs * weight / total for weight in weights]
    whole = [int(x) for x in exact]
    # what is left goes to those that were cut most
    by_loss = sorted(range(len(weights)), key=lambda k: (whole[k] - exact[k], k))
    for k in by_loss[: gangs - sum(whole)]:
        whole[k] += 1
    found, first = [], 0
    for count in whole:
        count = min(W * count, n - first)
        found.append((first, count))
        first += count
    return found


def answers(address: str, seconds: float = 1.0) -> bool:
    """Whether somebody listens at "host:port"."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=seconds):
            return True
    except (OSError, ValueError):
        return False
