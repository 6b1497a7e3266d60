"""Several nodes of a Ray cluster on this machine, to try things out: what they do when one dies."""

import os
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from .nodes import alone, need_ray

STORE = 100_000_000  # bytes of a node's object store
HERE = "127.0.0.1"
_PLACE = "RAY_TMPDIR"


class Trial:
    """A cluster of nodes with cpus processors each on this machine, which listens to nobody else.

    This process is connected to it, until the end of a `with`. The head has no processors, so that
    any node can be killed. cpus may be more than there are: they are only counted.
    """

    def __init__(self, nodes: int = 2, cpus: int = 1):
        ray = need_ray()
        if ray.is_initialized():
            raise RuntimeError("this process is connected to a cluster already: ray.shutdown()")
        from ray.cluster_utils import Cluster

        self._ray, self._cpus, self._alone = ray, cpus, ExitStack()
        self._alone.enter_context(alone())
        self._folder = tempfile.mkdtemp(prefix="ray")  # a short path, since sockets are in it
        # where Ray writes which cluster is the last: others on this machine must not find this one
        before = os.environ.get(_PLACE)
        self._alone.callback(_set, before)
        _set(self._folder)
        (Path(self._folder) / "ray").mkdir()
        self._cluster = Cluster()
        self._add(num_cpus=0, include_dashboard=False)
        self.nodes = [self.add() for _ in range(nodes)]
        ray.init(
            address=self._cluster.address, _node_ip_address=HERE, log_to_driver=False,
            logging_level="error",
        )  # fmt: skip

    def _add(self, **settings: Any) -> Any:
        return self._cluster.add_node(
            object_store_memory=STORE, node_ip_address=HERE, temp_dir=self._folder, **settings
        )

    def add(self, **environment: str) -> Any:
        """Another node; environment: variables of its processes."""
        return self._add(num_cpus=self._cpus, env_vars=environment)

    def kill(self, node: Any) -> None:
        """A node is gone, with all its processes."""
        self._cluster.remove_node(node, allow_graceful=False)

    def kill_head(self) -> None:
        """What coordinates the nodes is gone, and does not come back."""
        for process in self._cluster.head_node.all_processes["gcs_server"]:
            process.process.kill()
            process.process.wait()

    def close(self) -> None:
        """End all nodes."""
        self._ray.shutdown()
        self._cluster.shutdown()
        self._alone.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> "Trial":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()


def _set(folder: str | None) -> None:
    """Ray's folder for temporary files, in this process and those that it starts."""
    os.environ.pop(_PLACE, None)
    if folder is not None:
        os.environ[_PLACE] = folder
