"""Dynamic sizes are not part of a compilation, and tails neither read nor write behind their tensor."""

import numpy as np
import pytest

from openpto.testing import compare
from openpto_gym import registry
from openpto_gym.attention import attention
from openpto_gym.elementwise import ElementwiseCase
from openpto_gym.gelu import gelu
from openpto_gym.matmul import matmul
from openpto_gym.relu import relu, relu_backward
from openpto_gym.rms_norm import rms_norm
from openpto_gym.scale_add import scale_add
from openpto_gym.sigmoid import sigmoid
from openpto_gym.sum_lstm import run as run_lstm
from openpto_gym.sum_lstm import sum_lstm


def normal(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def call_attention(batch, tokens):
    query, key, value = normal(batch, tokens, 1, 16), normal(batch, tokens + 3, 1, 16), normal(batch, tokens + 3, 1, 16)
    attention(query, key, value, np.empty_like(query), scale=0.25)


def call_matmul(rows, cols):
    out = np.empty((rows, cols), np.float32)
    matmul(normal(rows, 8), normal(8, cols), out, depth=8)


def call_lstm(rows, _):
    run_lstm(normal(rows, 32), normal(rows, 32), normal(rows, 8))


def elementwise(kernel, tensors):
    def call(batch, tokens):
        x = normal(batch, tokens, 2, 8)
        kernel(*[x.copy() for _ in range(tensors)], np.empty_like(x))

    return call


CALLS = [
    pytest.param(scale_add, elementwise(scale_add, 2), id="scale_add"),
    pytest.param(relu, elementwise(relu, 1), id="relu"),
    pytest.param(relu_backward, elementwise(relu_backward, 2), id="relu_backward"),
    pytest.param(gelu, elementwise(gelu, 1), id="gelu"),
    pytest.param(sigmoid, elementwise(sigmoid, 1), id="sigmoid"),
    pytest.param(rms_norm, lambda rows, _: rms_norm(normal(rows, 8), normal(8), normal(rows, 8)), id="rms_norm"),
    pytest.param(matmul, call_matmul, id="matmul"),
    pytest.param(attention, call_attention, id="attention"),
    pytest.param(sum_lstm, call_lstm, id="sum_lstm"),
]


@pytest.mark.parametrize(("kernel", "call"), CALLS)
def test_one_compilation_serves_every_size(kernel, call):
    call(1, 5)
    before = kernel.compilations
    for sizes in ((2, 16), (3, 17), (1, 140), (5, 1), (130, 2)):
        call(*sizes)
    assert kernel.compilations == before


def test_rows_behind_the_output_stay():
    """The tail of a block writes its valid part only: memory behind the output keeps its value."""
    memory = np.full((1, 64, 2, 8), -777.0, np.float32)
    relu(normal(1, 19, 2, 8), memory[:, :19])
    assert (memory[:, 19:] == -777.0).all()
    corner = np.full((200, 150), -777.0, np.float32)
    matmul(normal(130, 8), normal(8, 150), corner[:130], depth=8)
    assert (corner[130:] == -777.0).all()


def test_keys_behind_the_last_one_do_not_count():
    """NaN in the memory behind the keys and values must not show."""
    query, key, value = normal(1, 20, 1, 16), normal(1, 200, 1, 16), normal(1, 200, 1, 16)
    clean, dirty = np.empty_like(query), np.empty_like(query)
    attention(query, key[:, :150], value[:, :150], clean, scale=0.25)
    key[:, 150:], value[:, 150:] = np.nan, np.nan
    attention(query, key[:, :150], value[:, :150], dirty, scale=0.25)
    assert np.array_equal(clean, dirty)


def test_a_wrong_tail_would_be_seen():
    """The cases around a block tell a kernel that drops its tail: NaN stays in the output."""
    operator = registry.load("relu")
    case = operator.case("forward_one_past_a_tile")
    assert isinstance(case, ElementwiseCase)
    inputs = operator.inputs(case)
    out = np.full_like(inputs["x"], np.nan)
    relu(inputs["x"][:1, :16], out[:1, :16])
    found = compare(out, operator.numpy(case, inputs)["out"], case.tolerance)
    assert found.not_finite == out.size - 16 * 4 * 16


def test_other_rows_do_not_change_a_row():
    """A row of sum_lstm gives the same bits alone and in a batch, whatever the pieces of the loop are."""
    states, z4, cell = normal(7, 32), normal(7, 32) * 2, normal(7, 8)
    hidden, cells = run_lstm(states, z4, cell)
    for row in range(7):
        one, other = run_lstm(states[row : row + 1], z4[row : row + 1], cell[row : row + 1])
        assert np.array_equal(one[0], hidden[row])
        assert np.array_equal(other[0], cells[row])
