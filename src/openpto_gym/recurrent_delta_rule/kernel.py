# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: for every new token a state decays, is corrected towards the value and is read."""

import pypto
from openpto_gym.gated_delta_rule.kernel import l2norm


def row_of(source, token, head, width):
    """[1, width] of one token and head of a tensor [T, N, width]."""
    pypto.set_vec_tile_shapes(1, 1, width)
    window = pypto.view(source, [1, 1, width], [token, head, 0])
    return pypto.reshape(window, [1, width])


@pypto.frontend.jit
def recurrent_delta_rule(
    query: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC], pypto.DT_FP32),
    key: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC], pypto.DT_FP32),
    value: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC], pypto.DT_FP32),
    beta: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_FP32),
    gate: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC], pypto.DT_FP32),
    cu_seqlens: pypto.Tensor([pypto.DYNAMIC], pypto.DT_INT32),
    slots: pypto.Tensor([pypto.DYNAMIC], pypto.DT_INT32),
    states: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC, pypto.STATIC], pypto.DT_FP32),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC], pypto.DT_FP32),
    states_out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC, pypto.STATIC], pypto.DT_FP32),
):
    """query, key [T, Nqk, D]; value, out [T, Nv, D]; beta [T, Nv]; gate [T, Nv, 1 or D]; states [slots, Nv, D, D].

    cu_seqlens [B + 1] are prefix sums of the numbers of tokens, slots [B] say which state a sequence has. T, B and the
    number of states are dynamic.
    """
    heads, width, rates = value.shape[1], value.shape[2], gate.shape[2]
    group, sequences = heads // query.shape[1], slots.shape[0]
    for b in pypto.loop(sequences, name="LOOP_B", idx_name="b"):
        slot = slots[b]
        for head in pypto.loop(heads, name="LOOP_HEAD", idx_name="head"):
            pypto.set_vec_tile_shapes(1, 1, width, width)
            state = states[slot, head, :, :]
            for t in pypto.loop(cu_seqlens[b], cu_seqlens[b + 1], name="LOOP_T", idx_name="t"):
                q = row_of(query, t, head // group, width)
                k = row_of(key, t, head // group, width)
                v = pypto.reshape(row_of(value, t, head, width), [width, 1])
                decay = pypto.exp(row_of(gate, t, head, rates))
                pypto.set_vec_tile_shapes(width, width)
                q, k = l2norm(q) / width**0.5, l2norm(k)
                kept = state * decay
                missed = v - pypto.sum(kept * k, -1, True)
                state[:] = kept + missed * pypto.view(beta, [1, 1], [t, head]) * k
                read = pypto.sum(state * q, -1, True)
                pypto.set_vec_tile_shapes(1, 1, width)
                pypto.assemble(pypto.reshape(read, [1, 1, width]), [t, head, 0], out)
            pypto.set_vec_tile_shapes(1, 1, width, width)
            states_out[slot, head, :, :] = state
