"""Tests as things to be called, for the tests of tests."""

import importlib.util
from types import ModuleType

from support.places import TESTS


def called(path: str) -> ModuleType:
    """The module of a test file, named by its path in tests/; a copy of its own."""
    file = TESTS / path
    spec = importlib.util.spec_from_file_location(f"called_{file.stem}", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
