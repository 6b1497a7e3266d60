"""The comparison of environments: its process, and its tables on made-up rates."""

import pytest

pytest.importorskip("gymnasium")

from bench import gym, peers
from bench.gym import Rates


def test_environments_of_lanewise_take_turns(tmp_path):
    peer = gym.start("host", "InvertedPendulum", 16, 0, tmp_path)
    try:
        answer = peers.turn(peer)
    finally:
        peers.end(peer)
    assert not peer.trouble and peer.versions.startswith("Lanewise")
    assert 0.0 < answer["inside"] < answer["seconds"]


def test_what_is_less_than_wanted_is_said():
    found = [Rates("Ant", 64, 12.0, 3.0, 2.0, 1.0, 0.05), Rates("Hopper", 64, 8.0, 3.0, 1, 2, 0.2)]
    assert found[0].gymnasium == 2.0
    rows = gym.rows(found)
    assert rows[0][4] == "4.0" and rows[0][7] == "6.0" and rows[1][8] == "20 %"
    note = gym.note(found, {"Ant, EnvPool with 64": "cannot be installed: no network"})
    assert "4 times Gymnasium: Hopper with 64." in note and "15 %: Hopper." in note
    assert note.endswith("Ant, EnvPool with 64 cannot be installed: no network.")
