"""How does a command start quickly? By leaving out what a library imports for others."""

import importlib.util
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

_UNUSED = ("pandas", "pyarrow")


class DriverWithoutPandas(MetaPathFinder):
    """Has the Neo4j driver imported as where pandas and pyarrow aren't installed, which Graph Data Science's client
    brings: a fifth of a command's time, for parameters of their types, which no command sends. They can be imported
    afterwards. For the command line only: in somebody else's process the driver is theirs as well."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The driver's own specification, with another loader; for all other modules None."""
        if fullname != "neo4j":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


class _Loader(Loader):
    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        with _hidden(_UNUSED):
            self._loader.exec_module(module)


@contextmanager
def _hidden(names: Sequence[str]) -> Iterator[None]:
    hidden = [name for name in names if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None: not to be found
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]
