"""Compiled kernels are sent to nodes that lack them; models bring the kernels of their users."""

import numpy as np
import pytest

import lanewise as lw
from lanewise.cluster import carrying
from lanewise.lanes import JIT, objects
from support.batches import KEYFRAMES

pytest.importorskip("ray")

NSIM = 25  # sixteen, eight, and one that has a gang to itself


def compiled(batch):
    """What the process on each node had to compile, by the node's id."""
    members = batch._far.spread.members
    return {m.node.id: batch._far.spread._line.get(m.actor.compiled.remote()) for m in members}


@pytest.mark.skipif(not JIT, reason="needs the compiler")
def test_a_node_with_an_empty_cache_compiles_nothing(cluster, tmp_path):
    factor = 0.25  # of what is around it, too

    @lw.kernel
    def gain(m, d):
        return factor * d.qpos[0]

    @lw.kernel
    def drive(m, d, p):
        d.ctrl[0] = gain(m, d) + p.offset[0]

    node = cluster.add(LANEWISE_CACHE_DIR=str(tmp_path))
    try:
        m = lw.load(KEYFRAMES, control=drive, parameters={"offset": [0.1]})
        with lw.cluster.Batch(m, NSIM) as far:
            near = lw.Batch(m, NSIM, nthread=1)
            for b in (near, far):
                b.step(nstep=2)
                assert b.subtree_linvel.shape == (NSIM, m.nbody, 3)
                b.expand("body_mass")[:, 1] = np.linspace(1, 2, NSIM)
                b.parameters.expand("offset")[:, 0] = np.linspace(0, 1, NSIM)
                b.step(nstep=2)
            np.testing.assert_array_equal(far.state, near.state)
            np.testing.assert_array_equal(far.subtree_linvel, near.subtree_linvel)
            assert len(far.nodes) == 3
            assert compiled(far)[node.node_id] == []
            names = {path.name for path in tmp_path.glob("*.o")}
            assert any(name.startswith("user-") for name in names)
            assert any(name.startswith("per-world-smooth") for name in names)
    finally:
        cluster.kill(node)


def test_files_that_no_directory_takes(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("no directory")
    monkeypatch.setenv("LANEWISE_CACHE_DIR", str(blocked / "cache"))
    with pytest.raises(OSError, match="cache"):
        objects.contents("something-1.key")
    monkeypatch.setattr(objects, "_HANDED", {})
    objects.hand({"something-1.key": b"something-2.o"})
    assert objects.contents("something-1.key") == b"something-2.o"


def test_kernels_without_a_source_are_refused():
    names: dict = {"kernel": lw.kernel}
    exec("@kernel\ndef nowhere(m, d):\n    d.ctrl[0] = 1.0\n", names)
    with pytest.raises(lw.ClusterError, match="source of .*nowhere.* cannot be found"):
        carrying.portable([names["nowhere"]])


def test_what_does_not_pickle_is_refused():
    with pytest.raises(lw.ClusterError, match="cannot be sent to other nodes"):
        carrying.portable([__import__("threading").Lock()])
