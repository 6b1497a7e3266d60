"""lanewise plan: without a picture, and what is asked of the viewer."""

import json

import pytest

from lanewise import cli
from lanewise.cli import exhibit
from lanewise.plan import tasks

SHORT = ["plan", "cartpole", "--seconds", "0.2", "--samples", "16", "--threads", "1"]


def test_it_says_what_came_of_it(capsys):
    assert cli.main(SHORT) == 0
    said = capsys.readouterr().out
    assert "cartpole, 0.2 s: 10 plans by mppi, 16 samples of 120 steps" in said
    assert "at the end: angle 2.9" in said and "plans a second on 1 thread," in said


def test_json_is_the_same_each_time(capsys):
    found = []
    for _ in range(2):
        assert cli.main([*SHORT, "--optimizer", "cem", "--noise", "0.5", "--json"]) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert found[0]["plans"] == 10 and found[0]["plans_per_second"] > 0.0
    assert found[0]["cost"] == found[1]["cost"]
    assert found[0]["measures"] == found[1]["measures"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["plan", "cartpol"], "no task 'cartpol' (did you mean 'cartpole'?)"),
        (["plan", "arm", "--optimizer", "mpi"], "no optimizer 'mpi' (did you mean 'mppi'?)"),
        (["plan", "arm", "--samples", "1"], "samples must be at least 2, got 1"),
    ],
)
def test_mistakes(arguments, words, capsys):
    assert cli.main(arguments) == 1
    assert words in capsys.readouterr().err


def test_on_a_terminal_the_viewer_opens(monkeypatch, capsys):
    from lanewise.viewer import opening

    pytest.importorskip("viser")
    monkeypatch.setattr(exhibit, "on_terminal", lambda: True)
    seen = []

    def serve(viewer):
        session = viewer.session
        frame = session.frame
        for _ in range(20):
            frame = session.wait(frame.serial, timeout=60.0)
        seen.append((session.control.plans, session.error, frame.clock))
        viewer.close()

    monkeypatch.setattr(opening, "serve", serve)
    assert cli.main(["plan", "cartpole", "--samples", "16", "--port", "0"]) == 0
    [(plans, error, clock)] = seen
    assert plans > 0 and error is None and clock > 0.0


def test_the_help_names_every_task(capsys):
    assert cli.main(["plan", "--help"]) == 0
    said = capsys.readouterr().out
    assert all(name in said for name in tasks.names())
