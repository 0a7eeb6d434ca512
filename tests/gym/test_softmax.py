"""Row softmax of the gym beyond its cases."""

import numpy as np
import pytest

from openpto_gym.softmax import cases, row_softmax
from openpto_gym.softmax.golden import row_softmax_golden


def test_rows_sum_to_one():
    x = cases.make_input(cases.CASES[4])
    out = np.empty_like(x)
    row_softmax(x, out)
    np.testing.assert_allclose(out.astype(np.float64).sum(axis=1), 1.0, rtol=0, atol=2e-6)


def test_row_counts_share_one_compilation():
    """A DYNAMIC row count is not part of the specialisation key; a STATIC column count is."""
    rng = np.random.default_rng(0)
    outs = []
    traced = []
    for rows in (5, 64, 200):
        x = rng.standard_normal((rows, 24)).astype(np.float32)
        out = np.empty_like(x)
        row_softmax(x, out)
        traced.append(row_softmax.last_run.compiled)
        outs.append(np.abs(out - row_softmax_golden(x)).max())
    assert traced == [True, False, False]
    assert max(outs) < 1e-6
    before = row_softmax.compilations
    x = rng.standard_normal((5, 25)).astype(np.float32)
    row_softmax(x, np.empty_like(x))
    assert row_softmax.compilations == before + 1


def test_rows_behind_the_output_stay():
    """The tail writes its valid rows only: a guard behind the output array keeps its value."""
    x = np.random.default_rng(1).standard_normal((70, 16)).astype(np.float32)
    memory = np.full((128, 16), -777.0, np.float32)
    row_softmax(x, memory[:70])
    assert (memory[70:] == -777.0).all()
    np.testing.assert_allclose(memory[:70], row_softmax_golden(x), rtol=2e-6, atol=1e-9)


def test_infinities_follow_the_formula():
    x = np.zeros((3, 8), np.float32)
    x[0, 3] = np.inf
    x[1, :] = -np.inf
    x[2, 5] = -np.inf
    out = np.empty_like(x)
    row_softmax(x, out)
    with np.errstate(invalid="ignore"):
        golden = row_softmax_golden(x)
    np.testing.assert_allclose(out, golden, rtol=2e-6, atol=1e-9)
    assert np.isnan(out[0, 3])
    assert np.isnan(out[1]).all()
    assert out[2, 5] == 0.0


@pytest.mark.parametrize(("cols", "tile"), [(1, (64, 8)), (256, (64, 256)), (300, (53, 304)), (20000, (1, 16384))])
def test_tile_fits_the_reduction_limit(cols, tile):
    from openpto_gym.softmax.kernel import tile_shape

    assert tile_shape(cols) == tile
    assert tile[0] * tile[1] <= 16384
    assert tile[1] % 8 == 0
