"""Process-wide configuration that steers a device's compiler and tools: checked, kept, and without effect on values."""

from __future__ import annotations

import enum
import threading
from typing import Any

from openpto._forks import opened_in_child
from openpto._records import dataclass
from openpto.diagnostics import fail, user_boundary, warn
from openpto.language.options import near

_lock = opened_in_child(threading.Lock())

_GLOBAL_DEFAULTS: dict[str, Any] = {
    "simulation.accuracy_level": 1,
    "codegen.parallel_compile": 1,
    "codegen.fixed_output_path": False,
    "codegen.force_overwrite": False,
    "host.strategy": "PVC2_OOO",
    "platform.device_platform": "",
}
_SECTIONS = ("simulation", "codegen", "host", "platform", "pass", "runtime", "verify", "debug", "operation")
_global: dict[str, Any] = {}


@user_boundary()
def set_global_config(key: str, value: Any) -> None:
    """Set a process-wide configuration key such as ``simulation.accuracy_level``; recorded only.

    Raises:
        TypeError: PTO282, a value of another type than the default's.
        ValueError: PTO280, a key of no known section.
    """
    _check_key(key)
    default = _GLOBAL_DEFAULTS.get(key)
    if default is not None and not isinstance(value, (int, bool) if isinstance(default, int) else str):
        expected = "string" if isinstance(default, str) else "int64"
        fail("PTO282", name=key, expected=expected, got=type(value).__name__)
    if key not in _GLOBAL_DEFAULTS:
        warn("PTO284", name=key)
    with _lock:
        _global[key] = value


@user_boundary()
def get_global_config(key: str) -> Any:
    """The value of a process-wide configuration key.

    Raises:
        ValueError: PTO280, the key is neither known nor set.
    """
    _check_key(key)
    if key not in _global and key not in _GLOBAL_DEFAULTS:
        fail("PTO280", name="the global configuration", group="global", key=key, near=near(key, _GLOBAL_DEFAULTS))
    return _global.get(key, _GLOBAL_DEFAULTS.get(key))


def _check_key(key: Any) -> None:
    if not isinstance(key, str):
        fail("PTO282", name="configuration key", expected="string", got=type(key).__name__)
    if key.partition(".")[0] not in _SECTIONS or "." not in key:
        fail("PTO280", name="the global configuration", group="global", key=key, near=near(key, _GLOBAL_DEFAULTS))


@dataclass(frozen=True, slots=True)
class PrintOptions:
    """How ``pass_verify_print`` shows tensors."""

    edgeitems: int = 3
    precision: int = 4
    threshold: int = 10
    linewidth: int = 10


_print_options = PrintOptions()


@user_boundary()
def set_print_options(*, edgeitems: int = 3, precision: int = 4, threshold: int = 10, linewidth: int = 10) -> None:
    """Set how ``pass_verify_print`` shows tensors.

    Raises:
        TypeError: PTO282, a value that is not an int. ValueError: PTO283, a negative one.
    """
    global _print_options
    chosen = {"edgeitems": edgeitems, "precision": precision, "threshold": threshold, "linewidth": linewidth}
    for name, value in chosen.items():
        if isinstance(value, bool) or not isinstance(value, int):
            fail("PTO282", name=name, expected="int64", got=type(value).__name__)
        if value < 0:
            fail("PTO283", name=name, expected="an int from 0", value=value)
    _print_options = PrintOptions(**chosen)


def print_options() -> PrintOptions:
    """What :func:`set_print_options` set."""
    return _print_options


class PassConfigKey(enum.Enum):
    """Switches of a compiler pass."""

    KEY_PRINT_GRAPH = "printGraph"
    KEY_DUMP_GRAPH = "dumpGraph"
    KEY_DUMP_PASS_TIME_COST = "dumpPassTimeCost"
    KEY_PRE_CHECK = "preCheck"
    KEY_POST_CHECK = "postCheck"
    KEY_DISABLE_PASS = "disablePass"
    KEY_HEALTH_CHECK = "healthCheck"


@dataclass
class PassConfigs:
    """All switches of one pass."""

    printGraph: bool = False  # noqa: N815 - names of the public API
    dumpGraph: bool = False  # noqa: N815
    dumpPassTimeCost: bool = False  # noqa: N815
    preCheck: bool = False  # noqa: N815
    postCheck: bool = False  # noqa: N815
    disablePass: bool = False  # noqa: N815
    healthCheck: bool = False  # noqa: N815


_pass_defaults: dict[PassConfigKey, bool] = {}
_pass_configs: dict[tuple[str, str, PassConfigKey], bool] = {}


@user_boundary()
def set_pass_config(strategy: str, identifier: str, key: PassConfigKey, value: bool) -> None:
    """Set one switch of the pass ``identifier`` in ``strategy``; recorded only.

    Raises:
        TypeError: PTO292, a value that is not a bool; PTO293, a key that is not a PassConfigKey.
    """
    _check_switch(key, value)
    with _lock:
        _pass_configs[strategy, identifier, key] = value


@user_boundary()
def get_pass_config(strategy: str, identifier: str, key: PassConfigKey, default: bool = False) -> bool:
    """One switch of a pass, ``default`` if it was never set."""
    _check_switch(key)
    return _pass_configs.get((strategy, identifier, key), _pass_defaults.get(key, default))


@user_boundary()
def get_pass_configs(strategy: str, identifier: str) -> PassConfigs:
    """All switches of a pass."""
    return PassConfigs(**{key.value: get_pass_config(strategy, identifier, key) for key in PassConfigKey})


@user_boundary()
def set_pass_default_config(key: PassConfigKey, value: bool) -> None:
    """Set a switch for every pass that does not set it; errors as in :func:`set_pass_config`."""
    _check_switch(key, value)
    with _lock:
        _pass_defaults[key] = value


@user_boundary()
def get_pass_default_config(key: PassConfigKey, default: bool = False) -> bool:
    """The default of a switch."""
    _check_switch(key)
    return _pass_defaults.get(key, default)


def _check_switch(key: Any, value: Any = False) -> None:
    if not isinstance(key, PassConfigKey):
        fail("PTO293", got=repr(key))
    if not isinstance(value, bool):
        fail("PTO292", got=type(value).__name__)
