"""Every key of the option dictionaries: type, range, default, and since or until when it exists.

None of these options changes a value that a kernel computes: they steer compilation and scheduling on a device. They
are checked for type and range and recorded with the nodes and in the receipt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, NoReturn

from openpto._records import dataclass
from openpto.diagnostics import fail
from openpto.ir.enums import CompStage, RunMode

INT31 = 2**31 - 1
FUNCTION_KEY = re.compile(r"func\d+_\d+\Z")
SIDES = ("left", "right", "auto")

Group = Literal["runtime", "host", "codegen", "verify", "debug", "pass", "operation"]
Check = Callable[[str, Any], Any]
"""(full name, value) -> the value to keep; refuses with PTO282 (type), PTO283 (range) or PTO290 (dictionary keys)."""


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """One key. ``legacy`` marks a key of older versions: accepted with a warning and recorded only."""

    key: str
    check: Check
    default: Any = None
    legacy: bool = False


def bad_type(name: str, expected: str, value: Any) -> NoReturn:
    """Refuse a value of the wrong type."""
    fail("PTO282", name=name, expected=expected, got=type(value).__name__)


def bad_value(name: str, expected: str, value: Any) -> NoReturn:
    """Refuse a value outside of its range."""
    fail("PTO283", name=name, expected=expected, value=repr(value))


def integer(low: int, high: int = INT31) -> Check:
    """An int (not a bool) in [low, high]; members of integer enumerations count."""

    def check(name: str, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            bad_type(name, "int64", value)
        if not low <= value <= high:
            bad_value(name, f"an int from {low} to {high}", value)
        return int(value)

    return check


def flag(name: str, value: Any) -> bool:
    """A bool, or the ints 0 and 1."""
    if not isinstance(value, int) or value not in (0, 1):
        bad_type(name, "bool", value)
    return bool(value)


def text(name: str, value: Any) -> str:
    """Any string."""
    if not isinstance(value, str):
        bad_type(name, "string", value)
    return str(value)


def choice(*allowed: str) -> Check:
    """One of a few strings."""

    def check(name: str, value: Any) -> str:
        if not isinstance(value, str):
            bad_type(name, "string", value)
        if value not in allowed:
            bad_value(name, "one of " + ", ".join(repr(a) for a in allowed), value)
        return str(value)

    return check


def names(name: str, value: Any) -> tuple[str, ...]:
    """A list of strings."""
    if not isinstance(value, (list, tuple)) or not all(isinstance(v, str) for v in value):
        bad_type(name, "list of strings", value)
    return tuple(value)


def anything(name: str, value: Any) -> Any:
    """A key of an older version whose range is not documented."""
    return value


def run_mode(name: str, value: Any) -> RunMode:
    """``RunMode.NPU``, ``RunMode.SIM``, 0 or 1."""
    if not isinstance(value, int) or isinstance(value, bool) or value not in (0, 1):
        fail("PTO297", value=repr(value))
    return RunMode(value)


def stage(name: str, value: Any) -> CompStage:
    """A ``CompStage`` or its number."""
    return CompStage(integer(0, 5)(name, value))


def tolerance(name: str, value: Any) -> tuple[float, float]:
    """[rtol, atol]; a list of another length means the default."""
    if not isinstance(value, (list, tuple)) or not all(isinstance(v, (int, float)) for v in value):
        bad_type(name, "list of two floats", value)
    return (float(value[0]), float(value[1])) if len(value) == 2 else TOLERANCE


def merge_count(name: str, value: Any) -> int:
    """How many subgraphs are merged; 0 and negative numbers occur in shipped kernels and mean automatic."""
    if isinstance(value, bool) or not isinstance(value, int):
        bad_type(name, "int", value)
    return int(value)


def reuse_count(name: str, value: Any) -> int | tuple[int, str]:
    """A count, or (count, side)."""
    if not isinstance(value, tuple):
        return merge_count(name, value)
    if len(value) != 2:
        bad_value(name, "tuple must be (count, side)", value)
    count, side = value
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count < 1_000_000:
        bad_value(name, "merge count must be an int in [1, 1000000)", value)
    if side not in SIDES:
        bad_value(name, f"side must be one of {', '.join(SIDES)}", value)
    return (int(count), str(side))


def setting(entry: Check) -> Check:
    """A dictionary from ``func<magic>_<order>``, "DEFAULT" or a semantic label (or, older, ints) to counts."""

    def check(name: str, value: Any) -> dict[Any, Any]:
        if not isinstance(value, Mapping):
            bad_type(name, "dict", value)
        for key in value:
            if isinstance(key, bool) or not isinstance(key, (int, str)):
                bad_type(f"{name}[{key!r}]", "string or int key", key)
        numbers = [k for k in value if isinstance(k, int)]
        functions = [k for k in value if isinstance(k, str) and (k == "DEFAULT" or FUNCTION_KEY.match(k))]
        if numbers and functions:
            fail("PTO290", name=name, numbers=str(numbers[0]), functions=functions[0])
        return {key: entry(f"{name}[{key!r}]", count) for key, count in value.items()}

    return check


def subgraph_scope(name: str, value: Any) -> tuple[int, bool, bool]:
    """An id, or (id, allow_parallel, allow_cross); id -1 needs both flags off."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = (value, False, False)
    if not isinstance(value, (tuple, list)):
        bad_type(name, "int64 or tuple", value)
    if len(value) != 3:
        bad_value(name, "3 values: has invalid length. Expected 3", value)
    number: int = integer(-1)(f"{name} scope_id", value[0])
    parallel, cross = (flag(name, v) for v in value[1:])
    if number == -1 and (parallel or cross):
        bad_value(name, "both flags False with id -1", value)
    return number, parallel, cross


def order_scope(name: str, value: Any) -> int:
    """-1, or 1 to 100000."""
    number: int = integer(-1, 100_000)(name, value)
    if number == 0:
        bad_value(name, "-1 or an int from 1 to 100000", value)
    return number


TOLERANCE = (1e-3, 1e-3)
PASS_FILTER = (
    "ExpandFunction", "ProcessAtomic", "L1CopyInReuseMerge", "InferDynShape", "PreGraphProcess", "InferParamIndex",
    "CodegenPreproc",
)  # fmt: skip


def _old(*keys: str, check: Check = anything) -> tuple[OptionSpec, ...]:
    return tuple(OptionSpec(key, check, legacy=True) for key in keys)


_SPECS: dict[Group, tuple[OptionSpec, ...]] = {
    "runtime": (
        OptionSpec("run_mode", run_mode),
        OptionSpec("device_sched_mode", integer(0, 3), 0),
        OptionSpec("stitch_function_max_num", integer(1, 1024), 128),
        OptionSpec("max_workspace_kb", integer(0), 0),
        OptionSpec("valid_shape_optimize", integer(0, 1), 0),
        OptionSpec("ready_on_host_tensors", names, ()),
        OptionSpec("device_sched_parallelism", integer(1, 8), 1),
        OptionSpec("launch_sched_aicpu_num", integer(-INT31), 7),
        OptionSpec("launch_early_mode", integer(0, 2)),
        *_old(
            "stitch_function_inner_memory", "stitch_function_outcast_memory", "stitch_function_num_initial",
            "stitch_function_num_step", "stitch_cfgcache_size", "stitch_function_size",
            check=integer(0),
        ),
        *_old("triple_stream_sched", check=flag),
    ),
    "host": (
        OptionSpec("compile_stage", stage, CompStage.ALL_COMPLETE),
        OptionSpec("compile_monitor_enable", integer(0, 2), 1),
        OptionSpec("compile_timeout", integer(0), 600),
        OptionSpec("compile_timeout_stage", integer(-1), 0),
        OptionSpec("compile_monitor_print_interval", integer(0), 60),
    ),
    "codegen": (
        OptionSpec("support_dynamic_aligned", flag, False),
        OptionSpec("enable_pmu_trace", flag, False),
        OptionSpec("soc_version", text, ""),
        OptionSpec("vf_options", text, ""),
    ),
    "verify": (
        OptionSpec("enable_pass_verify", flag, False),
        OptionSpec("pass_verify_save_tensor", flag, False),
        OptionSpec("pass_verify_save_tensor_dir", text, ""),
        OptionSpec("pass_verify_pass_filter", names, PASS_FILTER),
        OptionSpec("pass_verify_error_tol", tolerance, TOLERANCE),
    ),
    "debug": (
        OptionSpec("compile_debug_mode", integer(0, 2), 0),
        OptionSpec("runtime_debug_mode", integer(0, 4), 0),
        OptionSpec("dump_pass_graph", names, ()),
    ),
    "pass": (
        OptionSpec("vec_nbuffer_setting", setting(merge_count), {}),
        OptionSpec("cube_l1_reuse_setting", setting(reuse_count), {}),
        OptionSpec("cube_nbuffer_setting", setting(merge_count), {"DEFAULT": 1}),
        OptionSpec("sg_set_scope", subgraph_scope, (-1, False, False)),
        OptionSpec("auto_mix_partition", integer(0, 1), 0),
        OptionSpec("sg_set_ooo_scope", order_scope, -1),
        OptionSpec("ooo_sched_mode", choice("", "GAPMIN", "HLF"), ""),
        OptionSpec("sg_set_tunevf_mode", integer(0, 2), 0),
        OptionSpec("enable_slice", flag, False),
        *_old("pg_skip_partition", "pg_upper_bound", "pg_lower_bound", "pg_parallel_lower_bound"),
        *_old("mg_copyin_upper_bound", "mg_vec_parallel_lb"),
    ),
    "operation": (OptionSpec("combine_axis", flag, True),),
}  # fmt: skip

OPTIONS: dict[Group, dict[str, OptionSpec]] = {
    group: {spec.key: spec for spec in specs} for group, specs in _SPECS.items()
}
"""Group -> key -> what the key takes."""
