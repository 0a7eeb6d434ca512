"""PTO280-299: option dictionaries, scopes and tile setters, settings of our own, run modes."""

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register

_KERNEL = """import numpy as np
import pypto

F = pypto.DT_FP32


@pypto.frontend.jit{options}
def kernel(x: pypto.Tensor([8, 32], F), out: pypto.Tensor([8, 32], F)):
    {first}
    out[:] = x + 1.0


def run():
    kernel(np.ones((8, 32), np.float32), np.zeros((8, 32), np.float32))
"""


_ENVIRONMENT = (
    _KERNEL.format(first="pypto.set_vec_tile_shapes(8, 32)", options="")
    .replace("import numpy", "import os\n\nimport numpy", 1)
    .replace(
        "    kernel(np.ones((8, 32), np.float32), np.zeros((8, 32), np.float32))\n",
        """    before = os.environ.get("PYPTO_ENGINE")
    os.environ["PYPTO_ENGINE"] = "{value}"
    try:
        kernel(np.ones((8, 32), np.float32), np.zeros((8, 32), np.float32))
    finally:
        os.environ.pop("PYPTO_ENGINE")
        if before is not None:
            os.environ["PYPTO_ENGINE"] = before
""",
    )
)


def _kernel(first: str = "pypto.set_vec_tile_shapes(8, 32)", options: str = "") -> str:
    return _KERNEL.format(first=first, options=options)


def _call(*lines: str) -> str:
    body = "\n".join(f"    {line}" for line in lines)
    return f"import openpto\nimport pypto\n\n\ndef run():\n{body}\n    pypto.reset_options()\n"


register(
    Rule(
        code="PTO280",
        name="unknown-option",
        exc=ValueError,
        exc_in={"0.2": IndexError},
        title=T("unknown option key", "未知的选项键"),
        message=T(
            "{name} is not right. key: {group}.{key} does not exist.",
            "{name} 有误。key: {group}.{key} does not exist.",
        ),
        help=T("did you mean: {near}", "相近的键：{near}"),
        explanation=T(
            "Option dictionaries are checked key by key, so that a misspelt key does not silently leave the default "
            "in force. The toolchain stops on such a key, too.",
            "选项字典按键逐一检查，避免拼错的键被忽略而悄悄使用默认值。工具链同样会在此类键上停止。",
        ),
        phrases=("key: {group}.{key} does not exist.",),
        bad=_kernel(options='(pass_options={"vec_nbufer_setting": {}})'),
        good=_kernel(options='(pass_options={"vec_nbuffer_setting": {}})'),
    )
)

register(
    Rule(
        code="PTO281",
        name="unknown-keyword",
        exc=TypeError,
        title=T("unknown keyword", "未知的关键字参数"),
        message=T("{call}() got an unexpected keyword argument {key!r}", "{call}() 没有关键字参数 {key!r}"),
        help=T("did you mean: {near}", "相近的名称：{near}"),
        explanation=T(
            "A setter takes the documented keywords only. A misspelt keyword would otherwise leave the default in "
            "force without a word.",
            "设置函数只接受文档中列出的关键字。否则拼错的关键字会悄悄保留默认值。",
        ),
        bad=_call("pypto.set_pass_options(vec_nbuffer=3)"),
        good=_call("pypto.set_pass_options(vec_nbuffer_setting={-1: 3})"),
    )
)

register(
    Rule(
        code="PTO282",
        name="option-type",
        exc=TypeError,
        exc_in={"0.2": RuntimeError},
        title=T("wrong type of an option", "选项类型错误"),
        message=T(
            "Option '{name}' has invalid type. Expected {expected}, but got {got}",
            "选项 {name} 类型错误：应为 {expected}，实际为 {got}",
        ),
        help=T("give {name} a value of type {expected}", "请为 {name} 提供 {expected} 类型的值"),
        explanation=T(
            "Every option has a documented type. Values are checked when they are set, at the line that sets them, "
            "and not when the compiler happens to read them.",
            "每个选项都有规定的类型。检查发生在设置该选项的那一行，而不是在编译器读取它的时候。",
        ),
        phrases=("has invalid type. Expected {expected}, but got {got}",),
        aliases=("F00001",),
        words=("has invalid type. Expected int64 or tuple",),
        bad=_call("pypto.set_pass_options(vec_nbuffer_setting=3)"),
        good=_call('pypto.set_pass_options(vec_nbuffer_setting={"DEFAULT": 3})'),
    )
)

register(
    Rule(
        code="PTO283",
        name="option-range",
        exc=ValueError,
        title=T("option out of range", "选项超出取值范围"),
        message=T(
            "option '{name}' is {value}: its value doesn't within the value range ({expected})",
            "选项 {name} 为 {value}，超出取值范围（{expected}）",
        ),
        help=T("what {name} takes: {expected}", "{name} 应为：{expected}"),
        explanation=T(
            "Options that steer a device have no effect on results here, but a value that the toolchain refuses is "
            "refused here as well, so that the kernel file also compiles there.",
            "用于控制设备的选项在这里不影响结果，但工具链拒绝的取值在这里同样被拒绝，以保证 kernel 文件在设备上也能编译。",
        ),
        phrases=("its value doesn't within the value range",),
        aliases=("F21004",),
        words=(
            "has invalid length. Expected 3",
            "tuple must be (count, side)",
            "merge count must be an int in [1, 1000000)",
            "side must be one of",
        ),
        bad=_kernel(options='(runtime_options={"device_sched_mode": 9})'),
        good=_kernel(options='(runtime_options={"device_sched_mode": 3})'),
    )
)

register(
    Rule(
        code="PTO284",
        name="option-of-another-version",
        severity="warning",
        title=T("option of another version", "其他版本的选项"),
        message=T(
            "{name} is not an option of the present API; it is recorded and has no effect",
            "{name} 不是当前 API 的选项；已记录，但不起作用",
        ),
        help=T("remove the key, or keep it for the version that knows it", "请删除该键，或仅为识别它的版本保留"),
        explanation=T(
            "Kernels written for older versions carry keys that later versions dropped. None of them changes what a "
            "kernel computes, so they are accepted. A newer toolchain refuses them.",
            "为旧版本编写的 kernel 会带有后来被取消的键。它们都不影响计算结果，因此被接受；较新的工具链会拒绝。",
        ),
        bad=_kernel(options='(runtime_options={"stitch_cfgcache_size": 0})'),
        good=_kernel(options='(runtime_options={"device_sched_mode": 1})'),
    )
)

register(
    Rule(
        code="PTO285",
        name="tile-argument-type",
        exc=TypeError,
        title=T("tile extents are separate ints", "tile 尺寸须为独立的整数"),
        message=T(
            "{call} takes ints, but got {got}: Unsupported list element type for key: {key}",
            "{call} 只接受整数，但得到 {got}：Unsupported list element type for key: {key}",
        ),
        help=T(
            "pass ints, for the vector tile one by one: pypto.set_vec_tile_shapes(16, 64)",
            "请传入整数；vector tile 逐个给出：pypto.set_vec_tile_shapes(16, 64)",
        ),
        explanation=T(
            "Tile extents decide how the compiler cuts an operation, so they are plain ints, one argument per axis "
            "for the vector tile. Lists and floats are refused by every version.",
            "tile 尺寸决定编译器如何切分运算，因此必须是普通整数，vector tile 每个轴一个参数。所有版本都拒绝列表和浮点数。",
        ),
        phrases=("Unsupported list element type for key: {key}",),
        bad=_kernel("pypto.set_vec_tile_shapes([8, 32])"),
        good=_kernel("pypto.set_vec_tile_shapes(8, 32)"),
    )
)

register(
    Rule(
        code="PTO286",
        name="symbolic-tile",
        exc=ValueError,
        title=T("symbolic tile extent", "符号化的 tile 尺寸"),
        message=T(
            "Not concrete value: {call} needs ints, and {value} is known only at run time",
            "Not concrete value：{call} 需要整数，而 {value} 只有运行时才知道",
        ),
        help=T(
            "use a number, an int parameter of the kernel, or a dimension marked STATIC",
            "请使用常数、kernel 的 int 参数，或标记为 STATIC 的维度",
        ),
        explanation=T(
            "A tile is cut at compile time, and one compilation serves every size of a DYNAMIC dimension. So a tile "
            "extent cannot depend on such a dimension, on a loop index or on a value read from a tensor.",
            "tile 在编译时切分，而一次编译要服务于 DYNAMIC 维度的所有尺寸。因此 tile 尺寸不能依赖这类维度、循环下标或从 "
            "tensor 读出的值。",
        ),
        phrases=("Not concrete value",),
        aliases=("F00002", "OL48"),
        bad=_kernel("pypto.set_vec_tile_shapes(x.shape[0], 32)").replace("Tensor([8,", "Tensor([pypto.DYNAMIC,"),
        good=_kernel("pypto.set_vec_tile_shapes(x.shape[0], 32)").replace("Tensor([8,", "Tensor([pypto.STATIC,"),
    )
)

register(
    Rule(
        code="PTO287",
        name="cube-tile-length",
        exc=ValueError,
        title=T("wrong number of cube tile extents", "cube tile 尺寸个数错误"),
        message=T(
            "{name} must have {wanted} elements, got {got}",
            "{name} must have {wanted} elements, got {got}（元素个数错误）",
        ),
        help=T(
            "write set_cube_tile_shapes([mL0, mL1], [kL0, kL1], [nL0, nL1])",
            "写 set_cube_tile_shapes([mL0, mL1], [kL0, kL1], [nL0, nL1])",
        ),
        explanation=T(
            "A matmul is cut twice, for L1 and for L0, so m and n are two extents each. k has two, or three where the "
            "operands have L1 extents of their own.",
            "matmul 按 L1 和 L0 两级切分，因此 m 和 n 各有两个尺寸；k 有两个，或在两个操作数的 L1 尺寸不同时有三个。",
        ),
        aliases=("OL48",),
        phrases=("{name} must have {wanted} elements, got {got}",),
        bad=_call("pypto.set_cube_tile_shapes([16], [16, 16], [16, 16])"),
        good=_call("pypto.set_cube_tile_shapes([16, 16], [16, 16], [16, 16])"),
    )
)

register(
    Rule(
        code="PTO288",
        name="tile-argument-kind",
        exc=TypeError,
        title=T("wrong kind of tile argument", "tile 参数种类错误"),
        message=T(
            "{name} takes {wanted} extents in a list, a tuple or their own class, but got {got}",
            "{name} 需要 {wanted} 个尺寸（列表、元组或专用类），但得到 {got}",
        ),
        help=T(
            "for example set_cube_tile_shapes([16, 16], [16, 16], [16, 16])",
            "例如 set_cube_tile_shapes([16, 16], [16, 16], [16, 16])",
        ),
        explanation=T(
            "Cube tiles are three lists, one per axis of the matmul; convolution tiles are a TileL1Info and, if "
            "wanted, a TileL0Info.",
            "cube tile 由三个列表组成，分别对应 matmul 的三个轴；卷积 tile 由 TileL1Info 和可选的 TileL0Info 给出。",
        ),
        bad=_call("pypto.set_cube_tile_shapes(16, 16, 16)"),
        good=_call("pypto.set_cube_tile_shapes([16, 16], [16, 16], [16, 16])"),
    )
)

register(
    Rule(
        code="PTO289",
        name="cube-tile-of-an-older-version",
        severity="warning",
        title=T("cube tile argument of an older version", "旧版本的 cube tile 参数"),
        message=T(
            "{name} is not an argument of the present API; it is accepted and has no effect",
            "{name} 不是当前 API 的参数；已接受，但不起作用",
        ),
        help=T(
            "write set_cube_tile_shapes(m, k, n, enable_split_k)",
            "请写成 set_cube_tile_shapes(m, k, n, enable_split_k)",
        ),
        explanation=T(
            "Older versions had a flag for loading several blocks at once. It never changed a result. Present "
            "toolchains refuse the argument.",
            "旧版本有一个一次加载多块数据的开关，它从不影响结果。当前的工具链会拒绝该参数。",
        ),
        bad=_call("pypto.set_cube_tile_shapes([16, 16], [16, 16], [16, 16], enable_multi_data_load=True)"),
        good=_call("pypto.set_cube_tile_shapes([16, 16], [16, 16], [16, 16])"),
    )
)

register(
    Rule(
        code="PTO290",
        name="mixed-setting-keys",
        exc=ValueError,
        title=T("two kinds of keys in one setting", "同一设置中混用两种键"),
        message=T(
            "{name} cannot mix integer keys with func/DEFAULT keys: it has {numbers} and {functions!r}",
            "{name} 不能混用整数键与 func/DEFAULT 键：同时出现 {numbers} 和 {functions!r}"
            "（cannot mix integer keys with func/DEFAULT keys）",
        ),
        help=T('write "DEFAULT" instead of -1', '请用 "DEFAULT" 代替 -1'),
        explanation=T(
            "Subgraph settings are looked up by function key, then by DEFAULT. Integer keys are the older form; a "
            "dictionary with both has no defined order.",
            "子图设置先按函数键查找，再按 DEFAULT 查找。整数键是旧写法；两种键并存时查找顺序没有定义。",
        ),
        phrases=("cannot mix integer keys with func/DEFAULT keys",),
        bad=_call('pypto.set_pass_options(cube_nbuffer_setting={-1: 1, "func3_0": 2})'),
        good=_call('pypto.set_pass_options(cube_nbuffer_setting={"DEFAULT": 1, "func3_0": 2})'),
    )
)

register(
    Rule(
        code="PTO291",
        name="label-like-a-function-key",
        exc=ValueError,
        severity="warning",
        profiles=("0.3",),
        title=T("label reads like a function key", "标签与函数键同形"),
        message=T(
            "Semantic label '{label}' conflicts with function-granularity hashOrder format (refused by: {profiles})",
            "Semantic label '{label}' conflicts with function-granularity hashOrder format（拒绝它的版本：{profiles}）",
        ),
        help=T("choose a label that is not func<number>_<number>", "请使用不是 func<数字>_<数字> 形式的标签"),
        explanation=T(
            "Settings of subgraphs are looked up by function keys of this form, so a label of the same form is "
            "ambiguous. Version 0.2 accepts it, version 0.3 refuses it.",
            "子图设置用这种形式的函数键查找，因此同形的标签有歧义。0.2 版接受，0.3 版拒绝。",
        ),
        phrases=("Semantic label '{label}' conflicts with function-granularity hashOrder format",),
        bad=_call('pypto.set_semantic_label("func1_2")'),
        good=_call('pypto.set_semantic_label("scores")'),
    )
)

register(
    Rule(
        code="PTO292",
        name="pass-switch-type",
        exc=TypeError,
        title=T("a pass switch is a bool", "pass 开关须为布尔值"),
        message=T("Expected boolean type, but received {got}", "应为布尔值：Expected boolean type, but received {got}"),
        help=T("pass True or False", "请传入 True 或 False"),
        explanation=T(
            "Switches of compiler passes are on or off. They are recorded here and steer a device's compiler only.",
            "编译器 pass 的开关只有开和关。这里仅作记录，它们只影响设备编译器。",
        ),
        phrases=("Expected boolean type, but received {got}",),
        bad=_call("pypto.set_pass_default_config(pypto.PassConfigKey.KEY_DUMP_GRAPH, 1)"),
        good=_call("pypto.set_pass_default_config(pypto.PassConfigKey.KEY_DUMP_GRAPH, False)"),
    )
)

register(
    Rule(
        code="PTO293",
        name="pass-switch-key",
        exc=TypeError,
        title=T("unknown pass switch", "未知的 pass 开关"),
        message=T(
            "key must be a member of PassConfigKey, got {got}",
            "开关无效：key must be a member of PassConfigKey, got {got}",
        ),
        help=T("for example pypto.PassConfigKey.KEY_DUMP_GRAPH", "例如 pypto.PassConfigKey.KEY_DUMP_GRAPH"),
        explanation=T(
            "Switches are named by the members of PassConfigKey, not by strings, so that a misspelt one is noticed.",
            "开关用 PassConfigKey 的成员表示，而不是字符串，这样拼写错误能被发现。",
        ),
        phrases=("key must be a member of PassConfigKey, got {got}",),
        bad=_call('pypto.set_pass_default_config("dumpGraph", True)'),
        good=_call("pypto.set_pass_default_config(pypto.PassConfigKey.KEY_DUMP_GRAPH, False)"),
    )
)

register(
    Rule(
        code="PTO294",
        name="configuration-value",
        exc=ValueError,
        title=T("unknown value of a setting", "设置的取值无效"),
        message=T("{name} cannot be {value}", "{name} 不能为 {value}"),
        help=T("did you mean {near}? allowed: {allowed}", "是否指 {near}？可用取值：{allowed}"),
        explanation=T(
            "openpto.configure chooses numerics, engine, target profile, platform and threads. These settings are "
            "ours and never part of a kernel file.",
            "openpto.configure 用于选择数值模式、引擎、目标版本、平台和线程数。这些设置属于本项目，不写进 kernel 文件。",
        ),
        bad=_call('with openpto.configure(target="1.0"):', "    pass"),
        good=_call('with openpto.configure(target="0.2"):', "    pass"),
    )
)

register(
    Rule(
        code="PTO295",
        name="environment-value",
        exc=ValueError,
        title=T("unknown value of an environment variable", "环境变量取值无效"),
        message=T("{variable} is {value}", "{variable} 的值为 {value}"),
        help=T(
            "did you mean {near}? allowed: {allowed}; or unset the variable",
            "是否指 {near}？可用取值：{allowed}；或取消该变量",
        ),
        explanation=T(
            "A PYPTO_ variable with a value that does not exist stops the run. Ignoring it could leave the user with "
            "results of another mode than the one asked for.",
            "PYPTO_ 环境变量的取值不存在时运行会停止。若忽略它，用户得到的可能是另一种模式的结果。",
        ),
        bad=_ENVIRONMENT.format(value="fast"),
        good=_ENVIRONMENT.format(value="reference"),
    )
)

register(
    Rule(
        code="PTO297",
        name="invalid-run-mode",
        exc=RuntimeError,
        title=T("invalid run mode", "运行模式无效"),
        message=T(
            "Invalid run mode, run mode must be RunMode.NPU or RunMode.SIM. It is {value}",
            "运行模式为 {value}：Invalid run mode, run mode must be RunMode.NPU or RunMode.SIM.",
        ),
        help=T(
            'write runtime_options={{"run_mode": pypto.RunMode.SIM}}',
            '请写 runtime_options={{"run_mode": pypto.RunMode.SIM}}',
        ),
        explanation=T(
            "The mode is a member of RunMode, or 0 (NPU) or 1 (SIM). Strings are for the command line of a script "
            "and for PYPTO_RUN_MODE only.",
            "运行模式是 RunMode 的成员，或 0（NPU）、1（SIM）。字符串只用于脚本命令行和 PYPTO_RUN_MODE。",
        ),
        phrases=("Invalid run mode, run mode must be RunMode.NPU or RunMode.SIM.",),
        bad=_kernel(options='(runtime_options={"run_mode": "sim"})'),
        good=_kernel(options='(runtime_options={"run_mode": pypto.RunMode.SIM})'),
    )
)

register(
    Rule(
        code="PTO298",
        name="no-device",
        exc=RuntimeError,
        title=T("no NPU", "没有 NPU 设备"),
        message=T(
            "NPU is not available. {name} asks for RunMode.NPU ({source})",
            "NPU is not available. {name} 要求 RunMode.NPU（{source}）",
        ),
        help=T(
            "set PYPTO_RUN_MODE=sim to run the file as it is on this machine; for a device, let PYPTO_NPU_PYTHON name the "
            "interpreter of the vendor's stack, which pypto verify uses as well",
            "设置 PYPTO_RUN_MODE=sim 即可在本机原样运行该文件；若要在设备上运行，请让 PYPTO_NPU_PYTHON 指向厂商软件栈的解释器，"
            "pypto verify 也使用它",
        ),
        explanation=T(
            "A device run needs an Ascend NPU with driver 25.2.0 and CANN 8.5.0 or newer, torch_npu, and the vendor's "
            "toolchain. This project executes kernels on the CPU, in SIM mode, with exact results, and hands calls for a "
            "device to another interpreter: docs/verify.md describes how.",
            "设备运行需要 Ascend NPU、25.2.0 以上的驱动、8.5.0 以上的 CANN、torch_npu 以及厂商工具链。"
            "本项目在 CPU 上以 SIM 模式执行 kernel，并给出精确结果；设备上的调用则交给另一个解释器，见 docs/verify.md。",
        ),
        phrases=("NPU is not available.",),
        bad=_kernel(options='(runtime_options={"run_mode": pypto.RunMode.NPU})'),
        good=_kernel(options='(runtime_options={"run_mode": pypto.RunMode.SIM})'),
    )
)

register(
    Rule(
        code="PTO299",
        name="options-not-a-dictionary",
        exc=TypeError,
        title=T("options are a dictionary", "选项须为字典"),
        message=T("{name} takes a dict or None, but got {got}", "{name} 应为 dict 或 None，但得到 {got}"),
        help=T('write {name}={{"<key>": <value>}}', '请写 {name}={{"<key>": <value>}}'),
        explanation=T(
            "Each group of options is one dictionary from key to value; None means that nothing is set.",
            "每组选项是一个由键到值的字典；None 表示不设置任何选项。",
        ),
        bad=_kernel(options="(pass_options=3)"),
        good=_kernel(options="(pass_options=None)"),
    )
)
