"""What a kernel's source says before types are known: its tree, and which names live where."""

import ast
import functools
import inspect
import linecache
import textwrap

from ..errors import KernelError


@functools.cache
def _functions(filename, text):
    """{(name, first line): definition} of a file."""
    nodes = (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef))
    return {(n.name, min([n.lineno, *(d.lineno for d in n.decorator_list)])): n for n in nodes}


def syntax_tree(function):
    """The definition of a Python function."""
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    found = _functions(code.co_filename, "".join(lines)) if lines else {}
    node = found.get((function.__name__, code.co_firstlineno))
    if node is None:  # an editor or notebook knows better
        try:
            source = textwrap.dedent(inspect.getsource(function))
        except OSError:
            raise KernelError(
                f"the source of {function.__qualname__} cannot be found: a kernel must be defined"
                " in a file or a notebook cell"
            ) from None
        node = ast.parse(source).body[0]
        ast.increment_lineno(node, code.co_firstlineno - 1)
    return node


def _names(nodes, context):
    """How often each name is read (ast.Load) or assigned (ast.Store) in statements."""
    count: dict = {}
    for node in nodes:
        for n in ast.walk(node):
            if isinstance(n, ast.Name) and isinstance(n.ctx, context):
                count[n.id] = count.get(n.id, 0) + 1
            # x += 1 reads x, too
            target = n.target if isinstance(n, ast.AugAssign) and context is ast.Load else None
            if isinstance(target, ast.Name):
                count[target.id] = count.get(target.id, 0) + 1
    return count


class Uses:
    """What is read and assigned where, in one function; worked out once for all its types."""

    def __init__(self, node):
        self.reads = _names([node], ast.Load)
        self._inside: dict = {}

    def inside(self, statement):
        """(names read, names assigned, names read before they are surely assigned)"""
        known = self._inside.get(statement)
        if known is None:
            body = getattr(statement, "body", [statement])
            exposed = (
                set(_names([statement.test], ast.Load)) if hasattr(statement, "test") else set()
            )
            _expose(body, set(), exposed)
            known = self._inside[statement] = (
                _names([statement], ast.Load), set(_names([statement], ast.Store)), exposed,
            )  # fmt: skip
        return known

    def outlives(self, name, statement):
        """Whether a name is read outside of a statement."""
        return self.reads.get(name, 0) > self.inside(statement)[0].get(name, 0)


def _expose(statements, assigned, exposed):
    """Collect names that are read before `assigned` has them; False if the end is not reached."""

    def read(*nodes):
        exposed.update(n for n in _names(filter(None, nodes), ast.Load) if n not in assigned)

    for s in statements:
        if isinstance(s, ast.If):
            read(s.test)
            yes, no = set(assigned), set(assigned)
            goes_on = [_expose(s.body, yes, exposed), _expose(s.orelse, no, exposed)]
            both = [names for names, on in zip((yes, no), goes_on, strict=True) if on]
            if not both:
                return False
            assigned |= set.intersection(*both)
        elif isinstance(s, (ast.For, ast.While)):
            read(s.iter if isinstance(s, ast.For) else s.test)
            inner = set(assigned)
            if isinstance(s, ast.For):
                inner.add(s.target.id)
            _expose(s.body, inner, exposed)
        else:
            read(s)
            if isinstance(s, (ast.Return, ast.Break, ast.Continue)):
                return False
            assigned |= set(_names([s], ast.Store))
    return True
