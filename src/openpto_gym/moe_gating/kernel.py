# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: scores of all experts, the best groups of experts, the best experts of these, and normalised weights."""

import pypto
from openpto_gym.moe_gating.gate import Gate

ROWS = 16
EPSILON = 1e-20


def scores_of(logits, gate):
    """Scores [ROWS, E] of logits."""
    if not gate.softmax:
        return pypto.sigmoid(logits)
    weights = pypto.exp(logits - pypto.amax(logits, -1, True))
    return weights / pypto.sum(weights, -1, True)


def within_groups(biased, gate, live, experts):
    """The biased scores [ROWS, E] with zeros outside of the groups that are kept."""
    size = experts // gate.groups
    pypto.set_vec_tile_shapes(ROWS, gate.groups, size)
    grouped = pypto.reshape(biased, [ROWS, gate.groups, size], valid_shape=[live, gate.groups, size])
    if gate.best_two:
        best = pypto.sum(pypto.topk(grouped, 2)[0], -1, True)
    else:
        best = pypto.amax(grouped, -1, True)
    pypto.set_vec_tile_shapes(ROWS, gate.groups)
    ranking = pypto.reshape(best, [ROWS, gate.groups], valid_shape=[live, gate.groups])
    _, kept = pypto.topk(ranking, gate.kept)
    marks = pypto.full([ROWS, gate.groups], 0.0, pypto.DT_FP32, valid_shape=[live, gate.groups])
    marks = pypto.scatter_(marks, 1, kept, 1.0)
    pypto.set_vec_tile_shapes(ROWS, gate.groups, size)
    marks = pypto.reshape(marks, [ROWS, gate.groups, 1], valid_shape=[live, gate.groups, 1])
    inside = pypto.where(pypto.gt(marks, 0.5), grouped, 0.0)
    pypto.set_vec_tile_shapes(ROWS, experts)
    return pypto.reshape(inside, [ROWS, experts], valid_shape=[live, experts])


@pypto.frontend.jit
def moe_gating(
    logits: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_FP32),
    bias: pypto.Tensor([pypto.STATIC], pypto.DT_FP32),
    weights: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_FP32),
    experts: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_INT32),
    gate: Gate,
):
    """logits [T, E], bias [E]; weights, experts [T, k], best first. The number of tokens is dynamic.

    The bias takes part in the choice, not in the weights.
    """
    tokens, count = logits.shape
    pypto.set_vec_tile_shapes(ROWS, count)
    shift = pypto.reshape(bias, [1, count])
    for t in pypto.loop(0, tokens, ROWS, name="LOOP_T", idx_name="t"):
        live = (tokens - t).min(ROWS)
        pypto.set_vec_tile_shapes(ROWS, count)
        scores = scores_of(pypto.view(logits, [ROWS, count], [t, 0], valid_shape=[live, count]), gate)
        biased = scores + shift
        if gate.groups > 1:
            biased = within_groups(biased, gate, live, count)
        _, chosen = pypto.topk(biased, gate.k)
        share = pypto.gather(scores, 1, chosen)
        share = share / (pypto.sum(share, -1, True) + EPSILON) * gate.factor
        pypto.assemble(share, [t, 0], weights)
        pypto.assemble(chosen, [t, 0], experts)
