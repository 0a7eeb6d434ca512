"""Matrix product micro-kernels as LLVM text.

``gemm_f32(c, ldc, a, a_row, a_k, b, ldb, m, n, k)``: C[m, n] = A[m, k] B[k, n] in FP32; C and B have unit stride along
n, A any strides (in elements). Every element of C starts at +0.0 and takes one fused multiply-add per k, ascending, so
its bits do not depend on the blocking.
"""

from __future__ import annotations

from functools import cache

from .loopir import LANES

SIGNATURE = ("gemm_f32", ("ptr", "i64", "ptr", "i64", "i64", "ptr", "i64", "i64", "i64", "i64"))
_VECTOR = f"<{LANES} x float>"
_MASK = f"<{LANES} x i1>"
_FMA = f"@llvm.fma.v{LANES}f32"
_IOTA = ", ".join(f"i64 {k}" for k in range(LANES))


@cache
def module(wide: bool) -> str:
    """The module of all routines; ``wide`` for 32 vector registers of 512 bits, else 16 of 256 bits."""
    heights = (12, 4, 1) if wide else (6, 2, 1)
    widths = (2, 1) if wide else (1,)
    parts = [
        f"declare {_VECTOR} @llvm.fma.v{LANES}f32({_VECTOR}, {_VECTOR}, {_VECTOR})",
        f"declare {_VECTOR} @llvm.masked.load.v{LANES}f32.p0(ptr, i32, {_MASK}, {_VECTOR})",
        f"declare void @llvm.masked.store.v{LANES}f32.p0({_VECTOR}, ptr, i32, {_MASK})",
        "declare i64 @llvm.smin.i64(i64, i64)",
    ]
    for width in widths:
        parts += [_kernel(h, width, masked=False) for h in heights]
    parts += [_kernel(h, 1, masked=True) for h in heights]
    parts += [_panel(heights, width, masked=False) for width in widths]
    parts.append(_panel(heights, 1, masked=True))
    parts.append(_driver(widths))
    return "\n".join(parts)


def _name(kind: str, height: int, width: int, masked: bool) -> str:
    return f"{kind}_{height}_{width}{'m' if masked else ''}" if height else f"{kind}_{width}{'m' if masked else ''}"


def _kernel(height: int, width: int, masked: bool) -> str:
    """C block of ``height`` rows and ``width`` vectors, all of k, accumulators in registers."""
    mask_arg = f", {_MASK} %mask" if masked else ""
    name = _name("block", height, width, masked)
    operands = "ptr %c, i64 %ldc, ptr %a, i64 %a_row, i64 %a_k, ptr %b, i64 %ldb, i64 %k"
    lines = [
        f"define internal void @{name}({operands}{mask_arg}) noinline {{",
        "entry:",
        *(f"  %row{r} = mul i64 %a_row, {r}" for r in range(height)),
        *(f"  %arow{r} = getelementptr float, ptr %a, i64 %row{r}" for r in range(height)),
        "  %none = icmp sle i64 %k, 0",
        "  br i1 %none, label %done, label %loop",
        "loop:",
        "  %p = phi i64 [ 0, %entry ], [ %p.next, %loop ]",
        "  %aoff = phi i64 [ 0, %entry ], [ %aoff.next, %loop ]",
        "  %bp = phi ptr [ %b, %entry ], [ %bp.next, %loop ]",
    ]
    cells = [(r, v) for r in range(height) for v in range(width)]
    lines += [f"  %acc{r}_{v} = phi {_VECTOR} [ zeroinitializer, %entry ], [ %new{r}_{v}, %loop ]" for r, v in cells]
    for v in range(width):
        lines.append(f"  %bv{v}p = getelementptr float, ptr %bp, i64 {v * LANES}")
        lines.append(f"  %bv{v} = {_load(f'%bv{v}p', masked)}")
    for r in range(height):
        lines += [
            f"  %ap{r} = getelementptr float, ptr %arow{r}, i64 %aoff",
            f"  %as{r} = load float, ptr %ap{r}",
            f"  %ai{r} = insertelement {_VECTOR} poison, float %as{r}, i64 0",
            f"  %av{r} = shufflevector {_VECTOR} %ai{r}, {_VECTOR} poison, <{LANES} x i32> zeroinitializer",
        ]
        lines += [
            f"  %new{r}_{v} = call {_VECTOR} {_FMA}({_VECTOR} %av{r}, {_VECTOR} %bv{v}, {_VECTOR} %acc{r}_{v})"
            for v in range(width)
        ]
    lines += [
        "  %p.next = add i64 %p, 1",
        "  %aoff.next = add i64 %aoff, %a_k",
        "  %bp.next = getelementptr float, ptr %bp, i64 %ldb",
        "  %more = icmp slt i64 %p.next, %k",
        "  br i1 %more, label %loop, label %done",
        "done:",
    ]
    lines += [f"  %sum{r}_{v} = phi {_VECTOR} [ zeroinitializer, %entry ], [ %new{r}_{v}, %loop ]" for r, v in cells]
    for r in range(height):
        lines.append(f"  %crow{r} = mul i64 %ldc, {r}")
        for v in range(width):
            lines.append(f"  %coff{r}_{v} = add i64 %crow{r}, {v * LANES}")
            lines.append(f"  %cp{r}_{v} = getelementptr float, ptr %c, i64 %coff{r}_{v}")
            lines.append(f"  {_store(f'%sum{r}_{v}', f'%cp{r}_{v}', masked)}")
    return "\n".join([*lines, "  ret void", "}"])


def _load(address: str, masked: bool) -> str:
    if not masked:
        return f"load {_VECTOR}, ptr {address}, align 4"
    operands = f"ptr {address}, i32 4, {_MASK} %mask, {_VECTOR} zeroinitializer"
    return f"call {_VECTOR} @llvm.masked.load.v{LANES}f32.p0({operands})"


def _store(value: str, address: str, masked: bool) -> str:
    if not masked:
        return f"store {_VECTOR} {value}, ptr {address}, align 4"
    return f"call void @llvm.masked.store.v{LANES}f32.p0({_VECTOR} {value}, ptr {address}, i32 4, {_MASK} %mask)"


def _panel(heights: tuple[int, ...], width: int, masked: bool) -> str:
    """All rows of one column panel, the tallest blocks first."""
    mask_arg = f", {_MASK} %mask" if masked else ""
    mask_pass = f", {_MASK} %mask" if masked else ""
    operands = "ptr %c, i64 %ldc, ptr %a, i64 %a_row, i64 %a_k, ptr %b, i64 %ldb, i64 %m, i64 %k"
    lines = [
        f"define internal void @{_name('panel', 0, width, masked)}({operands}{mask_arg}) noinline {{",
        "entry:",
        f"  br label %head{heights[0]}",
    ]
    before, start = "entry", "0"
    for at, height in enumerate(heights):
        following = f"head{heights[at + 1]}" if at + 1 < len(heights) else "done"
        lines += [
            f"head{height}:",
            f"  %i{height} = phi i64 [ {start}, %{before} ], [ %n{height}, %body{height} ]",
            f"  %n{height} = add i64 %i{height}, {height}",
            f"  %fits{height} = icmp sle i64 %n{height}, %m",
            f"  br i1 %fits{height}, label %body{height}, label %{following}",
            f"body{height}:",
            f"  %co{height} = mul i64 %i{height}, %ldc",
            f"  %cp{height} = getelementptr float, ptr %c, i64 %co{height}",
            f"  %ao{height} = mul i64 %i{height}, %a_row",
            f"  %ap{height} = getelementptr float, ptr %a, i64 %ao{height}",
            f"  call void @{_name('block', height, width, masked)}({_block_args(height)}{mask_pass})",
            f"  br label %head{height}",
        ]
        before, start = f"head{height}", f"%i{height}"
    return "\n".join([*lines, "done:", "  ret void", "}"])


def _block_args(height: int) -> str:
    return f"ptr %cp{height}, i64 %ldc, ptr %ap{height}, i64 %a_row, i64 %a_k, ptr %b, i64 %ldb, i64 %k"


def _panel_args(tag: str) -> str:
    return f"ptr %cp{tag}, i64 %ldc, ptr %a, i64 %a_row, i64 %a_k, ptr %bp{tag}, i64 %ldb, i64 %m, i64 %k"


def _driver(widths: tuple[int, ...]) -> str:
    operands = "ptr %c, i64 %ldc, ptr %a, i64 %a_row, i64 %a_k, ptr %b, i64 %ldb, i64 %m, i64 %n, i64 %k"
    lines = [
        f"define void @gemm_f32({operands}) {{",
        "entry:",
        f"  br label %head{widths[0]}",
    ]
    before, start = "entry", "0"
    for at, width in enumerate(widths):
        following = f"head{widths[at + 1]}" if at + 1 < len(widths) else "tail"
        lines += [
            f"head{width}:",
            f"  %j{width} = phi i64 [ {start}, %{before} ], [ %n{width}, %body{width} ]",
            f"  %n{width} = add i64 %j{width}, {width * LANES}",
            f"  %fits{width} = icmp sle i64 %n{width}, %n",
            f"  br i1 %fits{width}, label %body{width}, label %{following}",
            f"body{width}:",
            f"  %cp{width} = getelementptr float, ptr %c, i64 %j{width}",
            f"  %bp{width} = getelementptr float, ptr %b, i64 %j{width}",
            f"  call void @{_name('panel', 0, width, False)}({_panel_args(str(width))})",
            f"  br label %head{width}",
        ]
        before, start = f"head{width}", f"%j{width}"
    last = widths[-1]
    return "\n".join(
        [
            *lines,
            "tail:",
            f"  %rest = sub i64 %n, %j{last}",
            "  %some = icmp sgt i64 %rest, 0",
            "  br i1 %some, label %masked, label %done",
            "masked:",
            f"  %r1 = insertelement <{LANES} x i64> poison, i64 %rest, i64 0",
            f"  %rv = shufflevector <{LANES} x i64> %r1, <{LANES} x i64> poison, <{LANES} x i32> zeroinitializer",
            f"  %mask = icmp ult <{LANES} x i64> <{_IOTA}>, %rv",
            f"  %cpm = getelementptr float, ptr %c, i64 %j{last}",
            f"  %bpm = getelementptr float, ptr %b, i64 %j{last}",
            f"  call void @panel_1m({_panel_args('m')}, {_MASK} %mask)",
            "  br label %done",
            "done:",
            "  ret void",
            "}",
        ]
    )
