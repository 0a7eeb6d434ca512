"""Passes on recordings built by hand: what each refuses, warns of, and lets pass."""

import warnings
from dataclasses import dataclass, replace

import pytest

from openpto.checks import run
from openpto.diagnostics import PyptoError, PyptoWarning, Site, Span, collect_warnings
from openpto.ir import expr as ex
from openpto.ir.dtypes import DataType
from openpto.ir.enums import TileOpFormat
from openpto.ir.nodes import CubeTile, Imm, Scope, TileType
from openpto.ir.ssa import build
from openpto.ir.trace import Trace
from openpto.language.configuration import configure

FP32, FP16, BF16, INT8 = DataType.DT_FP32, DataType.DT_FP16, DataType.DT_BF16, DataType.DT_INT8
ROWS = ex.dim("x", 0)


@dataclass
class Recorder:
    """Records statements, one source line each."""

    trace: Trace
    x: object
    y: object
    line: int = 0

    def site(self):
        self.line += 1
        return Site(Span("kernel.py", self.line))

    def op(self, name, *operands, shape=None, dtype=None, into=None, **attrs):
        tiles = [o for o in operands if not isinstance(o, (Imm, ex.Expr))]
        type_ = TileType(tuple(shape or tiles[0].type.shape), dtype or (tiles[0].type.dtype if tiles else FP32))
        if into is not None:
            type_ = into.type
        return self.trace.emit(name, operands, [(type_, type_.shape)], attrs, site=self.site(), into=into)[0]

    def add(self, a, b=None):
        return self.op("add", a, Imm(1.0, FP32) if b is None else b)

    def view(self, a, *shape):
        return self.op("view", a, shape=shape, offsets=(0,) * len(shape))

    def store(self, source, target):
        return self.op("assemble", source, target, into=target, offsets=(0, 0))

    def move(self, source, target):
        if target.kind == "param":
            return self.op("move", source, target, into=target)
        return self.trace.assign(target, source, self.site())

    def alloc(self, *shape):
        return self.op("alloc", shape=shape)

    def check(self):
        """Codes that the checks report, warnings first, and the line of the last one."""
        with warnings.catch_warnings(), collect_warnings() as told:
            warnings.simplefilter("ignore", PyptoWarning)
            try:
                run(build(self.trace), self.trace)
            except PyptoError as refused:
                told.append(refused)
        line = told[-1].site.span.line if told and told[-1].site.span else None
        return [t.code for t in told], line


@pytest.fixture
def rec():
    return recorder()


def recorder(*, vec=(16, 16), cube=None, shape=(32, 32), dtype=FP32):
    trace = Trace("kernel", Site(Span("kernel.py", 100)))
    x = trace.param("x", TileType(shape, dtype), Site(Span("kernel.py", 101)))
    y = trace.param("y", TileType(shape, dtype), Site(Span("kernel.py", 102)))
    trace.scope = Scope(vec=vec, cube=cube)
    return Recorder(trace, x, y)


def loop(rec, stop):
    return rec.trace.begin_loop(0, stop, 1, idx_name="i", attrs={}, site=rec.site())


def end(rec, body):
    rec.trace.end_loop(body)
    rec.trace.settle_after_loop(body, Site(None))


def test_a_plain_kernel_is_clean(rec):
    rec.move(rec.add(rec.x), rec.y)
    assert rec.check() == ([], None)


# -- unwritten --------------------------------------------------------------------------------------------------------


def test_certain_read_before_write(rec):
    t = rec.alloc(32, 32)
    rec.move(rec.add(rec.x, t), rec.y)
    assert rec.check() == (["PTO410"], 2)


def test_read_through_a_view_counts_where_it_is_used(rec):
    t = rec.alloc(32, 32)
    v = rec.view(t, 16, 32)
    rec.store(rec.add(v), rec.y)
    rec.move(rec.x, rec.y)
    assert rec.check() == (["PTO410"], 3)


def test_a_view_of_nothing_that_nobody_uses_is_fine(rec):
    rec.view(rec.alloc(32, 32), 16, 32)
    rec.move(rec.x, rec.y)
    assert rec.check()[0] == []


def test_stores_fill_a_declared_tensor(rec):
    t = rec.alloc(32, 32)
    rec.store(rec.view(rec.x, 16, 32), t)
    rec.move(t, rec.y)
    assert rec.check()[0] == []


def test_a_moved_tensor_has_contents(rec):
    t = rec.alloc(32, 32)
    rec.move(rec.x, t)
    rec.move(rec.add(t), rec.y)
    assert rec.check()[0] == []


@pytest.mark.parametrize(("stop", "codes"), [(3, ["PTO410"]), (ROWS, [])])
def test_reads_in_a_loop_are_certain_if_it_runs(rec, stop, codes):
    t = rec.alloc(32, 32)
    body = loop(rec, stop)
    rec.move(rec.add(t), t)
    end(rec, body)
    rec.move(t, rec.y)
    assert rec.check()[0] == codes


def test_reads_on_a_branch_are_not_certain(rec):
    t = rec.alloc(32, 32)
    branch = rec.trace.begin_if(ex.binary("gt", ROWS, 3), site=rec.site())
    rec.move(rec.add(t), rec.y)
    left = rec.trace.begin_else(branch)
    rec.move(rec.x, rec.y)
    rec.trace.end_if(branch, left, rec.site())
    assert rec.check()[0] == []


def test_a_kernel_must_write_a_parameter(rec):
    rec.add(rec.x)
    rec.add(rec.y)
    assert rec.check() == (["PTO411"], 100)


def test_rebinding_an_output(rec):
    rec.add(rec.x)
    rec.trace.notes["rebound"] = {"y": Site(Span("kernel.py", 7))}
    assert rec.check() == (["PTO412"], 7)


def test_rebinding_a_parameter_that_is_read_is_ordinary(rec):
    rec.move(rec.add(rec.x), rec.y)
    rec.trace.notes["rebound"] = {"x": Site(Span("kernel.py", 7))}
    assert rec.check()[0] == []


def test_an_unused_parameter_is_a_warning(rec):
    rec.move(rec.add(rec.y), rec.y)
    assert rec.check() == (["PTO413"], 101)


def test_asking_for_a_size_is_use(rec):
    body = loop(rec, ROWS)
    rec.move(rec.add(rec.y), rec.y)
    end(rec, body)
    assert rec.check()[0] == []


def test_a_kernel_whose_loop_has_no_iteration_may_write_nothing(rec):
    rec.add(rec.x)
    rec.trace.notes["empty_loop"] = True
    assert rec.check()[0] == []


# -- lost writes ------------------------------------------------------------------------------------------------------


def test_a_write_into_a_view_is_lost(rec):
    rec.move(rec.x, rec.y)
    v = rec.view(rec.y, 8, 32)
    rec.move(rec.view(rec.x, 8, 32), v)
    assert rec.check() == (["PTO414"], 4)


def test_an_update_of_a_view_from_itself_is_lost(rec):
    v = rec.view(rec.y, 8, 32)
    rec.move(rec.add(v), v)
    rec.move(rec.x, rec.y)
    assert rec.check() == (["PTO414"], 3)


def test_a_slice_store_into_a_view_is_lost(rec):
    v = rec.view(rec.y, 8, 32)
    rec.store(rec.view(rec.x, 4, 32), v)
    rec.move(rec.x, rec.y)
    assert rec.check() == (["PTO414"], 3)


def test_a_view_that_is_read_later_is_working_memory(rec):
    v = rec.view(rec.x, 8, 32)
    rec.move(rec.add(v), v)
    rec.store(v, rec.y)
    assert rec.check()[0] == []


def test_state_read_in_the_next_iteration(rec):
    v = rec.view(rec.x, 8, 32)
    body = loop(rec, ROWS)
    rec.store(v, rec.y)
    rec.move(rec.add(v), v)
    end(rec, body)
    assert "PTO414" not in rec.check()[0]


def test_the_last_update_of_a_state_may_be_unneeded(rec):
    v = rec.view(rec.x, 8, 32)
    rec.store(rec.add(v), rec.y)
    rec.move(rec.add(v), v)
    assert rec.check()[0] == []


def test_results_of_arithmetic_are_working_memory(rec):
    t = rec.add(rec.x)
    rec.move(rec.add(t), t)
    rec.move(rec.x, rec.y)
    assert "PTO414" not in rec.check()[0]


# -- portability ------------------------------------------------------------------------------------------------------


def test_read_after_move(rec):
    t = rec.add(rec.x)
    rec.move(t, rec.y)
    rec.store(rec.view(rec.add(t), 16, 32), rec.y)
    assert rec.check() == (["PTO610"], 3)


def test_a_moved_tensor_that_is_written_again_can_be_read(rec):
    t = rec.add(rec.x)
    rec.move(t, rec.y)
    rec.move(rec.add(rec.x), t)
    rec.store(rec.view(t, 16, 32), rec.y)
    assert rec.check()[0] == []


def test_moved_in_the_previous_iteration(rec):
    t = rec.add(rec.x)
    body = loop(rec, ROWS)
    rec.move(rec.add(t), rec.y)
    rec.move(t, rec.y)
    end(rec, body)
    assert rec.check()[0] == ["PTO610", "PTO610"]


def test_part_read_and_written(rec):
    rec.move(rec.x, rec.y)
    rec.store(rec.add(rec.view(rec.y, 16, 32)), rec.y)
    assert rec.check() == (["PTO611"], 4)


def test_part_read_and_written_without_flow(rec):
    rec.view(rec.y, 16, 32)
    rec.store(rec.view(rec.x, 16, 32), rec.y)
    assert rec.check()[0] == []


def test_part_read_before_and_written_in_a_loop(rec):
    part = rec.add(rec.view(rec.y, 16, 32))
    body = loop(rec, ROWS)
    rec.store(part, rec.y)
    end(rec, body)
    assert rec.check()[0] == []


def test_whole_read_and_written(rec):
    rec.move(rec.add(rec.y), rec.y)
    assert "PTO611" not in rec.check()[0]


# -- vector tiles -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("vec", "codes"),
    [
        (None, ["PTO301"]),
        ((16, 0), ["PTO302"]),
        ((-1, 16), ["PTO302"]),
        ((16,), ["PTO303"]),
        ((1, 1, 16, 16), []),
        ((24, 24), []),
        ((64, 64), []),
        ((16, 5), []),
    ],
)
def test_vector_tile(vec, codes):
    rec = recorder(vec=vec)
    rec.move(rec.add(rec.x), rec.y)
    assert rec.check()[0] == codes


@pytest.mark.parametrize(("vec", "cube", "codes"), [(None, None, ["PTO306"]), ((16, 16), None, []), (None, "cube", [])])
def test_moving_without_a_tile(vec, cube, codes):
    rec = recorder(vec=vec, cube=CubeTile((16, 16), (16, 16, 16), (16, 16)) if cube else None)
    rec.move(rec.x, rec.y)
    assert rec.check()[0] == codes


@pytest.mark.parametrize(
    ("tile", "codes"),
    [
        ((96, 256), []),
        ((97, 256), ["PTO307"]),  # fits the 248 KiB of the 950 only
        ((124, 256), ["PTO307"]),
        ((125, 256), ["PTO304"]),
        ((512, 256), ["PTO304"]),
    ],
)
def test_ub(tile, codes):
    rec = recorder(vec=tile, shape=(512, 256))
    rec.move(rec.add(rec.add(rec.x, rec.y), None), rec.y)
    assert rec.check()[0] == codes


def test_ub_help_fits():
    rec = recorder(vec=(512, 512), shape=(512, 512))
    rec.move(rec.add(rec.x), rec.y)
    with pytest.raises(ValueError, match=r"set_vec_tile_shapes\((\d+), (\d+)\)") as caught:
        run(build(rec.trace), rec.trace)
    rows, columns = map(int, caught.value.fields["suggest"].split(", "))
    assert rows * columns * 4 <= 248 * 1024


@pytest.mark.parametrize(
    ("tile", "dtype", "codes"), [((4, 16), FP16, []), ((4, 10), FP16, ["PTO305"]), ((4, 8), FP32, [])]
)
def test_reductions_need_aligned_tiles(tile, dtype, codes):
    rec = recorder(vec=tile, dtype=dtype)
    rec.op("amax", rec.x, shape=(32, 1), axes=(1,), keepdim=True)
    rec.move(rec.add(rec.x), rec.y)
    assert rec.check()[0] == codes


def test_reductions_are_tiled_by_their_input():
    rec = recorder(vec=(16,))
    rec.op("sum", rec.x, shape=(32,), axes=(1,), keepdim=False)
    rec.move(rec.x, rec.y)
    assert rec.check()[0] == ["PTO303"]


# -- chips ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("platform", "dtype", "codes"),
    [
        (None, DataType.DT_INT32, ["PTO308"]),
        ("950", DataType.DT_INT32, []),
        ("910B", DataType.DT_INT32, ["PTO309"]),
        ("910C", FP32, []),
        (None, FP32, []),
    ],
)
def test_chips(platform, dtype, codes):
    rec = recorder(dtype=dtype)
    rec.move(rec.op("abs", rec.x), rec.y)
    with configure(platform=platform):
        assert rec.check()[0] == codes


def test_a_chosen_chip_decides_about_its_memory():
    rec = recorder(vec=(124, 256), shape=(512, 256))
    rec.move(rec.add(rec.add(rec.x, rec.y)), rec.y)
    for platform, codes in (("950", []), ("910B", ["PTO304"])):
        with configure(platform=platform):
            assert rec.check()[0] == codes


# -- cube tiles -------------------------------------------------------------------------------------------------------


def cube_codes(m, k, n, *, dtype=FP32, out=FP32, depth=32, split_k=False, **attrs):
    k = (*k, k[-1])[:3]
    rec = recorder(cube=CubeTile(m, k, n, split_k), shape=(32, depth), dtype=dtype)
    extra = [rec.x] if attrs.get("bias") or attrs.get("scale_tensor") else []
    rec.op("matmul", rec.x, rec.x, *extra, shape=(32, 32), dtype=out, **attrs)
    rec.move(rec.view(rec.x, 32, depth), rec.y)
    return rec.check()[0]


@pytest.mark.parametrize(
    ("tile", "options", "codes"),
    [
        (((32, 32), (32, 32), (32, 32)), {}, []),
        (((7, 7), (32, 32), (32, 32)), {}, []),
        (((100, 100), (16, 16), (16, 16)), {}, []),
        (((0, 0), (0, 0), (0, 0)), {}, ["PTO320"]),
        (((32, 32), (24, 24), (32, 32)), {}, ["PTO322"]),
        (((32, 32), (32, 32), (8, 8)), {}, ["PTO322"]),
        (((32, 48), (32, 32), (32, 32)), {}, ["PTO321"]),
        (((32, 16), (32, 32), (32, 32)), {}, ["PTO321"]),
        (((32, 32), (32, 48), (32, 32)), {}, ["PTO321"]),
        (((32, 32), (16, 16), (32, 32)), {"dtype": INT8}, ["PTO323"]),
        (((24, 24), (32, 32), (32, 32)), {"dtype": FP16, "a_trans": True}, ["PTO333"]),
        (((16, 16), (32, 32), (32, 32)), {"dtype": FP16, "a_trans": True}, []),
        (((16, 16), (64, 1536, 384), (16, 16)), {"depth": 3072}, []),
        (((16, 16), (64, 768, 512), (16, 16)), {"depth": 3072}, ["PTO325"]),
        (((256, 256), (128, 128), (16, 16)), {"dtype": FP16}, []),
        (((256, 256), (144, 144), (16, 16)), {"dtype": FP16}, ["PTO324"]),
        (((128, 128), (16, 16), (256, 256)), {"dtype": FP16}, []),
        (((144, 144), (16, 16), (256, 256)), {"dtype": FP16}, ["PTO307"]),  # L0C of the 950 is larger
        (((272, 272), (16, 16), (256, 256)), {"dtype": FP16}, ["PTO324"]),
        (((128, 128), (128, 2048), (128, 128)), {"dtype": FP16, "depth": 4096}, ["PTO326"]),
        (((128, 128), (128, 2176), (128, 128)), {"dtype": FP16, "depth": 4352}, ["PTO324"]),
        (((16, 16), (16, 16), (256, 256)), {"bias": True}, []),
        (((16, 16), (16, 16), (272, 272)), {"bias": True}, ["PTO307"]),  # the bias table of the 950 is larger
        (((16, 16), (16, 16), (1040, 1040)), {"bias": True}, ["PTO324"]),
        (((16, 16), (16, 16), (256, 256)), {"scale_tensor": True}, []),
        (((16, 16), (16, 16), (272, 272)), {"scale_tensor": True}, ["PTO307"]),  # so is its scale table
        (((16, 16), (16, 16), (528, 528)), {"scale_tensor": True}, ["PTO324"]),
        (((16, 16), (16, 16), (16, 16)), {"split_k": True}, []),
        (((16, 16), (16, 16), (16, 16)), {"split_k": True, "out": BF16}, ["PTO327"]),
    ],
)
def test_cube_tile(tile, options, codes):
    assert cube_codes(*tile, **options) == codes


def test_a_missing_cube_tile_reads_like_one_of_zeros():
    rec = recorder()
    rec.op("matmul", rec.x, rec.x, shape=(32, 32))
    rec.move(rec.x, rec.y)
    phrase = "Invalid tile values: kL0=0, kL1a=0, kL1b=0, mL0=0, mL1=0, nL0=0, nL1=0"
    with pytest.raises(ValueError, match=phrase):
        run(build(rec.trace), rec.trace)


def test_a_kernel_without_a_recording_is_checked_as_far_as_possible(rec):
    rec.trace.scope = replace(rec.trace.scope, vec=None)
    rec.move(rec.add(rec.x), rec.y)
    with pytest.raises(ValueError, match="PTO301"):
        run(build(rec.trace))


@pytest.mark.parametrize(
    ("dtype", "m", "k", "n", "trans", "codes"),
    [
        (FP16, (16, 16), (16, 16), (16, 16), {}, []),
        (FP16, (8, 16), (16, 16), (16, 16), {}, ["PTO334"]),  # 16 rows of A make a fractal
        (FP16, (16, 16), (16, 16), (16, 16), {"a_trans": True}, []),
        (INT8, (16, 32), (32, 32), (32, 32), {}, []),
        (INT8, (16, 32), (32, 32), (32, 32), {"a_trans": True}, ["PTO323"]),  # 32 bytes of mL0
        (INT8, (32, 32), (32, 32), (32, 32), {"a_trans": True, "b_trans": True}, []),
    ],
)
def test_cube_tiles_of_fractal_operands(dtype, m, k, n, trans, codes):
    rec = recorder(cube=CubeTile(m, (*k, k[-1]), n, False), shape=(32, 32), dtype=dtype)
    out = DataType.DT_INT32 if dtype is INT8 else FP32
    a = rec.trace.emit("clone", [rec.x], [(replace(rec.x.type, fmt=TileOpFormat.TILEOP_NZ), (32, 32))], site=rec.site())
    rec.op("matmul", a[0], a[0], shape=(32, 32), dtype=out, **trans)
    rec.move(rec.view(rec.x, 32, 32), rec.y)
    assert rec.check()[0] == codes
