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
        self.node = node
        self.reads = _names([node], ast.Load)
        self._inside: dict = {}

    def inside(self, statement):
        """(names read, names assigned, names read before they are surely assigned)"""
        known = self._inside.get(statement)
        if known is None:
            body = getattr(statement, "body", [statement])
            test = [statement.test] if hasattr(statement, "test") else []
            exposed = dict.fromkeys(_names(test, ast.Load), statement)
            _expose(body, set(), exposed)
            known = self._inside[statement] = (
                _names([statement], ast.Load), set(_names([statement], ast.Store)), exposed,
            )  # fmt: skip
        return known

    def unassigned(self, arguments):
        """{name: where it is read}, of variables that may not be assigned there."""
        assigned, exposed = _names([self.node], ast.Store), {}
        _expose(self.node.body, set(arguments), exposed)
        listed = (
            n.target.id
            for n in ast.walk(self.node)
            if isinstance(n, ast.comprehension) and isinstance(n.target, ast.Name)
        )
        for name in listed:  # there are no comprehensions, which is said elsewhere
            exposed.pop(name, None)
        return {name: where for name, where in exposed.items() if name in assigned}

    def outlives(self, name, statement):
        """Whether a name is read outside of a statement."""
        return self.reads.get(name, 0) > self.inside(statement)[0].get(name, 0)


def _expose(statements, assigned, exposed):
    """Collect names that are read before `assigned` has them, {name: where}.

    False if the end of the statements is not reached.
    """

    def read(node):
        for name in _names([node], ast.Load):
            if name not in assigned:
                exposed.setdefault(name, node)

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
                inner |= set(_names([s.target], ast.Store))
            _expose(s.body, inner, exposed)
        else:
            read(s)
            if isinstance(s, (ast.Return, ast.Break, ast.Continue)):
                return False
            assigned |= set(_names([s], ast.Store))
    return True
