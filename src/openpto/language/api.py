"""The complete public namespace of ``pypto``, apart from what kernels are made with (``openpto.kernel.api``)."""

from __future__ import annotations

from typing import Any, NoReturn

from openpto.diagnostics import PyptoError, PyptoWarning, user_boundary
from openpto.ir.dtypes import DataType, bytes_of
from openpto.ir.enums import (
    AtomicRMWMode,
    AtomicType,
    CachePolicy,
    CastMode,
    CompStage,
    DequantScaleRoundingMode,
    OpType,
    OutType,
    PrecisionType,
    ReduceMode,
    ReLuType,
    RunMode,
    SatStatus,
    SaturationMode,
    ScatterMode,
    StatusType,
    TileOpFormat,
    TopKAlgo,
    TransMode,
)
from openpto.ops.shared_memory import ShmemTensor

from .control import cond, is_loop_begin, is_loop_end, loop, loop_unroll
from .device_settings import (
    PassConfigKey,
    PassConfigs,
    get_global_config,
    get_pass_config,
    get_pass_configs,
    get_pass_default_config,
    set_global_config,
    set_pass_config,
    set_pass_default_config,
    set_print_options,
)
from .element import Element
from .functions import FUNCTIONS, install_methods, namespace
from .indexing import install_indexing
from .operators import install_operators
from .options import (
    get_codegen_options,
    get_debug_options,
    get_host_options,
    get_operation_options,
    get_pass_options,
    get_verify_options,
    options,
    set_codegen_options,
    set_debug_options,
    set_host_options,
    set_operation_options,
    set_options,
    set_pass_options,
    set_semantic_label,
    set_verify_options,
)
from .scopes import ConfigScope, get_current_scope, get_options_tree, reset_options
from .symbolic import SymbolicScalar, SymInt, ceildiv, sym_max, sym_min, to_sym, to_syms
from .tensor import Tensor
from .tile_shapes import (
    CubeTile,
    get_conv_tile_shapes,
    get_cube_tile_shapes,
    get_vec_tile_shapes,
    set_conv_tile_shapes,
    set_cube_tile_shapes,
    set_matrix_size,
    set_vec_tile_shapes,
)
from .verify import pass_verify_print, pass_verify_save

install_methods()
install_operators()
install_indexing()

# Other spellings

tensor = Tensor
element = Element
symbolic_scalar = SymbolicScalar
min = sym_min
max = sym_max
DYN, DYNAMIC, STATIC = StatusType.DYN, StatusType.DYNAMIC, StatusType.STATIC
ROUND_UP, ROUND_DOWN = DequantScaleRoundingMode.ROUND_UP, DequantScaleRoundingMode.ROUND_DOWN


@user_boundary()
def convert_to_element(value: Any, dtype: DataType) -> Element:
    """An Element of this dtype from a number (an Element stays)."""
    return value if isinstance(value, Element) else Element(dtype, value)


@user_boundary()
def raise_error(error: Any) -> NoReturn:
    """Raise an exception, or a RuntimeError with this text."""
    raise error if isinstance(error, BaseException) else RuntimeError(str(error))


# Namespaces: ``pypto.experimental`` and the like

experimental = namespace("experimental")
experimental.set_operation_options = set_operation_options
experimental.get_operation_options = get_operation_options
distributed = namespace("distributed")
distributed.ShmemTensor = ShmemTensor

DTYPES = dict(DataType.__members__)
FLAT = {name: function for name, function in FUNCTIONS.items() if "." not in name}
"""The functions of operations that live in ``pypto`` itself."""

globals().update(DTYPES)
globals().update(FLAT)

__all__ = [
    "DYN",
    "DYNAMIC",
    "ROUND_DOWN",
    "ROUND_UP",
    "STATIC",
    "AtomicRMWMode",
    "AtomicType",
    "CachePolicy",
    "CastMode",
    "CompStage",
    "ConfigScope",
    "CubeTile",
    "DataType",
    "DequantScaleRoundingMode",
    "Element",
    "OpType",
    "OutType",
    "PassConfigKey",
    "PassConfigs",
    "PrecisionType",
    "PyptoError",
    "PyptoWarning",
    "ReLuType",
    "ReduceMode",
    "RunMode",
    "SatStatus",
    "SaturationMode",
    "ScatterMode",
    "StatusType",
    "SymInt",
    "SymbolicScalar",
    "Tensor",
    "TileOpFormat",
    "TopKAlgo",
    "TransMode",
    "bytes_of",
    "ceildiv",
    "cond",
    "convert_to_element",
    "element",
    "get_codegen_options",
    "get_conv_tile_shapes",
    "get_cube_tile_shapes",
    "get_current_scope",
    "get_debug_options",
    "get_global_config",
    "get_host_options",
    "get_options_tree",
    "get_pass_config",
    "get_pass_configs",
    "get_pass_default_config",
    "get_pass_options",
    "get_vec_tile_shapes",
    "get_verify_options",
    "is_loop_begin",
    "is_loop_end",
    "loop",
    "loop_unroll",
    "max",
    "min",
    "options",
    "pass_verify_print",
    "pass_verify_save",
    "raise_error",
    "reset_options",
    "set_codegen_options",
    "set_conv_tile_shapes",
    "set_cube_tile_shapes",
    "set_debug_options",
    "set_global_config",
    "set_host_options",
    "set_matrix_size",
    "set_options",
    "set_pass_config",
    "set_pass_default_config",
    "set_pass_options",
    "set_print_options",
    "set_semantic_label",
    "set_vec_tile_shapes",
    "set_verify_options",
    "symbolic_scalar",
    "tensor",
    "to_sym",
    "to_syms",
]
__all__ += [*DTYPES, *FLAT]
