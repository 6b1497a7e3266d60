"""Ctrl-C ends a command with one line and the status that shells expect."""

import os
import signal
import subprocess
import sys

from lanewise.cli import main
from support.places import PACKAGE


def test_one_line(monkeypatch, capsys):
    def interrupted(**given):
        raise KeyboardInterrupt

    monkeypatch.setattr("lanewise.cli.commands.doctor.command.callback", interrupted)
    assert main(["doctor"]) == 130
    assert capsys.readouterr().err.strip() == "lanewise: interrupted"


def test_a_signal_to_all_processes_of_a_terminal():
    command = "demo --model pendulum --worlds 64 --steps 100000000 --threads 2"
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "lanewise", *command.split()], cwd=PACKAGE.parent, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert "64 worlds" in process.stdout.readline()  # it is on its way
    os.killpg(process.pid, signal.SIGINT)
    _, error = process.communicate(timeout=240)
    assert process.returncode == 130, error
    assert "Traceback" not in error
    assert error.strip().splitlines()[-1] == "lanewise: interrupted"
