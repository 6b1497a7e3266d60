"""Ctrl-C at a chosen moment of a call."""

import signal

from lanewise.batch import threads


def interrupt_after(monkeypatch, slices):
    """Let the next call of a Batch be interrupted after some slices of the calling thread, the
    first of which is not counted."""
    go_on, count = threads._go_on, [0]

    def watched(worker, ended):
        work = worker.work

        def counted(address):
            count[0] += 1
            if count[0] == slices:
                signal.raise_signal(signal.SIGINT)
            return work(address)

        worker.work = counted
        try:
            return go_on(worker, ended)
        finally:
            worker.work = work

    monkeypatch.setattr(threads, "_go_on", watched)
