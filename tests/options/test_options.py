"""Option dictionaries: keys, types, ranges, defaults, older keys, and where a setting is in force."""

import threading

import pytest

from openpto.diagnostics import PyptoError, PyptoWarning, Site
from openpto.ir.enums import CompStage
from openpto.ir.trace import Trace, recording
from openpto.language import device_settings as device
from openpto.language import options as o
from openpto.language import scopes
from openpto.language.options import check_options


def code(call, *args, **kwargs):
    with pytest.raises(PyptoError) as caught:
        call(*args, **kwargs)
    return caught.value


def test_defaults_are_those_of_the_published_table():
    assert o.get_host_options() == {
        "compile_stage": 0,
        "compile_monitor_enable": 1,
        "compile_timeout": 600,
        "compile_timeout_stage": 0,
        "compile_monitor_print_interval": 60,
    }
    assert o.get_debug_options() == {"compile_debug_mode": 0, "runtime_debug_mode": 0, "dump_pass_graph": []}
    assert o.get_codegen_options()["support_dynamic_aligned"] is False
    assert o.get_verify_options()["pass_verify_error_tol"] == [1e-3, 1e-3]
    assert o.get_pass_options()["cube_nbuffer_setting"] == {"DEFAULT": 1}
    assert o.get_pass_options()["sg_set_scope"] == (-1, False, False)


def test_set_and_get():
    o.set_pass_options(vec_nbuffer_setting={-1: 4}, sg_set_scope=3)
    o.set_host_options(compile_stage=CompStage.TILE_GRAPH, compile_timeout=None)
    assert o.get_pass_options()["vec_nbuffer_setting"] == {-1: 4}
    assert o.get_pass_options()["sg_set_scope"] == (3, False, False)
    assert o.get_host_options()["compile_stage"] is CompStage.TILE_GRAPH
    assert o.get_host_options()["compile_timeout"] == 600
    scopes.reset_options()
    assert o.get_pass_options()["sg_set_scope"] == (-1, False, False)


def test_a_value_that_was_got_is_a_copy():
    o.get_pass_options()["cube_nbuffer_setting"]["DEFAULT"] = 7
    assert o.get_pass_options()["cube_nbuffer_setting"] == {"DEFAULT": 1}


def test_unknown_keys_name_near_ones():
    error = code(check_options, "runtime", {"stitch_function_max_nun": 3})
    assert (error.code, isinstance(error, ValueError)) == ("PTO280", True)
    assert "stitch_function_max_num" in str(error)
    assert "key: runtime.stitch_function_max_nun does not exist." in str(error)
    error = code(o.set_pass_options, vec_nbufer_setting={})
    assert (error.code, isinstance(error, TypeError)) == ("PTO281", True)
    assert "vec_nbuffer_setting" in str(error)


@pytest.mark.parametrize(
    ("group", "key", "value", "expected"),
    [
        ("runtime", "device_sched_mode", 4, "PTO283"),
        ("runtime", "device_sched_mode", -1, "PTO283"),
        ("runtime", "device_sched_mode", "0", "PTO282"),
        ("runtime", "device_sched_mode", 1.0, "PTO282"),
        ("runtime", "stitch_function_max_num", 0, "PTO283"),
        ("runtime", "stitch_function_max_num", 1025, "PTO283"),
        ("runtime", "max_workspace_kb", 2**31, "PTO283"),
        ("runtime", "ready_on_host_tensors", "x", "PTO282"),
        ("runtime", "device_sched_parallelism", 9, "PTO283"),
        ("runtime", "launch_early_mode", 3, "PTO283"),
        ("runtime", "run_mode", 2, "PTO297"),
        ("runtime", "run_mode", "sim", "PTO297"),
        ("host", "compile_stage", 6, "PTO283"),
        ("host", "compile_monitor_enable", 3, "PTO283"),
        ("codegen", "soc_version", 950, "PTO282"),
        ("verify", "enable_pass_verify", "yes", "PTO282"),
        ("debug", "runtime_debug_mode", 5, "PTO283"),
        ("pass", "vec_nbuffer_setting", 3, "PTO282"),
        ("pass", "vec_nbuffer_setting", {"DEFAULT": 1.5}, "PTO282"),
        ("pass", "vec_nbuffer_setting", {1.5: 1}, "PTO282"),
        ("pass", "cube_nbuffer_setting", {-1: 1, "DEFAULT": 1}, "PTO290"),
        ("pass", "cube_l1_reuse_setting", {"DEFAULT": (0, "left")}, "PTO283"),
        ("pass", "cube_l1_reuse_setting", {"DEFAULT": (2, "top")}, "PTO283"),
        ("pass", "cube_l1_reuse_setting", {"DEFAULT": (2, "left", 1)}, "PTO283"),
        ("pass", "sg_set_scope", -2, "PTO283"),
        ("pass", "sg_set_scope", (1, True), "PTO283"),
        ("pass", "sg_set_scope", (-1, True, False), "PTO283"),
        ("pass", "sg_set_scope", "1", "PTO282"),
        ("pass", "sg_set_ooo_scope", 0, "PTO283"),
        ("pass", "sg_set_ooo_scope", 100_001, "PTO283"),
        ("pass", "ooo_sched_mode", "FAST", "PTO283"),
        ("pass", "sg_set_tunevf_mode", 3, "PTO283"),
        ("operation", "combine_axis", "on", "PTO282"),
    ],
)
def test_types_and_ranges(group, key, value, expected):
    assert code(check_options, group, {key: value}).code == expected


@pytest.mark.parametrize(
    ("group", "key", "value", "kept"),
    [
        ("runtime", "stitch_function_max_num", 1024, 1024),
        ("runtime", "launch_sched_aicpu_num", 99, 99),
        (
            "pass",
            "cube_l1_reuse_setting",
            {"DEFAULT": (2, "left"), "func12_0": 4},
            {"DEFAULT": (2, "left"), "func12_0": 4},
        ),
        ("pass", "vec_nbuffer_setting", {-1: 1, -2: 0, 36: 4}, {-1: 1, -2: 0, 36: 4}),
        ("pass", "vec_nbuffer_setting", {"scores": 4}, {"scores": 4}),
        ("verify", "pass_verify_error_tol", [1, 2, 3], (1e-3, 1e-3)),
        ("verify", "pass_verify_error_tol", [1e-2, 5e-3], (1e-2, 5e-3)),
        ("host", "compile_monitor_enable", 2, 2),
    ],
)
def test_accepted_values(group, key, value, kept):
    assert check_options(group, {key: value}) == {key: kept}


@pytest.mark.parametrize("key", ["stitch_function_size", "stitch_function_inner_memory", "stitch_cfgcache_size"])
def test_keys_of_older_versions_warn(key):
    with pytest.warns(PyptoWarning, match="PTO284"):
        assert check_options("runtime", {key: 100}) == {key: 100}


def test_verify_tolerance_goes_back_unless_given():
    o.set_verify_options(pass_verify_error_tol=[1e-2, 1e-2])
    o.set_verify_options(enable_pass_verify=True)
    assert o.get_verify_options()["pass_verify_error_tol"] == [1e-3, 1e-3]


def test_not_a_dictionary():
    assert code(check_options, "pass", 3).code == "PTO299"
    assert check_options("pass", None) == {}


def test_block_ends_with_its_settings():
    with o.options(pass_options={"sg_set_scope": 1}, vec_tile_shapes=[4, 8]):
        assert o.get_pass_options()["sg_set_scope"] == (1, False, False)
        o.set_pass_options(sg_set_scope=2)
        with o.options("inner", host_options={"compile_timeout": 5}):
            assert o.get_pass_options()["sg_set_scope"] == (2, False, False)
            assert o.get_host_options()["compile_timeout"] == 5
        assert o.get_host_options()["compile_timeout"] == 600
    assert o.get_pass_options()["sg_set_scope"] == (-1, False, False)
    assert scopes.current_scope().vec is None


def test_block_is_of_this_thread_and_plain_setters_of_the_process():
    seen = []

    def look():
        seen.append((o.get_host_options()["compile_timeout"], o.get_debug_options()["compile_debug_mode"]))

    o.set_host_options(compile_timeout=7)
    with o.options(debug_options={"compile_debug_mode": 1}):
        look()
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    assert seen == [(7, 1), (7, 0)]


def test_decorator_form():
    @o.options(host_options={"compile_timeout": 9})
    def timeout():
        """Doc."""
        return o.get_host_options()["compile_timeout"]

    assert (timeout(), timeout(), timeout.__doc__) == (9, 9, "Doc.")
    assert o.get_host_options()["compile_timeout"] == 600


def test_block_that_cannot_be_opened_changes_nothing():
    with (
        pytest.raises(PyptoError, match="PTO283"),
        o.options(vec_tile_shapes=[8], debug_options={"compile_debug_mode": 9}),
    ):
        pass
    assert scopes.current_scope().vec is None
    assert code(o.options, vec_tiles=[8]).code == "PTO281"


def test_inside_a_kernel_settings_are_of_the_trace():
    trace = Trace("k", Site(None))
    o.set_pass_options(sg_set_scope=5)
    trace.scope = scopes.current_scope()
    with recording(trace):
        assert o.get_pass_options()["sg_set_scope"] == (5, False, False)
        o.set_pass_options(sg_set_scope=6)
        o.set_semantic_label("scores")
        assert o.get_pass_options()["sg_set_scope"] == (6, False, False)
        with o.options(pass_options={"sg_set_scope": 7}):
            assert o.get_pass_options()["sg_set_scope"] == (7, False, False)
        assert o.get_pass_options()["sg_set_scope"] == (6, False, False)
    assert o.get_pass_options()["sg_set_scope"] == (5, False, False)
    assert (trace.scope.label, scopes.current_scope().label) == ("scores", "")


def test_labels():
    with pytest.warns(PyptoWarning, match="PTO291"):
        o.set_semantic_label("func1_2")
    assert code(o.set_semantic_label, 3).code == "PTO282"


def test_scope_prints_key_value_lines():
    o.set_options(vec_tile_shapes=[4, 8], pass_options={"sg_set_scope": 3})
    lines = str(scopes.get_current_scope()).splitlines()
    assert "vec_tile_shapes: [4, 8]" in lines
    assert "pass.sg_set_scope: (3, False, False)" in lines
    assert scopes.get_options_tree().splitlines()[0] == "global"


def test_global_configuration():
    assert device.get_global_config("simulation.accuracy_level") == 1
    device.set_global_config("host.strategy", "PVC2_OOO")
    assert code(device.set_global_config, "simulation.accuracy_level", "high").code == "PTO282"
    assert code(device.set_global_config, "simulator.accuracy_level", 1).code == "PTO280"
    assert code(device.get_global_config, "simulation.level").code == "PTO280"


def test_pass_switches():
    key = device.PassConfigKey
    device.set_pass_config("PVC2_OOO", "ExpandFunction", key.KEY_DUMP_GRAPH, True)
    assert device.get_pass_config("PVC2_OOO", "ExpandFunction", key.KEY_DUMP_GRAPH, False) is True
    assert device.get_pass_config("PVC2_OOO", "Other", key.KEY_DUMP_GRAPH, False) is False
    assert device.get_pass_configs("PVC2_OOO", "ExpandFunction").dumpGraph is True
    assert "Expected boolean type, but received int" in str(code(device.set_pass_default_config, key.KEY_PRE_CHECK, 1))
    assert "key must be a member of PassConfigKey" in str(code(device.set_pass_default_config, "preCheck", True))


def test_print_options():
    device.set_print_options(edgeitems=2, linewidth=80)
    assert device.print_options() == device.PrintOptions(2, 4, 10, 80)
    assert code(device.set_print_options, precision=-1).code == "PTO283"
    device.set_print_options()
