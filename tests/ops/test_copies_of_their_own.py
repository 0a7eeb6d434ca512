"""Operations that leave their operand alone make a copy: no warning about it, and one where toolchains differ."""

import warnings

import numpy as np
import pytest

import pypto
from pypto import DT_FP32, DT_INT32

COLUMNS = 16


def codes(body):
    """Codes of the warnings of one call of a kernel with this body."""

    @pypto.frontend.jit
    def kernel(
        x: pypto.Tensor([8, COLUMNS], DT_FP32), i: pypto.Tensor([8], DT_INT32), out: pypto.Tensor([8, COLUMNS], DT_FP32)
    ):
        pypto.set_vec_tile_shapes(8, COLUMNS)
        body(x, i, out)

    x = np.ones((8, COLUMNS), np.float32)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        kernel(x, np.arange(8, dtype=np.int32), np.zeros_like(x))
    return [warning.message.code for warning in told]


def unused_scatter(x, i, out):
    pypto.scatter(x, 0, pypto.full([8, COLUMNS], 0, DT_INT32), 1.0)
    out[:] = x + 1.0


def unused_sum(x, i, out):
    t = x * 2.0
    pypto.index_add_ub(t, 0, i, x)
    out[:] = t


def changed_parameter(x, i, out):
    out[:] = pypto.index_add(x, 0, i, x)


def changed_and_read(x, i, out):
    t = x * 2.0
    s = pypto.index_add(t, 0, i, x)
    out[:] = s + t


def changed_and_dropped(x, i, out):
    t = x * 2.0
    out[:] = pypto.index_add(t, 0, i, t)


def changed_copy(x, i, out):
    out[:] = pypto.index_add_(pypto.clone(x), 0, i, x)


def reshaped_slice(x, i, out):
    t = pypto.reshape(x[0:4, :], [8, 8], inplace=True)
    out[:] = pypto.concat([t, t], 1)


def reshaped_result(x, i, out):
    t = pypto.reshape(x + 1.0, [4, 32], inplace=True)
    out[:] = pypto.reshape(t * 2.0, [8, COLUMNS])


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (unused_scatter, []),
        (unused_sum, []),
        (changed_parameter, ["PTO612"]),
        (changed_and_read, ["PTO612"]),
        (changed_and_dropped, []),
        (changed_copy, []),
        (reshaped_slice, ["PTO613"]),
        (reshaped_result, []),
    ],
)
def test_warnings(body, told):
    assert [code for code in codes(body) if code not in ("PTO308", "PTO413")] == told
