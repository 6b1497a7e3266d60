"""What runs on a node: an actor that holds one object, and does with it what it is told.

The object is made by a function, `make(model, share, *args)`, from the model and the part of the
worlds that this node has. It may be anything: its methods are called by name. So that it can be
made again elsewhere it is pickled, or it has two methods for that: `keep()` returns what there is
to keep, and `take(kept)` makes a new object the same as that one was.

What a call raises or warns of goes back in a `Report`. So an error of Ray's always means that the
actor is lost.
"""

import os
import pickle
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import ClusterError
from ..lanes import objects
from .nodes import Share


@dataclass
class Report:
    """What became of a call."""

    value: Any = None
    error: Exception | None = None
    warned: list[str] = field(default_factory=list)
    kept: bytes | None = None  # what makes the object again, as it is after the call


@dataclass(frozen=True)
class Call:
    """A call of the object's method; blocks: how many parts of its result stay where they are."""

    method: str
    args: Sequence[Any] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    nblock: int = 0


class Host:
    """The actor. There is one on each node."""

    def __init__(self) -> None:
        self._held: Any = None

    def about(self) -> dict[str, Any]:
        """What the others want to know of this process."""
        return {
            "pid": os.getpid(), "sources": objects.source_digest(),
            "machine": objects.machine_digest(),
        }  # fmt: skip

    def make(
        self, how: bytes, model: bytes | None, share: Share, kept: bytes | None, keep: bool
    ) -> Report:
        """Make the object; how: the function and its arguments; kept: the same as another was when
        that was kept."""

        def work() -> None:
            takes, content = (True, None) if kept is None else pickle.loads(kept)
            if takes:
                make, args = pickle.loads(how)
                self._held = make(None if model is None else pickle.loads(model), share, *args)
                if content is not None:
                    self._held.take(content)
            else:
                self._held = content

        return self._report(work, keep)

    def call(self, call: Call, keep: bool) -> Any:
        """Call a method of the object: a Report, and blocks if there are any. A method with blocks
        returns (value, blocks)."""
        work = lambda: getattr(self._held, call.method)(*call.args, **call.kwargs)  # noqa: E731
        report = self._report(work, keep)
        if not call.nblock:
            return report
        blocks: Sequence[Any] = [None] * call.nblock
        if report.error is None:
            report.value, blocks = report.value
        return report, *blocks

    def keep(self) -> Report:
        """What makes the object again."""
        return self._report(lambda: None, keep=True)

    def _report(self, work: Callable[[], Any], keep: bool) -> Report:
        report = Report()
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                report.value = work()
            except Exception as error:
                report.error = _portable(error)
            if keep and self._held is not None:
                try:
                    report.kept = self._kept()
                except Exception as error:
                    report.error = _portable(error)
        told = (RuntimeWarning, UserWarning)
        report.warned = [str(w.message) for w in said if issubclass(w.category, told)]
        return report

    def _kept(self) -> bytes:
        held, takes = self._held, hasattr(self._held, "keep")
        if takes:
            return pickle.dumps((True, held.keep()), protocol=5)
        import ray.cloudpickle as cloudpickle

        try:
            return cloudpickle.dumps((False, held), protocol=5)
        except Exception as error:
            name = type(held).__name__
            raise ClusterError(
                f"{name} could not be restored if its node died: it cannot be pickled ({error}),"
                " and has no methods keep() and take(kept)"
            ) from error

    # ------------------------------------------------------------------------------------- kernels

    def rehearse(self, rehearsal: Callable[[Any], None] | None, model: bytes | None) -> Report:
        """Run something small on the model: the kernels that this process has used by then."""

        def work() -> dict[str, bytes]:
            if rehearsal is not None:
                rehearsal(None if model is None else pickle.loads(model))
            return objects.used_files()

        return self._report(work, keep=False)

    def lacking(self, names: Sequence[str]) -> list[str]:
        """Those of these files of kernels that are not here."""
        return [name for name in names if not _is_here(name)]

    def hand(self, files: Mapping[str, bytes]) -> None:
        """Take files of kernels."""
        objects.hand(files)

    def compiled(self) -> list[str]:
        """The names of the kernels that this process has compiled."""
        return list(objects.COMPILED)


def _is_here(name: str) -> bool:
    try:
        return bool(objects.contents(name))
    except OSError:
        return False


def _portable(error: Exception) -> Exception:
    """The error, if another process can read it, or what it says."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
