"""Libraries that adapters are for: tests need the real ones."""

import os
from importlib import import_module
from types import ModuleType

import pytest


def need(module: str) -> ModuleType:
    """A module of a library that an extra brings. Without it the test's module skips at a desk, and fails in CI."""
    try:
        return import_module(module)
    except ImportError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"{module} can't be imported ({error}); scripts/test installs it", allow_module_level=True)
