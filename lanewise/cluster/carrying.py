"""What goes to other nodes as a pickle: models with the kernels of their users.

A module of the user's, a program's own file or a notebook cannot be imported everywhere. So a
kernel goes as the function that it is, by cloudpickle, with its source, of which it is compiled
there as here. Those of Lanewise go by their names.
"""

import inspect
import io
import linecache
import pickle
import sys
import textwrap
from collections.abc import Callable
from typing import Any

from ..errors import ClusterError
from ..lanes import Kernel


def portable(thing: Any) -> bytes:
    """A pickle of a model, or of anything, that other nodes can read."""
    import ray.cloudpickle as cloudpickle

    class Pickler(cloudpickle.CloudPickler):
        def reducer_override(self, obj: Any) -> Any:
            if isinstance(obj, Kernel) and not _is_ours(obj):
                return _kernel_again, (obj.python_function, obj.inline, obj.fused, _source(obj))
            return super().reducer_override(obj)

    file = io.BytesIO()
    try:
        Pickler(file, protocol=5).dump(thing)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise ClusterError(f"{thing!r} cannot be sent to other nodes: {error}") from error
    return file.getvalue()


def _is_ours(kernel: Kernel) -> bool:
    module = kernel.__module__ or ""
    ours = module.partition(".")[0] == __name__.partition(".")[0]
    return ours and getattr(sys.modules.get(module), kernel.__name__, None) is kernel


def _source(kernel: Kernel) -> str:
    """The lines of a kernel, at the place that they have in their file."""
    function = kernel.python_function
    try:
        lines = inspect.getsource(function)
    except OSError:
        raise ClusterError(
            f"the source of {kernel!r} cannot be found, of which other nodes would compile it: put"
            " it into a module that they can import"
        ) from None
    return "\n" * (function.__code__.co_firstlineno - 1) + textwrap.dedent(lines)


def _kernel_again(function: Callable, inline: bool, fused: bool, source: str) -> Kernel:
    """A kernel from its function, whose source is kept where the compiler looks for it."""
    code = function.__code__
    file = f"<{function.__name__}, {code.co_filename}:{code.co_firstlineno}>"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    function.__code__ = code.replace(co_filename=file)
    return Kernel(function, inline, fused)
