# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: the vocabulary goes by in blocks; maximum, sum, the label's logit and the best column are kept."""

import pypto
from openpto_gym import flash
from openpto_gym.precision import widened

TOKENS = 8
COLUMNS = 1024


@pypto.frontend.jit
def cross_entropy(
    logits: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC]),
    labels: pypto.Tensor([pypto.DYNAMIC, 1], pypto.DT_INT32),
    loss: pypto.Tensor([pypto.DYNAMIC, 1], pypto.DT_FP32),
    normaliser: pypto.Tensor([pypto.DYNAMIC, 1], pypto.DT_FP32),
    best: pypto.Tensor([pypto.DYNAMIC, 1], pypto.DT_INT32),
    smoothing: float = 0.0,
    penalty: float = 0.0,
    ignored: int = -100,
):
    """logits [T, V] of a float dtype, labels [T, 1]; loss, normaliser, best [T, 1]. T and V are dynamic, V at least 1.

    normaliser is log(sum(exp(logits))), best the first column with the greatest logit. The loss of a label `ignored` is
    0.
    """
    tokens, vocabulary = logits.shape
    fp32, int32 = pypto.DT_FP32, pypto.DT_INT32
    for t in pypto.loop(0, tokens, TOKENS, name="LOOP_T", idx_name="t"):
        live = (tokens - t).min(TOKENS)
        column = [live, 1]
        pypto.set_vec_tile_shapes(TOKENS, COLUMNS)
        label = pypto.cast(pypto.view(labels, [TOKENS, 1], [t, 0], valid_shape=column), fp32)
        largest = pypto.full([TOKENS, 1], flash.LOWEST, fp32, valid_shape=column)
        total, plain, own = (pypto.full([TOKENS, 1], 0.0, fp32, valid_shape=column) for _ in range(3))
        place = pypto.full([TOKENS, 1], 0, int32, valid_shape=column)
        for v in pypto.loop(0, vocabulary, COLUMNS, name="LOOP_V", idx_name="v"):
            live_v = (vocabulary - v).min(COLUMNS)
            block = pypto.view(logits, [TOKENS, COLUMNS], [t, v], valid_shape=[live, live_v])
            block = widened(block)
            peak = pypto.amax(block, -1, True)
            here = pypto.argmax(block, -1, True) + pypto.full([TOKENS, 1], v, int32, valid_shape=column)
            place[:] = pypto.where(pypto.gt(peak, largest), here, place)
            peak = pypto.maximum(peak, largest)
            total[:] = total * pypto.exp(largest - peak) + pypto.sum(pypto.exp(block - peak), -1, True)
            largest[:] = peak
            chosen = pypto.eq(flash.positions(v, COLUMNS, live_v, 1), label)
            own[:] = own + pypto.sum(pypto.where(chosen, block, 0.0), -1, True)
            plain[:] = plain + pypto.sum(block, -1, True)
        log_sum = largest + pypto.log(total)
        value = log_sum - own * (1.0 - smoothing) + log_sum * log_sum * penalty
        if smoothing > 0.0:  # without it, columns of -inf take no part
            mean = plain / pypto.full([TOKENS, 1], vocabulary, fp32, valid_shape=column)
            value = value - mean * smoothing
        value = pypto.where(pypto.eq(label, float(ignored)), 0.0, value)
        pypto.assemble(value, [t, 0], loss)
        pypto.assemble(log_sum, [t, 0], normaliser)
        pypto.assemble(place, [t, 0], best)
