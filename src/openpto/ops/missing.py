"""Public names without a declaration of their own: not available yet (PTO902), or provided by the language itself."""

from __future__ import annotations

from .registry import Sample, elsewhere, missing
from .samples import normal

_X = {"x": normal(8, 16)}

missing("distributed.create_shmem_signal", "D", "Allocate signal-only tensor.")
missing("distributed.create_shmem_tensor", "D", "Allocate symmetric data tensor.")
missing("distributed.my_symbolic_pe", "D", "Own PE id as SymbolicScalar.")
missing("distributed.shmem_barrier_all", "D", "Group barrier.")
missing("distributed.shmem_clear_data", "D", "Zero own data.")
missing("distributed.shmem_clear_signal", "D", "Zero own signals.")
missing("distributed.shmem_get", "D", "Fetch block from a PE.")
missing("distributed.shmem_put", "D", "Send block to a PE.")
missing("distributed.shmem_signal", "D", "Set/add a signal on a PE.")
missing("distributed.shmem_view", "D", "View of a symmetric tensor.")
missing("distributed.shmem_wait_until", "D", "Wait for a signal value.")
elsewhere(
    "experimental.get_operation_options",
    "E",
    "Read operation options.",
    Sample("x * float(len(pypto.experimental.get_operation_options()) > 0)", _X, lambda x: x),
)
elsewhere(
    "experimental.set_operation_options",
    "E",
    "Set combine_axis option.",
    Sample("pypto.experimental.set_operation_options(combine_axis=True) or x * 1.0", _X, lambda x: x),
)
missing("experimental.shmem_load", "E", "Remote memory to UB.")
missing("experimental.shmem_store", "E", "UB to remote memory.")
elsewhere(
    "max",
    "V",
    "SymbolicScalar maximum.",
    Sample("x[0 : int(pypto.max(4, 8)), :] * 1.0", _X, lambda x: x),
)
elsewhere(
    "min",
    "V",
    "SymbolicScalar minimum.",
    Sample("x[0 : int(pypto.min(4, 8)), :] * 1.0", _X, lambda x: x[0:4]),
)
elsewhere(
    "pass_verify_print",
    "V",
    "Debug print in verify mode.",
    Sample("pypto.pass_verify_print(x) or x * 1.0", _X, lambda x: x),
)
elsewhere(
    "pass_verify_save",
    "V",
    "Debug dump in verify mode.",
    Sample("pypto.pass_verify_save(x, 'x') or x * 1.0", _X, lambda x: x),
)
