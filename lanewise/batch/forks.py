"""Processes that are forked while worlds are being run.

A fork copies memory, but no thread except the one that forks. If another was in a call of a Batch,
its lock would be held in the new process for ever, and rows may be half written. So a fork waits
for running calls, though not for long. A Batch whose call goes on after that keeps running where it
was, and says in the new process that it is of no use there.
"""

import os
import threading
import time
import weakref
from typing import Any

from ..errors import LanewiseError

_PATIENCE = 1.0  # seconds that a fork waits for calls to end

_LIVE: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()


class _Held(threading.local):
    """The runners whose locks a thread has while it forks."""

    def __init__(self) -> None:
        self.runners: list[Any] = []


_held = _Held()


def watch(runner: Any) -> None:
    """Let forks wait for the calls of a runner, which has a `lock`."""
    _LIVE[id(runner)] = runner


class Torn:
    """The lock of a Batch that was copied in the middle of a call."""

    def __enter__(self) -> None:
        raise LanewiseError(
            "this Batch was in a call of another thread when the process was forked, so its worlds"
            " are not whole here: let calls end before a fork, or make a Batch in the new process"
        )

    def __exit__(self, *_: object) -> None:
        """Nobody comes this far."""


def _before() -> None:
    end = time.monotonic() + _PATIENCE
    for runner in list(_LIVE.values()):
        if not isinstance(runner.lock, Torn) and runner.lock.acquire(
            timeout=max(end - time.monotonic(), 0.0)
        ):
            _held.runners.append(runner)


def _in_parent() -> None:
    while _held.runners:
        _held.runners.pop().lock.release()


def _in_child() -> None:
    whole = {id(runner) for runner in _held.runners}
    _held.runners.clear()
    for runner in list(_LIVE.values()):
        runner.lock = threading.Lock() if id(runner) in whole else Torn()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
