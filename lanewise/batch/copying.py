"""Copies and pickles of a Batch: what there is to keep of one, and a Batch made of that.

A Batch is arrays that nobody else has, its models, and threads, which are made anew. Memory is new
as well: rows begin at cache lines, and kernels know them by their addresses.
"""

import copy
from typing import TYPE_CHECKING, Any

from .variation import Variation

if TYPE_CHECKING:
    from .batch import Batch


def contents(batch: "Batch") -> tuple[Any, ...]:
    """What it takes to make the same again. The model comes first: its pickle has the versions."""
    runner = batch._runner
    with runner.lock:
        variation = runner.variation
        how = {
            "nsim": batch.nsim, "nthread": batch._nthread, "persistent": batch.persistent,
            "fresh": batch.fresh, "cpu_ids": batch.cpu_ids, "nconmax": runner.sizes["nconmax"],
            "njmax": runner.sizes["njmax"], "grows": runner.room.grows,
        }  # fmt: skip
        fields = copy.deepcopy({
            "expanded": variation.expanded, "derived": variation.derived, "own": variation.own,
            "parameters": variation.parameters,
        })  # fmt: skip
        return (
            batch._model, batch._given, how, runner.contents(), batch._unread,
            batch._models, variation.callers, fields,
        )  # fmt: skip


def fill(batch: "Batch", kept: tuple[Any, ...]) -> None:
    """Give a new Batch what was kept of another; see `contents`."""
    kept_of_runner, unread, models, callers, fields = kept
    runner = batch._runner
    if callers is not None:
        runner.variation = Variation.of_callers(callers, runner.threads.nthread)
    runner.variation.restore(**fields)
    runner.restore(kept_of_runner)
    runner.changed()
    batch._models, batch._unread = models, unread
