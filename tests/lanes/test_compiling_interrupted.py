"""Ctrl-C while kernels are being compiled: nobody waits for them."""

import os
import signal
import threading
import time

import pytest

from lanewise.lanes import objects


def test_compilers_end_at_once(monkeypatch, tmp_path):
    slow = tmp_path / "compiler"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setattr(objects.sys, "executable", str(slow))
    monkeypatch.setenv("LANEWISE_CACHE_DIR", str(tmp_path))
    running = []

    def interrupt():
        while not objects._compilers:
            time.sleep(0.001)
        running.extend(objects._compilers)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    request = objects.Request("slow", lambda: "", list, None, True)
    with pytest.raises(KeyboardInterrupt):
        objects.fetch([request])
    assert running[0].wait(30) == -signal.SIGKILL
    assert not list(tmp_path.glob("*.o"))
