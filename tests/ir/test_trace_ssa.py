"""Recording and SSA: carries, merges, visibility, poison, going back."""

import pytest

from openpto.diagnostics import PyptoError, Site
from openpto.ir import expr as ex
from openpto.ir.dtypes import DataType
from openpto.ir.nodes import If, Imm, Let, Loop, Op, TileType, Value
from openpto.ir.ssa import build
from openpto.ir.trace import Trace

SITE = Site(None)
FP32 = DataType.DT_FP32
ROWS = ex.dim("x", 0)


def tile(*shape):
    return TileType(shape, FP32)


def new_trace():
    trace = Trace("kernel", SITE)
    x = trace.param("x", tile(ROWS, 32), SITE)
    out = trace.param("out", tile(ROWS, 32), SITE)
    return trace, x, out


def full(trace, value, *shape, valid=None):
    (var,) = trace.emit("full", (Imm(value, FP32),), [(tile(*shape), valid or shape)], {"valid": valid}, site=SITE)
    return var


def binary(trace, op, a, b):
    (var,) = trace.emit(op, (a, b), [(a.type, a.valid)], site=SITE)
    return var


def loop(trace, stop=4, **attrs):
    return trace.begin_loop(0, stop, 1, idx_name="i", attrs=attrs, site=SITE)


def statements(block, kind):
    return [s for s in block.body if isinstance(s, kind)]


def test_straight_line_values_follow_writes():
    trace, x, out = new_trace()
    a = full(trace, 1.0, 8, 32)
    trace.emit("assemble", (a, out), [(out.type, out.valid)], {"offsets": (0, 0)}, site=SITE, into=out)
    trace.emit("assemble", (a, out), [(out.type, out.valid)], {"offsets": (8, 0)}, site=SITE, into=out)
    kernel = build(trace)
    first, second = [s for s in kernel.body.body if s.name == "assemble"]
    assert first.operands[1] is kernel.params[1].value
    assert second.operands[1] is first.results[0]
    assert kernel.params[1].final is second.results[0]
    assert kernel.params[0].final is kernel.params[0].value
    assert first.results[0].var == second.results[0].var == kernel.params[1].value.var


def test_a_write_late_in_the_body_is_seen_early_in_the_next_iteration():
    trace, _, _ = new_trace()
    state = full(trace, 0.0, 8, 32)
    body = loop(trace)
    early = binary(trace, "add", state, state)
    trace.assign(state, early, SITE)
    assert trace.changed_at_loop_end(body) == ([], [])
    trace.end_loop(body)
    trace.settle_after_loop(body, SITE)
    binary(trace, "mul", state, state)
    kernel = build(trace)
    (node,) = statements(kernel.body, Loop)
    (carry,) = node.carries
    (add,) = statements(node.body, Op)
    assert add.operands == (carry.param, carry.param)
    assert carry.yielded is add.results[0]
    assert isinstance(carry.init, Value)
    assert kernel.body.body[-1].operands == (carry.result, carry.result)


def test_carries_nobody_reads_are_dropped():
    trace, _, _ = new_trace()
    scratch = full(trace, 0.0, 8, 32)
    body = loop(trace)
    trace.assign(scratch, full(trace, 1.0, 8, 32), SITE)
    trace.end_loop(body)
    trace.settle_after_loop(body, SITE)
    (node,) = statements(build(trace).body, Loop)
    assert node.carries == ()


def test_scalars_are_carried():
    trace, _, _ = new_trace()
    count = trace.scalar("count", SITE)
    trace.set_scalar(count, ex.const(5), SITE)
    body = loop(trace)
    trace.set_scalar(count, ex.binary("add", trace.get_scalar(count, SITE), 1), SITE)
    trace.end_loop(body)
    after = trace.get_scalar(count, SITE)
    kernel = build(trace)
    (node,) = statements(kernel.body, Loop)
    (carry,) = node.carries
    assert carry.init.concrete() == 5
    let = statements(kernel.body, Let)[-1]
    assert (let.leaf, let.value) == (after, carry.result)


def test_branches_merge():
    trace, _, _ = new_trace()
    state = full(trace, 0.0, 8, 32)
    branch = trace.begin_if(ex.binary("gt", ROWS, 3), site=SITE)
    trace.assign(state, full(trace, 1.0, 8, 32, valid=(4, 32)), SITE)
    left = trace.begin_else(branch)
    assert state.valid == (8, 32)
    assert trace.end_if(branch, left, SITE) == []
    assert isinstance(state.valid[0], ex.Expr)
    assert isinstance(state.valid[1], ex.Expr)
    binary(trace, "add", state, state)
    kernel = build(trace)
    (node,) = statements(kernel.body, If)
    (merge,) = node.merges
    assert merge.other is kernel.body.body[0].results[0]
    assert merge.result.valid == (None, 32)


def test_a_tensor_whose_type_depends_on_the_branch_cannot_be_read():
    trace, _, _ = new_trace()
    state = full(trace, 0.0, 8, 32)
    branch = trace.begin_if(ex.binary("gt", ROWS, 3), site=SITE)
    trace.assign(state, full(trace, 1.0, 4, 32), SITE)
    left = trace.begin_else(branch)
    assert trace.end_if(branch, left, SITE) == [state]
    with pytest.raises(PyptoError) as info:
        binary(trace, "add", state, state)
    assert info.value.code == "PTO173"
    trace.assign(state, full(trace, 2.0, 2, 32), SITE)
    assert binary(trace, "add", state, state).type == tile(2, 32)
    build(trace)


def test_what_a_loop_made_cannot_leave_it():
    trace, _, _ = new_trace()
    body = loop(trace)
    inside = full(trace, 0.0, 8, 32)
    trace.end_loop(body)
    with pytest.raises(PyptoError) as info:
        binary(trace, "add", inside, inside)
    assert info.value.code == "PTO171"
    with pytest.raises(PyptoError) as info:
        trace.let(body.index, SITE)
    assert info.value.code == "PTO171"


def test_another_trace_is_refused():
    first, x, _ = new_trace()
    second, _, _ = new_trace()
    with pytest.raises(PyptoError) as info:
        binary(second, "add", x, x)
    assert info.value.code == "PTO172"


def test_changes_of_type_and_valid_shape_are_found_at_the_tail():
    trace, _, _ = new_trace()
    shrinks, cut = full(trace, 0.0, 8, 32), full(trace, 0.0, 8, 32)
    body = loop(trace)
    trace.assign(shrinks, full(trace, 0.0, 4, 32), SITE)
    trace.assign(cut, full(trace, 0.0, 8, 32, valid=(body.index, 32)), SITE)
    assert trace.changed_at_loop_end(body) == ([shrinks], [cut])
    trace.abandon(body.region)
    assert shrinks.type == tile(8, 32)
    assert cut.valid == (8, 32)


def test_rollback_forgets_everything_since_the_checkpoint():
    trace, _, _ = new_trace()
    state = full(trace, 0.0, 8, 32)
    point = trace.checkpoint()
    body = loop(trace)
    trace.assign(state, full(trace, 0.0, 4, 32), SITE)
    trace.end_loop(body)
    trace.rollback(point)
    assert state.type == tile(8, 32)
    assert [type(s) for s in build(trace).body.body] == [Op]


def test_tile_settings_end_with_their_region():
    trace, _, _ = new_trace()
    outer = trace.scope
    body = loop(trace)
    trace.scope = type(outer)(vec=(8, 32))
    made = full(trace, 0.0, 8, 32)
    trace.end_loop(body)
    assert trace.scope is outer
    (node,) = statements(build(trace).body, Loop)
    assert node.body.body[0].scope.vec == (8, 32)
    assert made.type == tile(8, 32)


def test_a_name_without_a_value_keeps_the_type_it_had_when_it_was_declared():
    trace, _, _ = new_trace()
    name = trace.carry(tile(4, 8), (4, 8), "t", SITE)
    body = loop(trace)
    trace.assign(name, full(trace, 1.0, 4, 8), SITE)
    trace.end_loop(body)
    trace.settle_after_loop(body, SITE)
    trace.assign(name, full(trace, 2.0, 2, 16), SITE)
    kernel = build(trace)
    unset = kernel.body.body[0]
    assert (unset.name, unset.results[0].type) == ("unset", tile(4, 8))
