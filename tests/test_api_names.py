"""Every public name of the API exists where kernels look for it."""

from __future__ import annotations

import importlib

import pytest

import pypto
from openpto.ops.registry import OPS

JIT = "jit frontend function Function get_last_function get_current_function"
CONTROL = "loop loop_unroll cond is_loop_begin is_loop_end"
VALUES = """
    Tensor tensor Element element SymbolicScalar symbolic_scalar SymInt min max ceildiv bytes_of from_torch to_sym
    to_syms
"""
MARKS = "DYNAMIC DYN STATIC StatusType"
CONFIG = """
    set_pass_options get_pass_options set_host_options get_host_options set_codegen_options get_codegen_options
    set_verify_options get_verify_options set_debug_options get_debug_options options set_options get_current_scope
    get_options_tree reset_options set_global_config get_global_config set_print_options set_semantic_label
    set_vec_tile_shapes get_vec_tile_shapes set_cube_tile_shapes get_cube_tile_shapes set_conv_tile_shapes
    get_conv_tile_shapes set_matrix_size set_pass_config get_pass_config get_pass_configs set_pass_default_config
    get_pass_default_config ConfigScope CubeTile PassConfigs PassConfigKey CompStage
"""
RUN = "RunMode verify set_verify_golden_data pass_verify_print pass_verify_save platform PyptoError"
ENUMS = """
    DataType CastMode SaturationMode OpType OutType ReLuType TransMode ScatterMode ReduceMode AtomicType AtomicRMWMode
    CachePolicy TileOpFormat PrecisionType TopKAlgo DequantScaleRoundingMode ROUND_UP ROUND_DOWN
"""
DTYPES = """
    INT4 INT8 INT16 INT32 INT64 FP8 FP16 FP32 BF16 HF4 HF8 UINT8 UINT16 UINT32 UINT64 BOOL DOUBLE FP8E4M3 FP8E5M2
    FP8E8M0 FP4_E2M1X2 FP4_E1M2X2 FP4_E2M1 FP4_E1M2 BOTTOM
"""
NAMES = " ".join((JIT, CONTROL, VALUES, MARKS, CONFIG, RUN, ENUMS)).split() + [f"DT_{name}" for name in DTYPES.split()]
OPERATIONS = [decl.name for decl in OPS.values() if decl.public]


@pytest.mark.parametrize("name", NAMES)
def test_name_exists(name: str) -> None:
    assert hasattr(pypto, name)


@pytest.mark.parametrize("name", OPERATIONS)
def test_operation_exists(name: str) -> None:
    *path, last = name.split(".")
    assert callable(getattr(importlib.import_module(".".join(["pypto", *path])), last))


@pytest.mark.parametrize("name", ["jit", "function", "dynamic", "SymbolicScalar"])
def test_frontend_name_exists(name: str) -> None:
    assert hasattr(pypto.frontend, name)


def test_both_spellings_of_jit_are_one_object() -> None:
    assert pypto.jit is pypto.frontend.jit


@pytest.mark.parametrize(
    "name",
    [
        "distributed",
        "error",
        "experimental",
        "frontend",
        "logging",
        "operation",
        "platform",
        "runtime",
        "symbolic_scalar",
    ],
)
def test_submodules_can_be_imported(name: str) -> None:
    assert importlib.import_module(f"pypto.{name}") is getattr(pypto, name)


def test_star_import_brings_the_listed_names() -> None:
    space: dict[str, object] = {}
    exec("from pypto import *", space)
    assert set(pypto.__all__) <= set(space)
    assert not {name for name in pypto.__all__ if name.startswith("_")} - {"__version__"}


def test_listed_names_exist_once() -> None:
    assert len(pypto.__all__) == len(set(pypto.__all__))
    assert [name for name in pypto.__all__ if not hasattr(pypto, name)] == []
