# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: chunks of a packed batch of sequences, one value head at a time.

Names follow the formula in README.md. Inside a chunk of L tokens every token sees the earlier ones through the decay
mask; from chunk to chunk the sequence is remembered in the state S `[Dv, Dk]`.
"""

from functools import cache

import pypto

L2_EPSILON = 1e-6
# Rows of a diagonal block that is inverted by substitution; wider blocks are merged from two halves by matmul.
LEAF = 16
CHUNKS = (16, 32, 64, 128)
# An FP32 cube tile of 128 x 128 fills L0A and L0B (64 KiB each).
MAX_WIDTH = 128


def l2norm(x):
    """Rows of x `[L, D]` scaled to length one; a row of zeros stays zero."""
    return x / pypto.sqrt(pypto.sum(x * x, -1, True) + L2_EPSILON)


def load_chunk(source, start, head, live, size, width):
    """The chunk `[size, width]` of one head of a packed tensor `[T, N, width]`, of which `live` rows are valid."""
    pypto.set_vec_tile_shapes(size, 1, width)
    block = pypto.view(source, [size, 1, width], [start, head, 0], valid_shape=[live, 1, width])
    return pypto.reshape(block, [size, width], valid_shape=[live, width])


def load_column(source, start, head, live, size):
    """The chunk `[size, 1]` of one head of a packed tensor `[T, N]`, of which `live` rows are valid."""
    return pypto.view(source, [size, 1], [start, head], valid_shape=[live, 1])


def invert_diagonal_blocks(a, eye, size):
    """The inverses of the LEAF x LEAF diagonal blocks of I - A, stacked as `[size // LEAF, LEAF, LEAF]`.

    Forward substitution, all blocks side by side: column j of A adds multiples of the finished row j to the rows below.
    """
    count = size // LEAF
    blocks = pypto.tensor([count, LEAF, LEAF], pypto.DT_FP32, "blocks")
    inverse = pypto.tensor([count, LEAF, LEAF], pypto.DT_FP32, "inverse")
    pypto.set_vec_tile_shapes(count, LEAF, LEAF)
    for b in range(count):
        low, high = b * LEAF, (b + 1) * LEAF
        blocks[b, :, :] = a[low:high, low:high]
        inverse[b, :, :] = eye[0:LEAF, 0:LEAF]
    for j in range(LEAF - 1):
        inverse = inverse + blocks[:, :, j : j + 1] * inverse[:, j : j + 1, :]
    return inverse


def invert_unit_lower(a, eye, size):
    """The inverse of I - A for a strictly lower triangular A `[size, size]`, exact but for rounding.

    Diagonal blocks first, then pairs of neighbours are merged until one block is left:
    inverse of [[P, 0], [-C, Q]] = [[P', 0], [Q' C P', Q']].
    """
    leaves = invert_diagonal_blocks(a, eye, size)
    parts = [leaves[b, :, :] for b in range(size // LEAF)]
    width = LEAF
    while len(parts) > 1:
        pypto.set_vec_tile_shapes(width, width)
        pypto.set_cube_tile_shapes([width, width], [width, width], [width, width])
        zeros = pypto.full([width, width], 0.0, pypto.DT_FP32)
        merged = []
        for b in range(0, len(parts), 2):
            upper, lower = parts[b], parts[b + 1]
            row, col = (b + 1) * width, b * width
            corner = pypto.matmul(a[row : row + width, col : col + width], upper, pypto.DT_FP32)
            corner = pypto.matmul(lower, corner, pypto.DT_FP32)
            merged.append(pypto.concat([pypto.concat([upper, zeros], 1), pypto.concat([corner, lower], 1)], 0))
        parts = merged
        width = 2 * width
    return parts[0]


def attend_chunk(q, k, v, beta, gate, state, mask, tril_mask, eye, size, width):
    """One chunk: its output `[size, width]` and the state after it `[width, width]`. Rows of zeros change nothing."""
    pypto.set_vec_tile_shapes(size, width)
    pypto.set_cube_tile_shapes([size, size], [width, width], [size, size])
    q = l2norm(q) / width**0.5
    k = l2norm(k)
    # Sums of the gates between two tokens, never differences of running sums: those cancel where the decay is strong.
    below = -mask
    decay = pypto.exp(pypto.matmul(tril_mask, below * gate, pypto.DT_FP32))
    k_beta = k * beta
    a = pypto.matmul(k_beta, k, pypto.DT_FP32, b_trans=True) * decay * mask
    inverse = invert_unit_lower(a, eye, size)

    pypto.set_vec_tile_shapes(size, width)
    pypto.set_cube_tile_shapes([size, size], [width, width], [width, width])
    gate_sum = pypto.matmul(tril_mask, gate, pypto.DT_FP32)
    gate_rest = pypto.matmul(below, gate, pypto.DT_FP32, a_trans=True)
    gate_exp = pypto.exp(gate_sum)
    u = pypto.matmul(inverse, v * beta, pypto.DT_FP32)
    w = pypto.matmul(inverse, k_beta * gate_exp, pypto.DT_FP32)
    v_new = u - pypto.matmul(w, state, pypto.DT_FP32, b_trans=True)

    scores = pypto.matmul(q, k, pypto.DT_FP32, b_trans=True) * decay * tril_mask
    remembered = pypto.matmul(q * gate_exp, state, pypto.DT_FP32, b_trans=True)
    out = remembered + pypto.matmul(scores, v_new, pypto.DT_FP32)

    gate_last = gate_sum[size - 1 : size, :]
    k_decayed = k * pypto.exp(gate_rest)
    next_state = state * pypto.exp(gate_last) + pypto.matmul(v_new, k_decayed, pypto.DT_FP32, a_trans=True)
    return out, next_state


@cache
def build_kernel(nqk, nv, d, chunk):
    """The kernel for `nqk` query/key heads, `nv` value heads, head width `d` and chunks of `chunk` tokens.

    Tokens and sequences are dynamic: one compilation serves every batch. `chunk` is 16, 32, 64 or 128, `d` a multiple
    of 16 up to 128, `nv` a multiple of `nqk` (value head h uses key head h // (nv // nqk)); ValueError otherwise.
    """
    if nv % nqk:
        raise ValueError(f"nv={nv} is not a multiple of nqk={nqk}")
    if chunk not in CHUNKS:
        raise ValueError(f"chunk={chunk} is not one of {CHUNKS}")
    if d % LEAF or not LEAF <= d <= MAX_WIDTH:
        raise ValueError(f"d={d} is not a multiple of {LEAF} from {LEAF} to {MAX_WIDTH}")
    group = nv // nqk

    @pypto.frontend.jit
    def gated_delta_rule(
        query: pypto.Tensor([pypto.DYNAMIC, nqk, d], pypto.DT_FP32),
        key: pypto.Tensor([pypto.DYNAMIC, nqk, d], pypto.DT_FP32),
        value: pypto.Tensor([pypto.DYNAMIC, nv, d], pypto.DT_FP32),
        beta: pypto.Tensor([pypto.DYNAMIC, nv], pypto.DT_FP32),
        gate: pypto.Tensor([pypto.DYNAMIC, nv], pypto.DT_FP32),
        states: pypto.Tensor([pypto.DYNAMIC, nv, d, d], pypto.DT_FP32),
        mask: pypto.Tensor([chunk, chunk], pypto.DT_FP32),
        tril_mask: pypto.Tensor([chunk, chunk], pypto.DT_FP32),
        eye: pypto.Tensor([chunk, chunk], pypto.DT_FP32),
        act_seq_len: pypto.Tensor([pypto.DYNAMIC], pypto.DT_INT32),
        core_attn_out: pypto.Tensor([pypto.DYNAMIC, nv, d], pypto.DT_FP32),
        last_state_data: pypto.Tensor([pypto.DYNAMIC, nv, d, d], pypto.DT_FP32),
    ):
        batch = states.shape[0]
        for b in pypto.loop(batch, name="LOOP_B", idx_name="b"):
            first = act_seq_len[b]
            length = act_seq_len[b + 1] - first
            for head in pypto.loop(nv, name="LOOP_HEAD", idx_name="head"):
                pypto.set_vec_tile_shapes(1, 1, d, d)
                state = states[b, head, :, :]
                for s in pypto.loop(0, length, chunk, name="LOOP_CHUNK", idx_name="s"):
                    start = first + s
                    live = (length - s).min(chunk)
                    q = load_chunk(query, start, head // group, live, chunk, d)
                    k = load_chunk(key, start, head // group, live, chunk, d)
                    v = load_chunk(value, start, head, live, chunk, d)
                    pypto.set_vec_tile_shapes(chunk, d)
                    bt = load_column(beta, start, head, live, chunk)
                    g = load_column(gate, start, head, live, chunk)
                    if pypto.is_loop_end(s):
                        q = pypto.fillpad(q, "constant", 0.0)
                        k = pypto.fillpad(k, "constant", 0.0)
                        v = pypto.fillpad(v, "constant", 0.0)
                        bt = pypto.fillpad(bt, "constant", 0.0)
                        g = pypto.fillpad(g, "constant", 0.0)
                    out, next_state = attend_chunk(q, k, v, bt, g, state, mask, tril_mask, eye, chunk, d)
                    state[:] = next_state
                    pypto.set_vec_tile_shapes(chunk, 1, d)
                    block = pypto.reshape(out, [chunk, 1, d], valid_shape=[live, 1, d])
                    pypto.assemble(block, [start, head, 0], core_attn_out)
                pypto.set_vec_tile_shapes(1, 1, d, d)
                last_state_data[b, head, :, :] = state

    return gated_delta_rule
