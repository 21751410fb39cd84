"""What scripts/ holds, as modules."""

import importlib.util
import sys
from types import ModuleType

from tests.servers import ROOT


def load_script(name: str) -> ModuleType:
    """scripts/NAME.py as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where its dataclasses look for their own module
    spec.loader.exec_module(module)
    return module
