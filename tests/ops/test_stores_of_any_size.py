"""Updates of tensors whose size only the call tells, in loops and in parallel, as kernels write them."""

import numpy as np
import pytest

import pypto
from pypto import DT_BF16, DT_FP16, DT_FP32, DT_INT32, DT_INT64, PyptoError

pytestmark = pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
rng = np.random.default_rng(5)


@pypto.jit
def paged(
    cache: pypto.Tensor([pypto.DYNAMIC, 4, 1, 16], DT_FP16),
    slots: pypto.Tensor([pypto.DYNAMIC, 2], DT_INT64),
    new: pypto.Tensor([pypto.DYNAMIC, 2, 1, 16], DT_FP16),
):
    pypto.set_vec_tile_shapes(1, 2, 1, 16)
    for b in pypto.loop(slots.shape[0], name="batch", idx_name="b"):
        where = pypto.view(slots, [1, 2], [b, 0])
        rows = pypto.view(new, [1, 2, 1, 16], [b, 0, 0, 0])
        cache.move(pypto.scatter_update(cache, -2, where, rows))


@pytest.mark.parametrize(("blocks", "batch"), [(3, 1), (5, 4), (16, 9)])
def test_a_paged_store(blocks, batch):
    cache = rng.standard_normal((blocks, 4, 1, 16)).astype(np.float16)
    slots = rng.integers(0, blocks * 4, (batch, 2))
    new = rng.standard_normal((batch, 2, 1, 16)).astype(np.float16)
    want = cache.copy().reshape(-1, 16)
    for slot, row in zip(slots.reshape(-1), new.reshape(-1, 16)):
        want[slot] = row
    paged(cache, slots, new)
    np.testing.assert_array_equal(cache.reshape(-1, 16), want)


def test_a_slot_beyond_the_store_names_the_iteration():
    slots = np.array([[0, 1], [2, 3], [4, 12]])
    with pytest.raises(PyptoError) as caught:
        paged(np.zeros((3, 4, 1, 16), np.float16), slots, np.ones((3, 2, 1, 16), np.float16))
    error = caught.value
    assert (error.code, error.fields["value"], error.fields["extent"]) == ("PTO454", 12, 12)
    assert [(frame.index_name, frame.value) for frame in error.site.loops] == [("b", 2)]


@pypto.jit
def histogram(
    table: pypto.Tensor([pypto.DYNAMIC, 16], DT_FP32),
    ids: pypto.Tensor([pypto.DYNAMIC], DT_INT32),
    rows: pypto.Tensor([pypto.DYNAMIC, 16], DT_FP32),
):
    pypto.set_vec_tile_shapes(8, 16)
    count = ids.shape[0]
    for i in pypto.loop((count + 7) // 8):
        left = pypto.min(count - i * 8, 8)
        some = pypto.view(ids, [8], [i * 8], valid_shape=[left])
        block = pypto.view(rows, [8, 16], [i * 8, 0], valid_shape=[left, 16])
        pypto.index_put_(table, (some,), block * 2.0, accumulate=True)


@pytest.mark.parametrize("count", [1, 8, 13, 40])
def test_rows_add_up_over_ragged_blocks(count):
    table, ids = np.zeros((5, 16), np.float32), rng.integers(0, 5, count).astype(np.int32)
    rows = rng.integers(-9, 9, (count, 16)).astype(np.float32)
    want = np.zeros((5, 16))
    np.add.at(want, ids, 2.0 * rows)
    histogram(table, ids, rows)
    np.testing.assert_array_equal(table, want)


@pypto.jit
def route(
    x: pypto.Tensor([pypto.DYNAMIC, 32], DT_BF16),
    best: pypto.Tensor([pypto.DYNAMIC, 4], DT_FP32),
    experts: pypto.Tensor([pypto.DYNAMIC, 4], DT_INT32),
    loads: pypto.Tensor([1, 32], DT_FP32),
):
    for i in pypto.loop(x.shape[0], name="tokens", idx_name="t"):
        pypto.set_vec_tile_shapes(1, 32)
        weights = pypto.softmax(pypto.cast(pypto.view(x, [1, 32], [i, 0]), DT_FP32), -1)
        values, places = weights.topk(4)
        best[i : i + 1, :] = values
        experts[i : i + 1, :] = places
        pypto.set_vec_tile_shapes(4, 32)
        hot = pypto.one_hot(pypto.reshape(places, [4]), 32)
        pypto.atomic_add(pypto.sum(pypto.cast(hot, DT_FP32), 0, True), [0, 0], loads)


def test_routing_of_tokens():
    import ml_dtypes

    x = rng.permuted(np.tile(np.arange(-16, 16), (23, 1)), axis=1).astype(ml_dtypes.bfloat16)
    best, experts, loads = np.zeros((23, 4), np.float32), np.zeros((23, 4), np.int32), np.zeros((1, 32), np.float32)
    route(x, best, experts, loads)
    order = np.argsort(-x.astype(np.float64), 1, kind="stable")[:, :4]
    weights = np.exp(x.astype(np.float64))
    weights /= weights.sum(1, keepdims=True)
    np.testing.assert_array_equal(experts, order)
    np.testing.assert_allclose(best, np.take_along_axis(weights, order, 1), rtol=1e-6)
    np.testing.assert_array_equal(loads[0], np.bincount(order.reshape(-1), minlength=32))


@pypto.jit
def embed(
    table: pypto.Tensor([64, 16], DT_BF16),
    ids: pypto.Tensor([pypto.DYNAMIC, 8], DT_INT32),
    out: pypto.Tensor([pypto.DYNAMIC, 8, 16], DT_BF16),
):
    pypto.set_vec_tile_shapes(1, 8, 16)
    for b in pypto.loop(ids.shape[0], parallel=True):
        chosen = pypto.index_select(table, 0, pypto.view(ids, [1, 8], [b, 0]))
        pypto.assemble(chosen, [b, 0, 0], out)


def test_rows_of_a_table_in_parallel():
    import ml_dtypes

    table = rng.standard_normal((64, 16)).astype(ml_dtypes.bfloat16)
    ids = rng.integers(0, 64, (9, 8)).astype(np.int32)
    out = np.zeros((9, 8, 16), ml_dtypes.bfloat16)
    embed(table, ids, out)
    np.testing.assert_array_equal(out.view(np.uint16), table[ids].view(np.uint16))


@pytest.mark.parametrize("dtype", [DT_FP16, DT_BF16, DT_FP32])
def test_norm_softmax_and_variance_against_torch(dtype):
    torch = pytest.importorskip("torch")
    host = {DT_FP16: torch.float16, DT_BF16: torch.bfloat16, DT_FP32: torch.float32}[dtype]
    x = torch.from_numpy(rng.standard_normal((8, 64)).astype(np.float32)).to(host)
    gamma = torch.linspace(0.5, 2, 64).to(host)
    outs = [torch.zeros(8, 64, dtype=host) for _ in range(2)] + [torch.zeros(8, dtype=host)]

    def kernel(x, gamma, norm, soft, spread):
        pypto.set_vec_tile_shapes(8, 64)
        norm[:] = pypto.rms_norm(x, gamma)
        soft[:] = pypto.softmax(x, 1)
        spread[:] = pypto.var(x, 1)

    shapes = {"x": [8, 64], "gamma": [64], "norm": [8, 64], "soft": [8, 64], "spread": [8]}
    kernel.__annotations__.update({name: pypto.Tensor(shape, dtype) for name, shape in shapes.items()})
    pypto.jit(kernel)(x, gamma, *outs)
    wide = x.double()
    scale = torch.rsqrt((wide * wide).mean(1, keepdim=True) + 1e-6)
    wants = [wide * scale * gamma.double(), torch.softmax(wide, 1), wide.var(1)]
    unit = torch.finfo(host).eps
    for got, want in zip(outs, wants):
        torch.testing.assert_close(got.double(), want, rtol=unit * (8 if dtype is DT_FP32 else 0.51), atol=0)
