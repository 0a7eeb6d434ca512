"""The questions that lead to the leaves: what do you see? An area of trouble, then a situation in it."""

from __future__ import annotations

from dataclasses import dataclass

from openpto.diagnostics import T


@dataclass(frozen=True, slots=True)
class Area:
    """One answer to "what do you see?", with the leaves that ask further, the most frequent first."""

    answer: T
    leaves: tuple[str, ...]


AREAS: tuple[Area, ...] = (
    Area(
        T("A code or a log that says too little", "只有错误码，或日志没有说明原因"),
        ("error-codes", "masked-errors"),
    ),
    Area(
        T("The decorator or the call of a kernel is refused", "kernel 的装饰器或调用被拒绝"),
        ("jit-signature", "call-arguments", "options"),
    ),
    Area(
        T("A kernel with dynamic shapes does not compile, or its tail is wrong", "动态形状无法编译，或尾块出错"),
        ("dynamic-shapes", "symbolic-tiles", "loop-bounds", "symbolic-indices", "tails", "valid-extents", "scalars"),
    ),
    Area(
        T("A message about a loop, a condition or the order of writes", "与循环、条件或写入顺序有关的报错"),
        (
            "conditions",
            "statements",
            "first-iteration",
            "loop-carried",
            "counter-does-not-grow",
            "moved-tensor",
            "read-write-cycle",
            "parallel-loops",
        ),
    ),
    Area(
        T("A message about shapes: view, assemble, reshape, slices", "与形状有关的报错：view、assemble、reshape、切片"),
        ("view-ranks", "assemble", "reshape"),
    ),
    Area(
        T("A message about tiles or on-chip memory", "与 tile 或片上存储有关的报错"),
        (
            "tile-not-set",
            "tile-rank",
            "tile-alignment",
            "ub-overflow",
            "cube-tiles",
            "cube-memory",
            "conv-tiles",
            "choosing-tiles",
        ),
    ),
    Area(
        T("A message about a matmul", "与 matmul 有关的报错"),
        ("matmul-operands", "matmul-long-axis"),
    ),
    Area(
        T("A message about another operation or its operands", "与其他操作或其操作数有关的报错"),
        ("tensor-ops", "python-operators", "casts", "scan-and-reduction", "gather-scatter"),
    ),
    Area(
        T("It runs, and the result is wrong or odd", "能运行，但结果不对或表现奇怪"),
        (
            "precision",
            "silent-output",
            "nan",
            "golden",
            "rounding",
            "precision-bisect",
            "results-change",
            "print-shows-expressions",
            "sim-mode",
            "run-mode",
            "ranks",
        ),
    ),
    Area(
        T("The toolchain or the device fails", "工具链或设备本身失败"),
        (
            "npu-launch-failures",
            "aicore-exception",
            "device-memory",
            "device-code",
            "device-timeout",
            "device-busy",
            "device-not-set",
            "driver-too-old",
            "multi-card",
            "toolchain-crash",
            "import-fails",
            "verify-build",
            "cost-model",
            "graph-capture",
        ),
    ),
    Area(
        T("It takes too long", "耗时太长"),
        ("compile-hangs", "kernel-is-slow", "engines"),
    ),
    Area(
        T("Nothing is wrong yet: writing, checking, moving to a device", "尚未出错：编写、检查、移到设备"),
        ("checklist", "targets", "common-patterns", "api-checklist", "operator-files", "examples"),
    ),
)
