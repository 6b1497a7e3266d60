"""The comparison with other engines: its processes, and what is said of those that do not run."""

import dataclasses
import io

import pytest

from bench import peers, report
from lanewise.cli.terminal import Bar
from support.places import DOCS

OURS = ("lanewise", "mujoco.batch", "mujoco.rollout")


@pytest.fixture
def few():
    """A small case."""
    return dataclasses.replace(peers.CASES[1], nsim=9, nstep=3, settle=0.2)


def test_engines_of_this_environment_agree(few, monkeypatch):
    monkeypatch.setattr(peers, "NAMES", OURS)
    found = peers.compare(few, 2, core=0, bar=Bar(10, "x", io.StringIO()))
    for peer in found.peers:
        assert not peer.trouble and len(peer.seconds) == 2
        assert peer.apart < 1e-9 and found.microseconds(peer) > 0.0
        assert peer.versions and peer.process is None


def test_what_cannot_be_had_is_said(few, monkeypatch, tmp_path):
    def none(name):
        raise RuntimeError("No matching distribution found for it")

    monkeypatch.setattr(peers, "python_of", none)
    peer = peers.Peer("MJX")
    peers.start(peer, few, tmp_path / "states.npz", 0, {}, tmp_path)
    assert peer.trouble == "cannot be installed: No matching distribution found for it"


def test_what_does_not_run_is_said_with_its_message(few, tmp_path):
    """Here the states are missing, so the process ends with an error."""
    peer = peers.Peer("lanewise")
    peers.start(peer, few, tmp_path / "states.npz", 0, {}, tmp_path)
    peers.turn(peer)
    peers.end(peer)
    assert peer.trouble.startswith("does not run: FileNotFoundError")
    assert not peer.seconds


@pytest.fixture
def found():
    """Made-up times; one engine does not run."""
    times = {"lanewise": 1.0, "mujoco.batch": 3.0, "mujoco.rollout": 3.1, "MJX": 90.0}
    row = [peers.Peer(name, "1.0", 2.0, [us, us + 1.0], 1e-9) for name, us in times.items()]
    row.append(peers.Peer("MuJoCo Warp", trouble="does not run: no device"))
    return [peers.Compared(case, 4.0, tuple(row)) for case in peers.CASES]


def test_the_table_has_ratios_and_trouble(found):
    rows = peers.rows(found)
    assert len(rows) == 10
    assert rows[1][4] == "3.0 x" and rows[3][2] == "float32" and rows[3][4] == "90.0 x"
    assert "does not run: no device" in rows[4]
    assert "MuJoCo Warp does not run: no device." in peers.note(found)


def test_the_chart_has_every_engine(found, tmp_path):
    pytest.importorskip("matplotlib")
    peers.draw(found, tmp_path / "peers.svg")
    assert "<svg" in (tmp_path / "peers.svg").read_text()


def test_a_bench_keeps_what_was_written(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{report.PEERS[0]}\nthe table\n{report.PEERS[1]}\nafter")
    assert report.kept(report.PEERS, page) == f"{report.PEERS[0]}\nthe table\n{report.PEERS[1]}"
    page.write_text("nothing")
    assert report.kept(report.PEERS, page) == "\n".join(report.PEERS)
    assert report.PEERS[0] in (DOCS / "benchmarks.md").read_text()
