"""Tile setters and getters; whether values suit an op is the business of tests/checks."""

import numpy as np
import pytest

from openpto.diagnostics import PyptoError, PyptoWarning
from openpto.ir.nodes import CubeTile as RecordedCubeTile
from openpto.language import tile_shapes as t
from openpto.language.options import options
from openpto.language.scopes import current_scope
from openpto.language.symbolic import SymbolicScalar


def code(call, *args, **kwargs):
    with pytest.raises(PyptoError) as caught:
        call(*args, **kwargs)
    return caught.value


def test_vector_tile():
    assert t.get_vec_tile_shapes() == []
    t.set_vec_tile_shapes(8, 32)
    assert t.get_vec_tile_shapes() == [8, 32]
    t.set_vec_tile_shapes(np.int64(4), SymbolicScalar("n", 16))
    assert t.get_vec_tile_shapes() == [4, 16]
    t.set_vec_tile_shapes(0, -1)  # judged where an op uses it
    assert t.get_vec_tile_shapes() == [0, -1]
    t.set_vec_tile_shapes()
    assert t.get_vec_tile_shapes() == []


def test_vector_tile_takes_separate_ints():
    error = code(t.set_vec_tile_shapes, [16, 16])
    assert error.code == "PTO285"
    assert isinstance(error, TypeError)
    assert "Unsupported list element type for key: vec_tile_shapes" in str(error)
    assert code(t.set_vec_tile_shapes, 1.5, 8).code == "PTO285"
    assert code(t.set_vec_tile_shapes, "8").code == "PTO285"


def test_symbolic_tile():
    error = code(t.set_vec_tile_shapes, SymbolicScalar("n"), 8)
    assert (error.code, error.aliases) == ("PTO286", ("F00002", "OL48"))
    assert isinstance(error, ValueError)
    assert "Not concrete value" in str(error)


def test_cube_tile():
    assert t.get_cube_tile_shapes() == ([0, 0], [0, 0, 0], [0, 0], False)
    t.set_cube_tile_shapes([16, 32], (16, 64), [32, 32])
    assert t.get_cube_tile_shapes() == ([16, 32], [16, 64, 64], [32, 32], False)
    t.set_cube_tile_shapes([16, 32], [16, 64, 32], [32, 32], enable_split_k=True)
    assert t.get_cube_tile_shapes() == ([16, 32], [16, 64, 32], [32, 32], True)
    t.set_cube_tile_shapes([16, 16], [16, 16], [16, 16], True)
    assert t.get_cube_tile_shapes()[3] is True


@pytest.mark.parametrize(
    ("m", "k", "n", "phrase"),
    [
        ([16], [16, 16], [16, 16], "m must have exactly 2 elements, got 1"),
        ([16, 16], [16], [16, 16], "k must have 2 or 3 elements, got 1"),
        ([16, 16], [16, 16], [16, 16, 16], "n must have exactly 2 elements, got 3"),
    ],
)
def test_cube_tile_lengths(m, k, n, phrase):
    error = code(t.set_cube_tile_shapes, m, k, n)
    assert isinstance(error, ValueError)
    assert phrase in str(error)


def test_cube_tile_kinds():
    assert code(t.set_cube_tile_shapes, 16, [16, 16], [16, 16]).code == "PTO288"
    assert code(t.set_cube_tile_shapes, [16, 16.0], [16, 16], [16, 16]).code == "PTO285"
    assert code(t.set_cube_tile_shapes, [16, 16], [16, 16], [16, 16], split=True).code == "PTO281"


@pytest.mark.parametrize(
    ("flags", "keywords", "split"),
    [
        ((), {"enable_multi_data_load": True}, False),
        ((True,), {"enable_multi_data_load": True}, True),
        ((True, False), {}, False),
        ((False, True), {}, True),
        ((), {"enable_multi_data_load": False, "enable_split_k": True}, True),
    ],
)
def test_cube_tile_of_older_versions(flags, keywords, split):
    with pytest.warns(PyptoWarning, match="PTO289"):
        t.set_cube_tile_shapes([16, 16], [16, 16], [16, 16], *flags, **keywords)
    assert t.get_cube_tile_shapes()[3] is split


def test_cube_tile_object():
    tile = t.CubeTile([16, 16], [16, 32], [16, 16])
    assert tile.recorded() == RecordedCubeTile((16, 16), (16, 32, 32), (16, 16), False)
    with options(cube_tile_shapes=tile, matrix_size=[4, 5, 6]):
        assert t.get_cube_tile_shapes() == ([16, 16], [16, 32, 32], [16, 16], False)
        assert current_scope().matrix_size == (4, 5, 6)
    with options(cube_tile_shapes=[[16, 16], [16, 32], [16, 16], True]):
        assert t.get_cube_tile_shapes()[3] is True


def test_convolution_tile():
    l1 = t.TileL1Info(
        tileHin=3, tileHout=1, tileWin=16, tileWout=16, tileCinFmap=16, tileCinWeight=16, tileN=16, tileBatch=1
    )
    t.set_conv_tile_shapes(l1)
    assert t.get_conv_tile_shapes() == (l1, None)
    t.set_conv_tile_shapes(l1, t.TileL0Info(1, 16, 16, 16))
    assert t.get_conv_tile_shapes() == (l1, t.TileL0Info(1, 16, 16, 16))
    assert code(t.set_conv_tile_shapes, [1, 2]).code == "PTO288"


def test_matrix_size():
    t.set_matrix_size([3, 4, 5])
    assert current_scope().matrix_size == (3, 4, 5)
    assert code(t.set_matrix_size, 3).code == "PTO288"
