"""Statements with operations of single families: sorting, random numbers, paged rows, softmax states, small types,
convolutions, lanes, additions in place, microscaled groups."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING

from .program import Stmt

if TYPE_CHECKING:
    from .generate import Generator


def statement(g: Generator) -> list[Stmt]:
    """One of them."""
    return g.pick(STATEMENTS)(g)


def sorted_pairs(g: Generator) -> list[Stmt]:
    """Groups of 32 sorted, runs merged."""
    able = [n for n in g.names if n.dtype == "FP32" and n.shape[-1] % 2 == 0]
    if not able:
        return []
    a = g.pick(able)
    if a.shape[-1] % 32 or g.chance(0.4):
        return g.new(f"pypto.mrgsort({a.name}, {g.pick((1, 2, 3, 4, 32))})", "FP32", a.shape)
    first = g.pick(("", f", {g.random.randint(0, 99)}"))
    return g.new(f"pypto.sort32({a.name}{first})", "FP32", (*a.shape[:-1], 2 * a.shape[-1]))


def random_numbers(g: Generator) -> list[Stmt]:
    """Uniform and normal numbers."""
    normal = g.chance(0.5)
    shape = tuple([g.random.randint(1, 2)] * g.random.randint(0, 2) + [g.random.randint(1, 16)])
    dtype = g.pick(("FP32", "FP16", "BF16"))
    name, seed = "normal" if normal else "uniform", g.random.randint(-5, 2**64 - 1)
    return g.new(
        f"pypto.{name}({list(shape)}, [{seed}], [0, {seed // 3}], [{g.pick((1, 3))}], pypto.DT_{dtype})", dtype, shape
    )


def paged_rows(g: Generator) -> list[Stmt]:
    """Rows of a paged store, sometimes beyond a window on it."""
    able = [n for n in g.names if n.dtype in ("FP32", "FP16") and len(n.shape) == 2]
    if not able:
        return []
    a = g.pick(able)
    count, page = g.random.randint(1, 5), g.pick((1, 2, 4))
    tokens, table = g.fresh("j"), g.fresh("j")
    step = g.random.randint(0, 2)
    made = [
        Stmt(f"{tokens} = pypto.reshape(pypto.arange({count}) * {step}, [1, {count}])"),
        Stmt(f"{table} = pypto.reshape(pypto.arange(8) + {g.pick((0, 0, 0, 1, -1))}, [1, 8])"),
    ]
    rows = f"pypto.experimental.gather_in_ub({a.name}, {tokens}, {table}, {page}, -2)"
    if g.chance(0.3):
        rows = f"pypto.experimental.gather_in_l1({a.name}, {tokens}, {table}, {page}, {a.shape[1]}, True, False)"
    return made + g.new(rows, a.dtype, (count, a.shape[1]))


def softmax_states(g: Generator) -> list[Stmt]:
    """A block of scores: weights or statistics."""
    able = [n for n in g.names if n.dtype == "FP32" and len(n.shape) == 2]
    if not able:
        return []
    a = g.pick(able)
    part = g.random.randint(0, 2)
    shape = (1, a.shape[1]) if part else a.shape
    return g.new(f"pypto.experimental.online_softmax({a.name}, 0.5)[{part}]", "FP32" if part else "BF16", shape)


def small_types(g: Generator) -> list[Stmt]:
    """There and back through a type of 8 or 4 bits, and quantised integers."""
    able = [n for n in g.names if n.dtype in ("FP32", "FP16", "BF16", "INT8", "INT16")]
    if not able:
        return []
    a = g.pick(able)
    if a.dtype.startswith("INT") or (a.dtype == "FP32" and g.chance(0.3)):
        return _quantised(g, a.name, a.dtype, a.shape)
    saturate = g.pick(("", ", satmode=pypto.SaturationMode.ON"))
    if a.dtype == "BF16":
        pairs = f"pypto.cast({a.name}, pypto.DT_FP4_{g.pick(('E2M1', 'E1M2'))}X2)"
        return [] if a.shape[-1] % 2 else g.new(f"pypto.cast({pairs}, pypto.DT_BF16)", "BF16", a.shape)
    if a.dtype == "FP16":
        dtype = g.pick(("HF8", "INT4"))
        back = "FP32" if dtype == "HF8" else "FP16"
        return g.new(f"pypto.cast(pypto.cast({a.name}, pypto.DT_{dtype}{saturate}), pypto.DT_{back})", back, a.shape)
    mode = g.pick(("", ", pypto.CastMode.CAST_FLOOR", ", pypto.CastMode.CAST_ROUND", ", pypto.CastMode.CAST_TRUNC"))
    dtype = g.pick(("FP8E4M3", "FP8E5M2", "HF8"))
    return g.new(f"pypto.cast(pypto.cast({a.name}, pypto.DT_{dtype}{mode}{saturate}), pypto.DT_FP32)", "FP32", a.shape)


def _quantised(g: Generator, name: str, dtype: str, shape: tuple[int, ...]) -> list[Stmt]:
    axis = g.pick((-1, -2)) if len(shape) > 1 else -1
    at = len(shape) + axis
    rest = list(shape[:at] + shape[at + 1 :]) or [1]
    scale = f"pypto.full({rest}, {g.pick(('0.5', '-3.0', '1e9'))}, pypto.DT_FP32)"
    points = f", pypto.full({rest}, 7.5, pypto.DT_FP32)" if g.chance(0.5) else ""
    if dtype == "FP32":
        result = "UINT8" if points else "INT8"
        return g.new(f"pypto.quantize({name}, {scale}, pypto.DT_{result}, {axis}{points})", result, shape)
    return g.new(f"pypto.dequantize({name}, {scale}, pypto.DT_FP32, {axis}{points})", "FP32", shape)


def convolution(g: Generator) -> list[Stmt]:
    """A convolution in one or two dimensions, of what the names hold."""
    able = [n for n in g.names if n.dtype in ("FP32", "FP16", "BF16") and len(n.shape) in (3, 4)]
    if not able:
        return []
    x = g.pick(able)
    rank, groups = len(x.shape) - 2, g.pick([n for n in (1, 2, 4) if x.shape[1] % n == 0])
    kernel = [g.random.randint(1, 3) for _ in range(rank)]
    strides, dilations = ([g.random.randint(1, 2) for _ in range(rank)] for _ in range(2))
    pads = [g.random.randint(0, k - 1) for k in kernel for _ in range(2)]
    outer = groups * g.random.randint(1, 3)
    spatial = tuple(
        (n + pads[2 * i] + pads[2 * i + 1] - dilations[i] * (kernel[i] - 1) - 1) // strides[i] + 1
        for i, n in enumerate(x.shape[2:])
    )
    if min(spatial) < 1:
        return []
    weight = g.new(
        f"pypto.full({[outer, x.shape[1] // groups, *kernel]}, 0.5, pypto.DT_{x.dtype})", x.dtype,
        (outer, x.shape[1] // groups, *kernel),
    )  # fmt: skip
    if not weight:
        return []
    c0 = 8 if x.dtype == "FP32" else 16
    tile = f"pypto.set_conv_tile_shapes(pypto.pypto_impl.TileL1Info(1, 1, 1, 16, {c0}, {c0}, 16, 1))"
    call = (
        f"pypto.conv({x.name}, {g.names[-1].name}, pypto.DT_{x.dtype}, {strides}, {pads}, {dilations}, groups={groups})"
    )
    return [Stmt(tile), *weight, *g.new(call, x.dtype, (x.shape[0], outer, *spatial))]


def lanes(g: Generator) -> list[Stmt]:
    """Picks and merges along the last axis, and elements as bytes."""
    a = g.pick(g.names)
    *outer, last = a.shape
    kind = g.random.randrange(5)
    if kind == 0 and last % 4 == 0:
        mode = g.random.randint(1, 7)
        part = {7: 1}.get(mode, 2 if mode < 3 else 4)
        return g.new(f"pypto.gathermask({a.name}, {mode})", a.dtype, (*outer, last // part))
    alike = [n for n in g.names if n.dtype == a.dtype and n.shape == a.shape]
    if kind == 1 and last % 2 == 0:
        return g.new(f"pypto.interleave({a.name}, {g.pick(alike).name})[{g.random.randint(0, 1)}]", a.dtype, a.shape)
    if kind == 2 and last % 2 == 0:
        return g.new(f"pypto.deinterleave({a.name})[{g.random.randint(0, 1)}]", a.dtype, (*outer, last // 2))
    if kind == 3:
        size = {"FP32": 4, "INT32": 4, "INT64": 8, "INT8": 1, "UINT8": 1}.get(a.dtype, 2)
        flat = (prod(a.shape) * size,)
        return [] if a.dtype == "BOOL" else g.new(f"pypto.pack({a.name})", "UINT8", flat)
    if kind == 4 and a.dtype == "UINT8" and len(a.shape) == 1:
        dtype, size = g.pick((("FP32", 4), ("INT16", 2), ("INT32", 4), ("INT8", 1)))
        return [] if last % size else g.new(f"pypto.unpack({a.name}, pypto.DT_{dtype})", dtype, (last // size,))
    return []


def additions(g: Generator) -> list[Stmt]:
    """A block added to a tensor in place; a sum of two tensors with a factor."""
    a = g.pick(g.names)
    inside = [n for n in g.names if n.dtype == a.dtype and len(n.shape) == len(a.shape)]
    b = g.pick([n for n in inside if all(p <= q for p, q in zip(n.shape, a.shape, strict=True))])
    if g.chance(0.5):
        return [Stmt(f"pypto.atomic_add({b.name}, [{', '.join(g.offset(n) for n in b.shape)}], {a.name})")]
    if a.dtype in ("FP32", "FP16") and b.shape == a.shape:
        return [Stmt(f"pypto.axpy_({a.name}, {b.name}, {g.pick(('0.5', '-2.0', '3'))})")]
    return []


def microscaled(g: Generator) -> list[Stmt]:
    """Groups with a scale: the elements, the scales, or a product of two such tensors."""
    rows, seed = g.pick((1, 4, 16)), g.random.randint(0, 99)
    x = g.new(f"pypto.uniform([{rows}, 64], [{seed}], [0, 1], [1], pypto.DT_FP32)", "FP32", (rows, 64))
    if not x:
        return []
    mode = g.pick(("DOWN", "UP"))
    call = f"pypto.quant_mx({g.names[-1].name}, mode=pypto.ROUND_{mode}, performance_mode=False)"
    if g.chance(0.5):
        return x + g.new(f"pypto.cast({call}[0], pypto.DT_FP32)", "FP32", (rows, 64))
    q, scale = g.fresh("u"), g.fresh("u")
    made = [Stmt(f"{q} = {call}[0]"), Stmt(f"{scale} = {call}[1]")]
    tiles = [Stmt(f"pypto.set_cube_tile_shapes([16, 16], [{k}], [32, 32])") for k in ("64, 64", "32, 32")]
    product = f"pypto.scaled_mm({q}, {q}, pypto.DT_FP32, {scale}, {scale}, b_trans=True, scale_b_trans=True)"
    return [*x, *made, tiles[0], *g.new(product, "FP32", (rows, rows)), tiles[1]]


def turned_products(g: Generator) -> list[Stmt]:
    """A batched product whose batch is the second axis of the left operand."""
    able = [n for n in g.names if n.dtype in ("FP16", "BF16") and len(n.shape) == 3]
    if not able:
        return []
    a = g.pick(able)
    m, batch, k = a.shape
    b = g.new(f"pypto.full([{batch}, {k}, 16], 0.25, pypto.DT_{a.dtype})", a.dtype, (batch, k, 16))
    if not b:
        return []
    call = f"pypto.experimental.transposed_batchmatmul({a.name}, {g.names[-1].name}, pypto.DT_{a.dtype})"
    return b + g.new(call, a.dtype, (m, batch, 16))


STATEMENTS: tuple[Callable[[Generator], list[Stmt]], ...] = (
    sorted_pairs,
    random_numbers,
    paged_rows,
    softmax_states,
    small_types,
    convolution,
    lanes,
    lanes,
    additions,
    microscaled,
    turned_products,
)
