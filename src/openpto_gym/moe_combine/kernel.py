# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: the weighted rows of a token's experts are added to its residual."""

import pypto
from openpto_gym.precision import rounded, widened
from openpto_gym.tiles import vector_tile


@pypto.frontend.jit
def moe_combine(
    rows: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    places: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_INT32),
    experts: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_INT32),
    weights: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_FP32),
    bias: pypto.Tensor([pypto.STATIC, pypto.STATIC]),
    residual: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
):
    """rows [M, H], bias [E, H], residual, out [T, H] of one float dtype; places, experts, weights [T, K].

    out[t] = residual[t] + sum over k of weights[t, k] * (rows[places[t, k]] + bias[experts[t, k]]), without the choices
    whose place is negative. Computed in FP32; T and M are dynamic.
    """
    tokens, hidden = residual.shape
    pypto.set_vec_tile_shapes(*vector_tile([1, hidden]))
    for t in pypto.loop(tokens, name="LOOP_T", idx_name="t"):
        total = widened(pypto.view(residual, [1, hidden], [t, 0]))
        for k in range(places.shape[1]):
            place = places[t, k]
            if place >= 0:
                row = widened(pypto.view(rows, [1, hidden], [place, 0]))
                shift = widened(pypto.view(bias, [1, hidden], [experts[t, k], 0]))
                total = total + (row + shift) * pypto.view(weights, [1, 1], [t, k])
        pypto.assemble(rounded(total, out.dtype), [t, 0], out)
