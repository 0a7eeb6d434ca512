# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: chunks of 16 tokens of a packed batch; inside a chunk decays are split into factors of both tokens.

Names follow the formula in README.md.
"""

import pypto
from openpto_gym.gated_delta_rule.kernel import invert_unit_lower, l2norm, load_chunk, load_column

CHUNK = 16
"""Tokens of a chunk: the exponent of a decay, at most 16 times 5, stays inside of FP32 with both signs."""


def attend_chunk(q, k, v, beta, gate, state, mask, tril_mask, eye, width):
    """One chunk: its output [CHUNK, width] and the state after it. Rows of zeros change nothing."""
    fp32 = pypto.DT_FP32
    pypto.set_vec_tile_shapes(CHUNK, width)
    pypto.set_cube_tile_shapes([CHUNK, CHUNK], [CHUNK, width], [width, width])
    q, k = l2norm(q) / width**0.5, l2norm(k)
    total = pypto.matmul(tril_mask, gate, fp32)
    rest = pypto.matmul(-mask, gate, fp32, a_trans=True)
    grown = k * pypto.exp(-total)
    decay = pypto.exp(total)
    q_now, k_beta = q * decay, k * beta
    k_now = k_beta * decay

    pypto.set_cube_tile_shapes([CHUNK, CHUNK], [width, width], [CHUNK, CHUNK])
    a = pypto.matmul(k_now, grown, fp32, b_trans=True) * mask
    scores = pypto.matmul(q_now, grown, fp32, b_trans=True) * tril_mask
    inverse = invert_unit_lower(a, eye, CHUNK)

    pypto.set_vec_tile_shapes(CHUNK, width)
    pypto.set_cube_tile_shapes([CHUNK, CHUNK], [CHUNK, width], [width, width])
    u, w = pypto.matmul(inverse, v * beta, fp32), pypto.matmul(inverse, k_now, fp32)
    v_new = u - pypto.matmul(w, state, fp32, b_trans=True)
    out = pypto.matmul(q_now, state, fp32, b_trans=True) + pypto.matmul(scores, v_new, fp32)

    kept = state * pypto.exp(total[CHUNK - 1 : CHUNK, :])
    return out, kept + pypto.matmul(v_new, k * pypto.exp(rest), fp32, a_trans=True)


@pypto.frontend.jit
def kimi_delta_attention(
    query: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC], pypto.DT_FP32),
    key: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC], pypto.DT_FP32),
    value: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC], pypto.DT_FP32),
    beta: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_FP32),
    gate: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC], pypto.DT_FP32),
    states: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC, pypto.STATIC], pypto.DT_FP32),
    mask: pypto.Tensor([CHUNK, CHUNK], pypto.DT_FP32),
    tril_mask: pypto.Tensor([CHUNK, CHUNK], pypto.DT_FP32),
    eye: pypto.Tensor([CHUNK, CHUNK], pypto.DT_FP32),
    cu_seqlens: pypto.Tensor([pypto.DYNAMIC], pypto.DT_INT32),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC], pypto.DT_FP32),
    states_out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC, pypto.STATIC], pypto.DT_FP32),
):
    """query, key, value, gate, out [T, N, D]; beta [T, N]; states [B, N, D, D]; helper matrices as in README.md.

    cu_seqlens [B + 1] are prefix sums of the lengths. T and B are dynamic; gates are from -5 to 0.
    """
    heads, width = value.shape[1], value.shape[2]
    for b in pypto.loop(states.shape[0], name="LOOP_B", idx_name="b"):
        first = cu_seqlens[b]
        length = cu_seqlens[b + 1] - first
        for head in pypto.loop(heads, name="LOOP_HEAD", idx_name="head"):
            pypto.set_vec_tile_shapes(1, 1, width, width)
            state = states[b, head, :, :]
            for s in pypto.loop(0, length, CHUNK, name="LOOP_CHUNK", idx_name="s"):
                start = first + s
                live = (length - s).min(CHUNK)
                parts = [load_chunk(source, start, head, live, CHUNK, width) for source in (query, key, value, gate)]
                pypto.set_vec_tile_shapes(CHUNK, width)
                parts.append(load_column(beta, start, head, live, CHUNK))
                if pypto.is_loop_end(s):
                    parts = [pypto.fillpad(part, "constant", 0.0) for part in parts]
                q, k, v, g, bt = parts
                result, next_state = attend_chunk(q, k, v, bt, g, state, mask, tril_mask, eye, width)
                state[:] = next_state
                pypto.set_vec_tile_shapes(CHUNK, 1, width)
                block = pypto.reshape(result, [CHUNK, 1, width], valid_shape=[live, 1, width])
                pypto.assemble(block, [start, head, 0], out)
            pypto.set_vec_tile_shapes(1, 1, width, width)
            states_out[b, head, :, :] = state
