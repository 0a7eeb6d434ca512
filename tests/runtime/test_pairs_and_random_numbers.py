"""Sorting of pairs on cut and undefined tiles; random numbers against published vectors and moments."""

import numpy as np
import pytest

import pypto
from openpto.ops import arith
from openpto.ops.math import philox
from openpto.runtime.reference.evaluate import evaluate

pytestmark = pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
F, I = pypto.DT_FP32, pypto.DT_INT32


@pypto.frontend.jit
def cut_and_sort(x: pypto.Tensor([4, 96], F), n: pypto.Tensor([2], I), v: pypto.Tensor([4, 96], F),
                 i: pypto.Tensor([4, 96], I)):  # fmt: skip
    pypto.set_vec_tile_shapes(4, 192)
    window = pypto.view(x, [4, 96], [0, 0], valid_shape=[n[0], n[1]])
    pairs = pypto.mrgsort(pypto.sort32(window, 1000), 32)
    pypto.assemble(pypto.gathermask(pairs, 1), [0, 0], v)
    pypto.assemble(pypto.view(pypto.gathermask(pairs, 2), dtype=I), [0, 0], i)


@pytest.mark.parametrize(("rows", "columns"), [(4, 96), (3, 70), (2, 64), (4, 31), (1, 1), (0, 5), (4, 0)])
def test_valid_elements_are_sorted(rows, columns):
    x = np.random.default_rng(columns).integers(-9, 9, (4, 96)).astype(np.float32)
    v, i = np.full_like(x, 7), np.full((4, 96), -7, np.int32)
    cut_and_sort(x, np.array([rows, columns], np.int32), v, i)
    order = np.argsort(-x[:rows, :columns], -1, kind="stable")
    np.testing.assert_array_equal(v[:rows, :columns], np.take_along_axis(x[:rows, :columns], order, -1))
    np.testing.assert_array_equal(i[:rows, :columns], order + 1000)
    assert (v[rows:] == 7).all()
    assert (i[:, columns:] == -7).all()


def test_special_values_and_groups():
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([2, 64], F), out: pypto.Tensor([2, 128], F)):
        pypto.set_vec_tile_shapes(2, 128)
        out[:] = pypto.sort32(x)

    x = np.zeros((2, 64), np.float32)
    x[0, [3, 40]] = np.nan
    x[0, [5, 41]] = np.inf
    x[1, :2] = -0.0, 0.0
    out = np.zeros((2, 128), np.float32)
    kernel(x, out)
    words = out.view(np.int32)
    np.testing.assert_array_equal(words[0, 1:8:2], [3, 5, 0, 1])
    np.testing.assert_array_equal(words[0, 65:72:2], [40, 41, 32, 33])
    np.testing.assert_array_equal(words[1, 1:64:2], np.arange(32))
    assert np.isnan(out[0, 0])
    assert np.signbit(out[1, 0])


def test_runs_of_any_length_are_merged_by_four():
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([1, 60], F), out: pypto.Tensor([1, 60], F)):
        pypto.set_vec_tile_shapes(1, 64)
        out[:] = pypto.mrgsort(x, 3)

    x = np.random.default_rng(0).normal(size=(1, 60)).astype(np.float32)
    out = np.zeros_like(x)
    kernel(x, out)
    pairs = x.reshape(30, 2)
    parts = [part[np.argsort(-part[:, 0], kind="stable")] for part in (pairs[:12], pairs[12:24], pairs[24:])]
    np.testing.assert_array_equal(out.reshape(30, 2), np.concatenate(parts))


@pytest.mark.parametrize(
    ("key", "counter", "block", "want"),
    [
        (0, 0, 0, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
        # The second word of a published counter is always 0 here, so this one was made with Python integers.
        (0x0123456789ABCDEF, 0xFEDCBA9876543210, 77, None),
    ],
)
def test_words_are_those_of_philox(key, counter, block, want):
    got = evaluate(philox.word(arith.var(arith.I64), key, counter), [np.arange(4 * block, 4 * block + 4)])
    assert got.tolist() == (want or philox_of_integers(key, [block, 0, counter % 2**32, counter >> 32]))


def philox_of_integers(key, x):
    """Philox4x32-10 as published."""
    k = [key % 2**32, key >> 32]
    for _ in range(10):
        p, q = x[0] * 0xD2511F53, x[2] * 0xCD9E8D57
        x = [(q >> 32) ^ x[1] ^ k[0], q % 2**32, (p >> 32) ^ x[3] ^ k[1], p % 2**32]
        k = [(k[0] + 0x9E3779B9) % 2**32, (k[1] + 0xBB67AE85) % 2**32]
    return x


def test_the_published_rule_gives_the_published_vectors():
    ones, pi = [0xFFFFFFFF] * 4, [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344]
    assert philox_of_integers(2**64 - 1, ones) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]
    assert philox_of_integers(0x299F31D0A4093822, pi) == [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]


def test_moments_of_random_numbers():
    @pypto.frontend.jit
    def kernel(u: pypto.Tensor([64, 512], F), g: pypto.Tensor([64, 512], F)):
        pypto.set_vec_tile_shapes(8, 512)
        u[:] = pypto.uniform([64, 512], [7], [0, 3], [1], F)
        pypto.set_vec_tile_shapes(64, 512)
        g[:] = pypto.normal([64, 512], [7], [0, 3], [1], F)

    u, g = np.zeros((64, 512), np.float32), np.zeros((64, 512), np.float32)
    kernel(u, g)
    assert 0 <= u.min()
    assert u.max() < 1
    # Five standard deviations of the estimates over 32,768 numbers.
    assert abs(u.mean() - 0.5) < 5 / np.sqrt(12 * u.size)
    assert abs(u.var() - 1 / 12) < 5 / np.sqrt(180 * u.size)
    assert abs(g.mean()) < 5 / np.sqrt(g.size)
    assert abs(g.var() - 1) < 5 * np.sqrt(2 / g.size)


def test_numbers_do_not_depend_on_the_shape():
    @pypto.frontend.jit
    def kernel(a: pypto.Tensor([6, 20], F), b: pypto.Tensor([3, 4, 5], F), c: pypto.Tensor([7], F)):
        pypto.set_vec_tile_shapes(8, 32, 32)
        a[:] = pypto.uniform([6, 20], [3], [0, 9], [3], F)
        b[:] = pypto.uniform([3, 4, 5], [3], [1, 9], [1], F)
        c[:] = pypto.normal([7], [3], [0, 9], [1], F)

    a, b, c = (np.zeros(n, np.float32) for n in ((6, 20), (3, 4, 5), (7,)))
    kernel(a, b, c)
    np.testing.assert_array_equal(a.reshape(-1)[:60], b.reshape(-1))
    assert len(set(c)) == 7
