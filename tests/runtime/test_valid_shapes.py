"""Valid extents decided on run-time sizes (docs/contract.md)."""

import numpy as np
import pytest

from openpto.diagnostics import PyptoWarning
from openpto.ir import expr as ex
from openpto.ir.dtypes import DataType

F32, I32 = DataType.DT_FP32, DataType.DT_INT32
rng = np.random.default_rng(11)


def setup(p, *lengths, rows=8, columns=16):
    x = rng.standard_normal((rows, columns)).astype(np.float32)
    out = np.full((rows, columns), -777, np.float32)
    n = p.param("n", np.array(lengths, np.int32))
    return x, out, p.param("x", x), p.param("o", out), [p.read(n, k) for k in range(len(lengths))]


def test_pointwise_takes_the_least_extent_and_warns(p):
    x, out, a, o, (n, m) = setup(p, 5, 3)
    left = p.view(a, [8, 16], [0, 0], valid_shape=[n, 16])
    right = p.view(a, [8, 16], [0, 0], valid_shape=[m, 16])
    p.move(p.add(left, right), o)
    with pytest.warns(PyptoWarning, match="first operand"):
        report = p.run()
    assert [w.code for w in report.warnings] == ["PTO432"]
    np.testing.assert_array_equal(out[:3], 2 * x[:3])
    assert (out[3:] == -777).all()


def test_a_broadcast_operand_does_not_cut(p):
    x, out, a, o, (n,) = setup(p, 5)
    left = p.view(a, [8, 16], [0, 0], valid_shape=[n, 16])
    row = p.view(a, [1, 16], [2, 0])
    p.move(p.add(left, row), o)
    assert p.run().warnings == ()
    np.testing.assert_array_equal(out[:5], x[:5] + x[2])


@pytest.mark.parametrize("length", [0, 1, 7])
@pytest.mark.parametrize("op", ["sum", "amax", "amin"])
def test_reductions_run_over_the_valid_extent(p, op, length):
    x, out, a, o, (n,) = setup(p, length)
    window = p.view(a, [8, 16], [0, 0], valid_shape=[8, n])
    p.store(getattr(p, op)(window, 1, True), (0, 0), o)
    p.run()
    identity = {"sum": 0.0, "amax": -np.inf, "amin": np.inf}[op]
    want = getattr(np, op)(x[:, :length].astype(np.float64), 1) if length else np.full(8, identity)
    np.testing.assert_allclose(out[:, 0], want, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(("op", "want"), [("amax", -(2**31)), ("amin", 2**31 - 1), ("sum", 0)])
def test_integer_identities_of_an_empty_axis(p, op, want):
    x, out = np.ones((8, 16), np.int32), np.full((8, 1), 7, np.int32)
    a, o, n = p.param("x", x), p.param("o", out), p.param("n", np.zeros(1, np.int32))
    window = p.view(a, [8, 16], [0, 0], valid_shape=[8, p.read(n, 0)])
    p.move(getattr(p, op)(window, 1, True), o)
    p.run()
    assert (out == want).all()


def test_rows_without_elements_are_not_stored(p):
    x, out, a, o, (n,) = setup(p, 3)
    window = p.view(a, [8, 16], [0, 0], valid_shape=[n, 16])
    p.store(p.sum(window, 1, True), (0, 0), o)
    p.run()
    np.testing.assert_allclose(out[:3, 0], x[:3].astype(np.float64).sum(1), rtol=1e-5, atol=1e-6)
    assert (out[3:] == -777).all()


def test_matmul_counts_the_smaller_k(p):
    x, out, a, o, (n, m) = setup(p, 6, 4, rows=16)
    left = p.view(a, [16, 16], [0, 0], valid_shape=[16, n])
    right = p.view(a, [16, 16], [0, 0], valid_shape=[m, 16])
    p.move(p.matmul(left, right, F32), o)
    with pytest.warns(PyptoWarning, match="K extents"):
        assert [w.code for w in p.run().warnings] == ["PTO433"]
    np.testing.assert_allclose(out, x[:, :4].astype(np.float64) @ x[:4], rtol=1e-5, atol=1e-5)


def test_matmul_carries_m_and_n(p):
    x, out, a, o, (n, m) = setup(p, 6, 4, rows=16)
    left = p.view(a, [16, 16], [0, 0], valid_shape=[n, 16])
    right = p.view(a, [16, 16], [0, 0], valid_shape=[16, m])
    p.store(p.matmul(left, right, F32), (0, 0), o)
    p.run()
    np.testing.assert_allclose(out[:6, :4], x[:6].astype(np.float64) @ x[:, :4], rtol=1e-5, atol=1e-5)
    assert (out[6:] == -777).all()
    assert (out[:, 4:] == -777).all()


def test_fillpad_makes_everything_valid(p):
    x, out, a, o, (n, m) = setup(p, 5, 9)
    p.move(p.fillpad(p.view(a, [8, 16], [0, 0], valid_shape=[n, m]), "constant", -1.5), o)
    p.run()
    want = np.full((8, 16), -1.5, np.float32)
    want[:5, :9] = x[:5, :9]
    np.testing.assert_array_equal(out, want)


def test_reshape_carries_a_cut_of_the_outermost_axis(p):
    x, out, a, o, (n,) = setup(p, 5)
    window = p.view(a, [8, 16], [0, 0], valid_shape=[n, 16])
    column = p.reshape(p.reshape(window, (1, 8, 16)), (8, 1, 16))
    p.store(p.squeeze(column, (1,)), (0, 0), o)
    p.run()
    np.testing.assert_array_equal(out[:5], x[:5])
    assert (out[5:] == -777).all()


def test_reshape_packs_valid_elements_in_row_major_order(p):
    x, out, a, o, (n, m) = setup(p, 5, 4)
    window = p.view(a, [8, 16], [0, 0], valid_shape=[n, m])
    flat = p.reshape(window, (2, 64), valid=[2, ex.binary("div", ex.binary("mul", n, m), 2)])
    p.store(p.view(flat, [2, 16], [0, 0]), (0, 0), o)
    p.run()
    np.testing.assert_array_equal(out[:2, :10], x[:5, :4].reshape(2, 10))
    assert (out[:, 10:] == -777).all()


def test_reshape_of_a_full_tile_can_be_cut(p):
    x, out, a, o, (n,) = setup(p, 3)
    half = p.reshape(a, (16, 8), valid=[n, 8])
    p.store(p.reshape(half, (8, 16), valid=[1, 16]), (0, 0), o)
    p.run()
    np.testing.assert_array_equal(out[0], x[0])
    assert (out[1:] == -777).all()


def test_what_a_reshape_makes_valid_is_undefined(p):
    from openpto.diagnostics import PyptoError

    x, out, a, o, (n,) = setup(p, 4)
    window = p.view(a, [8, 16], [0, 0], valid_shape=[8, n])
    p.store(p.reshape(p.reshape(window, (4, 32)), (8, 16)), (0, 0), o)
    with pytest.raises(PyptoError) as caught, pytest.warns(PyptoWarning):
        p.run()
    assert caught.value.code == "PTO401"
    assert caught.value.fields["index"] == "[0, 4]"


def test_valid_extents_follow_permutations_and_copies(p):
    x, out, a, o, (n, m) = setup(p, 5, 9)
    window = p.view(a, [8, 16], [0, 0], valid_shape=[n, m])
    turned = p.clone(p.transpose(p.transpose(window, 0, 1), 0, 1))
    p.store(turned, (0, 0), o)
    report = p.run()
    assert report.elements_written[2] == 45
    np.testing.assert_array_equal(out[:5, :9], x[:5, :9])


def test_expand_clone_fills_the_expanded_axis(p):
    x, out, a, o, (n,) = setup(p, 9)
    row = p.view(a, [1, 16], [3, 0], valid_shape=[1, n])
    p.store(p.expand_clone(row, [8, 16]), (0, 0), o)
    p.run()
    np.testing.assert_array_equal(out[:, :9], np.broadcast_to(x[3, :9], (8, 9)))
    assert (out[:, 9:] == -777).all()


def test_a_moved_parameter_takes_over_the_valid_shape(p):
    x, out, a, o, (n,) = setup(p, 5)
    p.move(p.view(a, [8, 16], [0, 0], valid_shape=[n, 16]), o)
    p.store(p.view(a, [2, 16], [0, 0]), (6, 0), o)
    second = np.full((8, 16), -777, np.float32)
    q = p.param("q", second)
    p.store(p.view(o, [8, 16], [0, 0]), (0, 0), q)
    p.run()
    np.testing.assert_array_equal(out[:5], x[:5])
    np.testing.assert_array_equal(out[6:], x[:2])
    assert (out[5] == -777).all()
    np.testing.assert_array_equal(second[:5], x[:5])
    assert (second[5:] == -777).all()


def test_valid_shapes_carried_through_a_loop_are_read_at_run_time(p):
    x, out, a, o, (n, m) = setup(p, 5, 3)
    t = p.clone(p.view(a, [8, 16], [0, 0], valid_shape=[n, 16]))
    with p.loop(m):
        rows, _ = p.trace.valid_of(t, p.site())
        p.move(p.view(a, [8, 16], [0, 0], valid_shape=[ex.binary("sub", rows, 1), 16]), t)
    p.store(t, (0, 0), o)
    p.run()
    np.testing.assert_array_equal(out[:2], x[:2])
    assert (out[2:] == -777).all()


def test_exact_definedness_of_pieces_in_any_order(p):
    """Pieces that do not form boxes on the way are tracked exactly."""
    x, out, a, o, _ = setup(p)
    t = p.alloc([8, 16], F32)
    pieces = [(r, c) for r in (0, 4) for c in (0, 8)]
    for r, c in [pieces[0], pieces[3], pieces[1], pieces[2]]:
        p.store(p.view(a, [4, 8], [r, c]), (r, c), t)
    p.move(t, o)
    assert p.run().warnings == ()
    np.testing.assert_array_equal(out, x)
