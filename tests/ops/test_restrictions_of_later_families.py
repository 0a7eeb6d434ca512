"""What the documentation forbids, continued: sorting pairs, random numbers."""

import numpy as np
import pytest

import pypto
from pypto import DT_FP16, DT_FP32, DT_INT32, PyptoError


def of(dtype, shape=(8, 32)):
    """A tensor of this dtype inside a kernel."""
    return pypto.full(list(shape), 1, dtype)


def drawn(shape=(8, 32), key=(1,), counter=(0, 1), alg=(1,), dtype=DT_FP32, kind="uniform"):
    return getattr(pypto, kind)(list(shape), list(key), list(counter), list(alg), dtype)


# name: (call on x FP32 [8, 32], code, words of the message)
REFUSED = {
    "sort32 of FP16": (lambda x: pypto.sort32(of(DT_FP16)), "PTO231", "FP16"),
    "sort32 of 48": (lambda x: pypto.sort32(of(DT_FP32, [8, 48])), "PTO263", "no multiple of 32"),
    "sort32 from -1": (lambda x: pypto.sort32(x, -1), "PTO268", "index must be in [0,"),
    "sort32 from 2**31": (lambda x: pypto.sort32(x, 2**31 - 40), "PTO268", "index must be in [0,"),
    "sort32 from a float": (lambda x: pypto.sort32(x, 1.0), "PTO222", "index must be an int"),
    "sort32 of rank 5": (lambda x: pypto.sort32(pypto.reshape(x, [1, 1, 1, 8, 32])), "PTO232", "5"),
    "mrgsort of FP16": (lambda x: pypto.mrgsort(of(DT_FP16), 32), "PTO231", "FP16"),
    "mrgsort of an odd axis": (lambda x: pypto.mrgsort(of(DT_FP32, [8, 31]), 32), "PTO263", "do not make pairs"),
    "mrgsort of runs of 0": (lambda x: pypto.mrgsort(x, 0), "PTO268", "mergesize must be at least 1"),
    "uniform of INT32": (lambda x: drawn(dtype=DT_INT32), "PTO231", "INT32"),
    "uniform of two keys": (lambda x: drawn(key=(1, 2)), "PTO268", "key must have 1 element, got 2"),
    "uniform of one counter": (lambda x: drawn(counter=(1,)), "PTO268", "counter must have 2 elements, got 1"),
    "uniform of algorithm 2": (lambda x: drawn(alg=(2,)), "PTO268", "alg must be [1]"),
    "uniform of no algorithm": (lambda x: drawn(alg=()), "PTO268", "alg must have 1 element, got 0"),
    "uniform of a long key": (lambda x: drawn(key=(2**64,)), "PTO268", "64 bits"),
    "uniform of a float key": (lambda x: drawn(key=(1.5,)), "PTO222", "key must be an int"),
    "uniform of rank 5": (lambda x: drawn(shape=(1, 1, 1, 8, 32)), "PTO232", "5"),
    "uniform of nothing": (lambda x: drawn(shape=(8, 0)), "PTO235", "0"),
    "normal of algorithm 0": (lambda x: drawn(alg=(0,), kind="normal"), "PTO268", "alg must be [1]"),
    "normal over its tile": (lambda x: drawn(shape=(9, 32), kind="normal"), "PTO328", "at least 9 on axis 0"),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
def test_call_is_refused(name):
    call, code, words = REFUSED[name]
    assert refusal(call, (8, 32, 32, 32), code, words) == __file__


TILES = {
    "uniform": ((8, 6), drawn, "a multiple of 4 on the last axis"),
    "normal": ((8, 16), lambda: drawn(kind="normal"), "at least 32 on axis 1"),
}


@pytest.mark.parametrize("name", TILES)
@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
def test_tile_that_does_not_suit(name):
    tile, call, words = TILES[name]
    refusal(lambda x: call(), tile, "PTO328", words)


def refusal(call, tile, code, words):
    """The file that the error of ``call`` names, which has this code and these words."""

    def kernel(x: pypto.Tensor([8, 32], DT_FP32), out: pypto.Tensor([8, 32], DT_FP32)):
        pypto.set_vec_tile_shapes(*tile)
        call(x)
        out[:] = x + 1.0

    x = np.ones((8, 32), np.float32)
    with pytest.raises(PyptoError) as caught:
        pypto.jit(kernel)(x, np.zeros_like(x))
    assert caught.value.code == code, str(caught.value)
    assert words in " ".join(str(caught.value).replace("|", " ").split())
    return caught.value.site.span.file


@pytest.mark.parametrize("kind", ["uniform", "normal"])
def test_random_numbers_need_the_newest_chip(kind):
    @pypto.frontend.jit
    def kernel(out: pypto.Tensor([8, 32], DT_FP32)):
        pypto.set_vec_tile_shapes(8, 32)
        out[:] = drawn(kind=kind)

    import openpto

    with openpto.configure(platform="910B"), pytest.raises(PyptoError, match=kind) as caught:
        kernel(np.zeros((8, 32), np.float32))
    assert caught.value.code == "PTO309"
