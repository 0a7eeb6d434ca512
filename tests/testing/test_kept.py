"""Outputs that a run leaves as they were: what passes is memory of the run, not written, with every bit."""

import numpy as np
import pytest

import pypto
from openpto.diagnostics import PyptoError
from openpto.testing import require_kept


@pypto.frontend.jit
def raised(
    x: pypto.Tensor([pypto.DYNAMIC, 32], pypto.DT_FP32),
    out: pypto.Tensor([8, 32], pypto.DT_FP32),
):
    """Row by row x + 0 into the first rows of out."""
    pypto.set_vec_tile_shapes(8, 32)
    for row in pypto.loop(x.shape[0]):
        pypto.assemble(pypto.view(x, [1, 32], [row, 0]) + 0.0, [row, 0], out)


def called(rows):
    """The output after a call with so many rows, and what it was before."""
    x, out = np.ones((rows, 32), np.float32), np.ones((8, 32), np.float32)
    before = out.copy()
    raised(x, out)
    return out, before


def refusal(*arguments, **more):
    with pytest.raises(PyptoError) as caught:
        require_kept(*arguments, **more)
    assert isinstance(caught.value, AssertionError)
    return caught.value


def test_nothing_written_and_nothing_changed():
    out, before = called(0)
    require_kept(out, before)
    require_kept(out[2:4], before[2:4])
    require_kept(out.copy(), before, run=raised.last_run)


def test_memory_that_no_run_had_is_refused():
    """A kernel that was not called leaves everything as it is."""
    out, before = called(0)
    assert refusal(before.copy(), before).code == "PTO537"
    assert refusal(out, out).code == "PTO537"
    called(0)
    assert refusal(out, before).code == "PTO537"


def test_elements_that_were_written_are_refused_even_with_the_same_bits():
    out, before = called(3)
    assert out.tobytes() == before.tobytes()
    assert "wrote 96 elements" in refusal(out, before).fields["reason"]


def test_one_bit_is_a_change():
    out, before = called(0)
    out.view(np.uint32)[5, 3] ^= 1
    found = refusal(out, before)
    assert (found.code, found.fields["reason"]) == ("PTO543", "1 of its 256 elements changed")
    out[:], before[:] = 0.0, -0.0
    assert "256 of its 256" in refusal(out, before).fields["reason"]


def test_an_empty_output_keeps_nothing():
    out, before = called(0)
    assert refusal(out[:0], before[:0]).code == "PTO543"
    assert refusal(out, before.astype(np.float64)).code == "PTO543"
    assert refusal(out, before[:4].copy()).code == "PTO543"
