"""The routines for matrix products: the reference's bits for every form, type and code path."""

import ctypes
import mmap
import sys

import ml_dtypes
import numpy as np
import pytest

import openpto
import pypto
from openpto.ir.enums import TransMode
from openpto.runtime.native import engine, gemm, jit
from openpto.runtime.native import loopir as L
from openpto.runtime.reference.epilogue import Product, product

import machine_code  # isort: skip

F32, F16, BF16, I8, I32 = pypto.DT_FP32, pypto.DT_FP16, pypto.DT_BF16, pypto.DT_INT8, pypto.DT_INT32
PATHS = [p for p in machine_code.PATHS if machine_code.runs(p)]
FORMS = [(False, False), (False, True), (True, False), (True, True)]
KINDS = {
    "f32": (F32, np.float32, TransMode.CAST_NONE),
    "f16": (F16, np.float16, TransMode.CAST_NONE),
    "bf16": (BF16, ml_dtypes.bfloat16, TransMode.CAST_NONE),
    "tf32 to even": (F32, np.float32, TransMode.CAST_RINT),
    "tf32 away": (F32, np.float32, TransMode.CAST_ROUND),
    "i8": (I8, np.int8, TransMode.CAST_NONE),
}
SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, -1e-40, 1e-44, 6e-8, 1e30, -1e30, 65504.0, 3.4e38)
SHAPES = (
    *((1, 1, 1), (2, 17, 5), (13, 33, 7), (12, 32, 16), (25, 47, 2), (5, 16, 0)),
    *((31, 15, 40), (8, 64, 33), (9, 20, 31)),
)


def elements(rng, shape, storage, special):
    """Random elements; some of them special values, or the extremes of an integer type."""
    if storage is np.int8:
        low, high = (-128, -126) if special else (-128, 128)
        return rng.integers(low, high, shape).astype(np.int8)
    x = rng.standard_normal(shape).astype(np.float32)
    if special:
        x = np.where(rng.random(shape) < 0.05, rng.choice(np.array(SPECIAL, np.float32), shape), x)
    with np.errstate(all="ignore"):
        return x.astype(storage)


def routine_result(a, b, sizes, kind, turned, path, gap=0):
    """C, computed by a routine between rows of sevens."""
    source, _, mode = KINDS[kind]
    m, n, k = sizes
    name = gemm.routine(source, mode, *turned)
    slots = [L.Slot(f"size{i}") for i in range(6)]
    whole = I32 if source is I8 else F32
    ptr = [L.Ptr(f"param{i}", 0, t) for i, t in enumerate((source, source, whole, F32))]
    call = L.Call(name, (ptr[2], slots[2], ptr[0], slots[0], ptr[1], slots[1], *slots[3:], ptr[3]))
    c = np.full((m + 1, n + 3), 7, np.int32 if source is I8 else np.float32)
    work = np.full(gemm.WORKSPACE, np.nan, np.float32)
    values = (a.shape[1], b.shape[1], n + 3, m, n, k)
    machine_code.call([call], [a, b, c, work], values, path=path, routines=(name,))
    assert (c[m:] == 7).all()
    assert (c[:, n:] == 7).all()
    return np.ascontiguousarray(c[:m, :n])


def check(rng, sizes, kind, turned, path, special=False):
    """One product against the reference; rows of the operands are further apart than they are long."""
    source, storage, mode = KINDS[kind]
    m, n, k = sizes
    extents = ((k, m) if turned[0] else (m, k)), ((n, k) if turned[1] else (k, n))
    a, b = (elements(rng, (r, c + 3), storage, special) for r, c in extents)
    got = routine_result(a, b, sizes, kind, turned, path)
    left, right = a[:, : extents[0][1]], b[:, : extents[1][1]]
    how = Product(I32 if source is I8 else F32, *turned, False, mode)
    with np.errstate(all="ignore"):
        want = product(np.ascontiguousarray(left), np.ascontiguousarray(right), how)
    same = got.view(np.uint32) == want.view(np.uint32)
    if source is not I8:
        same |= np.isnan(got) & np.isnan(want)
    assert same.all(), (sizes, kind, turned, path, np.argwhere(~same)[:3])


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_form_gives_the_bits_of_the_reference(kind, path):
    rng = np.random.default_rng(5)
    for turned in FORMS:
        for number, sizes in enumerate(SHAPES):
            check(rng, sizes, kind, turned, path, special=number % 2 == 0)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("kind", ["f32", "bf16", "i8"])
def test_operands_that_are_longer_than_a_panel(kind, path):
    """More of k, of rows and of columns than are packed at once; C is visited again."""
    rng = np.random.default_rng(6)
    per_word = 4 if kind == "i8" else 1
    for turned, sizes in zip(FORMS, ((7, 19, 1031), (200, 21, 35), (9, 550, 30), (170, 60, 40)), strict=True):
        m, n, k = sizes
        check(rng, (m, n, k * per_word + 1), kind, turned, path)


@pytest.mark.parametrize("path", PATHS)
def test_the_last_word_of_int8_may_be_incomplete(path):
    """Nothing past the end of a row takes part, whatever k leaves over."""
    rng = np.random.default_rng(12)
    for k in (61, 62, 63, 64, 127, 128, 130):
        for turned in FORMS:
            check(rng, (14, 34, k), "i8", turned, path)


def at_the_end_of_memory(x):
    """A copy that ends where a page begins that must not be touched."""
    pages = -(-x.nbytes // mmap.PAGESIZE) * mmap.PAGESIZE
    memory = mmap.mmap(-1, pages + mmap.PAGESIZE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(start + pages), mmap.PAGESIZE, 0) == 0
    copy = np.frombuffer(memory, np.uint8, x.nbytes, pages - x.nbytes).view(x.dtype).reshape(x.shape)
    copy[...] = x
    return copy


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="protects pages")
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("kind", ["f32", "bf16", "i8"])
def test_nothing_is_read_past_the_operands(kind, path):
    rng = np.random.default_rng(13)
    storage = KINDS[kind][1]
    for turned in FORMS:
        for m, n, k in ((5, 8, 16), (13, 33, 31), (12, 32, 128), (9, 20, 126), (8, 16, 63)):
            a = at_the_end_of_memory(elements(rng, (k, m) if turned[0] else (m, k), storage, False))
            b = at_the_end_of_memory(elements(rng, (n, k) if turned[1] else (k, n), storage, False))
            got = routine_result(a, b, (m, n, k), kind, turned, path)
            exact = (a.T if turned[0] else a).astype(np.float64) @ (b.T if turned[1] else b).astype(np.float64)
            assert np.allclose(got, exact, atol=1e-3)


@pytest.mark.parametrize("kind", ["f32", "f16", "i8"])
def test_random_shapes(kind):
    rng = np.random.default_rng(7)
    for number in range(8):
        m, n, k = (int(x) for x in rng.integers(1, 300, 3))
        check(rng, (m, n, k), kind, FORMS[number % 4], "native", special=number >= 4)


def test_rows_in_the_same_cache_sets():
    """Distances that are powers of two are packed, others may not be; the bits are the same."""
    rng = np.random.default_rng(8)
    for lda in (1024, 1000):
        a = rng.standard_normal((60, lda)).astype(np.float32)
        b = rng.standard_normal((20, lda)).astype(np.float32)
        got = routine_result(a, b, (60, 100, 20), "f32", (False, False), "native")
        want = product(np.ascontiguousarray(a[:, :20]), np.ascontiguousarray(b[:, :100]), Product(F32))
        assert np.array_equal(got.view(np.uint32), want.view(np.uint32))
        assert np.allclose(got, a[:, :20].astype(np.float64) @ b[:, :100], atol=1e-4)


@pytest.mark.parametrize("path", PATHS)
def test_rows_that_begin_where_cache_lines_do(path):
    """Rows of B that are read where they lie, and the same ones four bytes further on, which are packed."""
    rng = np.random.default_rng(9)
    for m, n, k in ((40, 70, 21), (150, 64, 300), (12, 33, 9)):
        raw = rng.standard_normal(k * 80 + 32).astype(np.float32)
        for shift in (0, 1):
            start = -raw.ctypes.data // 4 % 16 + shift
            a, b = elements(rng, (m, k), np.float32, False), raw[start : start + k * 80].reshape(k, 80)
            got = routine_result(a, b, (m, n, k), "f32", (False, False), path)
            want = product(a, np.ascontiguousarray(b[:, :n]), Product(F32))
            assert np.array_equal(got.view(np.uint32), want.view(np.uint32))


def test_extremes_of_int8():
    """-128 x -128 at every place: the largest sums there are."""
    for path in PATHS:
        for other in (-128, 127):
            a, b = np.full((9, 130), -128, np.int8), np.full((130, 20), other, np.int8)
            got = routine_result(a, b, (9, 20, 130), "i8", (False, False), path)
            assert (got == 130 * -128 * other).all()


def test_other_machines():
    """The text for NEON compiles to fused multiply-adds of its own vectors, without a call of the library."""
    llvm = jit.binding()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    goal = jit.Target("aarch64-unknown-linux-gnu", "neoverse-n1", "+neon", frozenset({"neon"}))
    machine = llvm.Target.from_triple(goal.triple).create_target_machine(cpu=goal.cpu, features=goal.attributes, opt=2)
    for source in (F32, F16, BF16, I8):
        texts = gemm.modules([gemm.routine(source, TransMode.CAST_NONE, False, True)], goal)
        for name, text in texts.items():
            module = llvm.parse_assembly(text)
            module.triple = goal.triple
            code = machine.emit_assembly(module)
            assert "fmaf" not in code
            if name == "gemm_block_fma":
                assert code.count("fmla") >= (6 + 4 + 2) * 4


@pypto.frontend.jit
def finished(
    a: pypto.Tensor([530, 33], BF16),
    b: pypto.Tensor([700, 33], BF16),
    bias: pypto.Tensor([1, 700], F32),
    o: pypto.Tensor([530, 700], BF16),
):
    pypto.set_cube_tile_shapes([64, 64], [64, 64], [64, 64])
    extras = {"bias_tensor": bias, "relu_type": pypto.ReLuType.RELU}
    o[:] = pypto.matmul(a, b, BF16, b_trans=True, extend_params=extras)


@pypto.frontend.jit
def scaled(
    a: pypto.Tensor([2, 40, 530], I8),
    b: pypto.Tensor([2, 40, 520], I8),
    o: pypto.Tensor([2, 530, 520], F16),
):
    pypto.set_cube_tile_shapes([64, 64], [64, 64], [64, 64])
    o[:] = pypto.matmul(a, b, F16, a_trans=True, extend_params={"scale": 0.125})


def on_both(kernel, *operands, like):
    """Results of a kernel, which must be equal bit by bit."""
    results = []
    for name in ("native", "reference"):
        o = like.copy()
        with openpto.configure(engine=name):
            kernel(*operands, o)
        results.append(o)
    assert np.array_equal(results[0].view(np.uint16), results[1].view(np.uint16))
    return results[0].astype(np.float64)


def test_blocks_of_a_large_result_are_finished_one_by_one():
    rng = np.random.default_rng(9)
    a, b = (rng.standard_normal((r, 33)).astype(ml_dtypes.bfloat16) for r in (530, 700))
    bias = rng.standard_normal((1, 700)).astype(np.float32)
    got = on_both(finished, a, b, bias, like=np.zeros((530, 700), ml_dtypes.bfloat16))
    exact = np.maximum(a.astype(np.float64) @ b.astype(np.float64).T + bias, 0)
    assert np.allclose(got, exact, rtol=2**-8, atol=1e-4)


def test_blocks_of_a_batch():
    rng = np.random.default_rng(10)
    a, b = (rng.integers(-128, 128, (2, 40, n)).astype(np.int8) for n in (530, 520))
    got = on_both(scaled, a, b, like=np.zeros((2, 530, 520), np.float16))
    exact = np.swapaxes(a, 1, 2).astype(np.int64) @ b.astype(np.int64) * 0.125
    assert np.array_equal(got, np.clip(exact, -65504, 65504).astype(np.float16).astype(np.float64))


@pypto.frontend.jit
def stored(
    x: pypto.Tensor([pypto.DYNAMIC, 24], F32),
    w: pypto.Tensor([24, 24], F32),
    o: pypto.Tensor([pypto.DYNAMIC, 40], F32),
):
    """Products that go into a window of another tensor, and into the rows that they read."""
    pypto.set_cube_tile_shapes([16, 16], [16, 16], [16, 16])
    for i in pypto.loop((x.shape[0] + 9) // 10, name="I", idx_name="i"):
        tile = pypto.view(x, [10, 24], [i * 10, 0])
        pypto.assemble(pypto.matmul(tile, w, F32), [i * 10, 7], o)
        pypto.assemble(pypto.matmul(tile, w, F32, b_trans=True), [i * 10, 0], x)


@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
def test_products_are_computed_where_they_are_stored():
    rng = np.random.default_rng(11)
    x, w = rng.standard_normal((33, 24)).astype(np.float32), rng.standard_normal((24, 24)).astype(np.float32)
    results = []
    for name in ("native", "reference"):
        mine, o = x.copy(), np.zeros((33, 40), np.float32)
        with openpto.configure(engine=name):
            stored(mine, w, o)
        results.append((mine, o))
    for native, reference in zip(*results, strict=True):
        assert np.array_equal(native.view(np.uint32), reference.view(np.uint32))
    exact = x.astype(np.float64)
    assert np.allclose(results[0][1][:, 7:31], exact @ w, atol=1e-5)
    assert np.allclose(results[0][0], exact @ w.T, atol=1e-5)
    text = engine.stage_text(stored.lower(x.copy(), w, np.zeros((33, 40), np.float32)), "loop")
    assert "reserve" not in text
    assert text.count("vector") == 1  # only the product that reads the rows it is stored to is copied
