"""Has a module imported when something of it is first used: most notebooks import pyplot, few draw while graded."""

import importlib.util
import sys
import types
from collections.abc import Callable
from typing import Any

_afterwards: dict[str, list[Callable[[], object]]] = {}


class _Deferred(types.ModuleType):
    """Looks like the module; becomes it when anything is asked of it that it does not have yet."""

    def __getattr__(self, name: str) -> Any:
        _load(self)
        return getattr(self, name)

    def __setattr__(self, name: str, value: object) -> None:
        _load(self)
        setattr(self, name, value)

    def __delattr__(self, name: str) -> None:
        _load(self)
        delattr(self, name)

    def __dir__(self) -> list[str]:
        _load(self)
        return dir(self)


def defer(name: str) -> bool:
    """Have a module imported at its first use.

    The standard library's `LazyLoader` would import it already when a second `import` statement names it.

    Args:
        name: the module; a package before what lies in it.

    Returns:
        Whether it is installed.
    """
    parent, _dot, child = name.rpartition(".")
    spec = importlib.util.find_spec(name) if not parent or parent in sys.modules else None
    if spec is None:
        return False
    module = _Deferred(name)
    named = {"__spec__": spec, "__loader__": spec.loader, "__file__": spec.origin, "__package__": spec.parent}
    vars(module).update(named)
    if spec.submodule_search_locations is not None:
        vars(module)["__path__"] = spec.submodule_search_locations
    sys.modules[name] = module
    if parent:
        vars(sys.modules[parent])[child] = module
    return True


def put_off(name: str, action: Callable[[], object]) -> bool:
    """Have something done as soon as a module is imported.

    Args:
        name: the module.
        action: what.

    Returns:
        Whether it will be; False when the module is not one that waits for its first use.
    """
    waits = type(sys.modules.get(name)) is _Deferred
    if waits:
        _afterwards.setdefault(name, []).append(action)
    return waits


def _load(module: _Deferred) -> None:
    """Run the module's code in it; one that fails is no longer there, as with any import."""
    object.__setattr__(module, "__class__", types.ModuleType)
    name = module.__name__
    try:
        module.__loader__.exec_module(module)  # type: ignore[union-attr]
    except BaseException:
        sys.modules.pop(name, None)
        raise
    for action in _afterwards.pop(name, []):
        action()
