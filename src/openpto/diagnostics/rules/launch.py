"""PTO620 to PTO626: what compiles and is known to fail, or to go wrong, when a device launches it.

They are warnings whatever the target: the kernel means the same everywhere. docs/decisions/0025 gives the evidence
behind each threshold.
"""

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register

_KERNEL = """import numpy as np
import pypto{import_}

F = pypto.DT_FP32


{decorator}
def kernel(x: pypto.Tensor([{shape}], F), y: pypto.Tensor([{shape}], F)):
{body}

def run():
    x = np.ones(({size}), np.float32)
    {call}
"""


def _program(
    *lines: str, tile: str = "8, 16", shape: str = "16, 32", decorator: str = "@pypto.frontend.jit", target: str = ""
) -> str:
    """Source of a module with one kernel from x to y of one shape, and a `run()` that calls it, under a target."""
    body = "".join(f"    {line}\n" for line in (f"pypto.set_vec_tile_shapes({tile})", *lines))
    call = "kernel(x, np.zeros_like(x))"
    if target:
        call = f'with openpto.configure(target="{target}"):\n        {call}'
    import_ = "\n\nimport openpto" if target else ""
    size = shape.replace("pypto.DYNAMIC", "16")
    return _KERNEL.format(import_=import_, decorator=decorator, shape=shape, size=size, body=body, call=call)


_LOOP = "for _ in pypto.loop(1):"
_ADD = "y[:] = x + 1.0"

register(
    Rule(
        code="PTO620",
        name="stitching-of-a-simple-kernel",
        severity="warning",
        title=T("stitch options on a simple vector kernel", "在简单的向量 kernel 上使用 stitch 选项"),
        message=T(
            "{options} on a kernel of vector operations without a run-time loop: known to end in 'launch aicpu failed: "
            "107003'",
            "kernel 只含向量操作且没有运行期循环，却设置了 {options}：已知会以 'launch aicpu failed: 107003' 结束",
        ),
        help=T("leave only run_mode in runtime_options", "runtime_options 中只保留 run_mode"),
        explanation=T(
            "Stitching joins the root functions of a kernel, one per loop, into tasks of the device. A kernel of vector "
            "operations whose loops run once has one root function and nothing to join. Such kernels compiled with "
            "stitch_function_ options and failed when they were launched.",
            "stitch 把 kernel 的根函数（每个循环一个）合并为设备任务。只含向量操作、循环只执行一次的 kernel 只有一个根函数，"
            "没有可合并的内容。这类 kernel 带 stitch_function_ 选项时可以编译，但启动失败。",
        ),
        phrases=("launch aicpu failed: 107003",),
        aliases=("107003", "FFFFFF"),
        bad=_program(_ADD, decorator='@pypto.frontend.jit(runtime_options={"stitch_function_max_num": 128})'),
        good=_program(_ADD, decorator='@pypto.frontend.jit(runtime_options={"run_mode": pypto.RunMode.SIM})'),
    )
)

register(
    Rule(
        code="PTO621",
        name="tile-longer-than-its-axis",
        severity="warning",
        title=T("tile does not divide its axis", "tile 不能整除对应的轴"),
        message=T(
            "the tile ({tile}) does not divide axis {axis} of {op}, which has {extent} element(s): known to end in "
            "'launch aicpu failed: 107003'",
            "tile ({tile}) 不能整除 {op} 的轴 {axis}（{extent} 个元素）：已知会以 'launch aicpu failed: 107003' 结束",
        ),
        help=T(
            "give each axis min(its extent, tile): pypto.set_vec_tile_shapes({suggest})",
            "每个轴取其长度与 tile 中的较小者：pypto.set_vec_tile_shapes({suggest})",
        ),
        explanation=T(
            "Tiles longer than an axis are cut by the compiler, and elements come out right here. On devices four-"
            "dimensional kernels with one tile for all axes, such as (8, 8, 8, 8) on an axis of 1 or 4, compiled and "
            "failed when they were launched.",
            "编译器会截短超出轴长的 tile，此处结果正确。在设备上，四维 kernel 的各轴使用同一 tile（例如长度为 1 或 4 的轴使用 "
            "(8, 8, 8, 8)）时可以编译，但启动失败。",
        ),
        phrases=("launch aicpu failed: 107003",),
        aliases=("107003", "FFFFFF"),
        bad=_program(_ADD, shape="1, 16, 4, 16", tile="8, 8, 8, 8"),
        good=_program(_ADD, shape="1, 16, 4, 16", tile="1, 8, 4, 8"),
    )
)

_LATE = """import numpy as np
import pypto

F = pypto.DT_FP32
MODE = pypto.RunMode.SIM
{before}

{decorator}
def kernel(x: pypto.Tensor([16, 32], F), y: pypto.Tensor([16, 32], F)):
    pypto.set_vec_tile_shapes(8, 16)
    y[:] = x + 1.0


def run():
{body}    kernel(np.ones((16, 32), np.float32), np.zeros((16, 32), np.float32))
"""
_MODE = '@pypto.frontend.jit(runtime_options={"run_mode": MODE})'

register(
    Rule(
        code="PTO622",
        name="run-mode-bound-early",
        severity="warning",
        title=T("run mode was bound before it was chosen", "运行模式在选定之前就已绑定"),
        message=T(
            "the decorator bound {bound}, and {source} says {chosen} now: a kernel keeps the run mode that its decorator saw",
            "装饰器绑定了 {bound}，而 {source} 现在为 {chosen}：kernel 保持装饰时的运行模式",
        ),
        help=T(
            "choose the mode above the decorator, or decorate after it is chosen: jit(runtime_options=...)(function)",
            "在装饰器之前选定模式，或选定之后再装饰：jit(runtime_options=...)(function)",
        ),
        explanation=T(
            "A decorator runs when its module is imported, before main() has read the command line. Options are copied "
            "then, so a variable that changes later, or --run_mode sim, seems to be ignored.",
            "装饰器在导入模块时执行，早于 main() 读取命令行。选项在那时被复制，因此之后变化的变量或 --run_mode sim 看似被忽略。",
        ),
        bad=_LATE.format(before="", decorator=_MODE, body="    global MODE\n    MODE = pypto.RunMode.NPU\n"),
        good=_LATE.format(before="", decorator=_MODE, body=""),
    )
)

register(
    Rule(
        code="PTO623",
        name="in-place-reshape-beside-operations",
        severity="warning",
        title=T("in-place reshape beside other operations", "就地 reshape 与其他操作写在一起"),
        message=T(
            "the in-place reshape of {name} stands in one straight line with {op} in {line}; it should be alone in a "
            "loop of its own",
            "{name} 的就地 reshape 与 {line} 的 {op} 位于同一段直线代码；它应单独位于自己的循环中",
        ),
        help=T(
            "put it under its own `for _ in pypto.loop(1):`, or leave out inplace=True",
            "把它单独放在 `for _ in pypto.loop(1):` 下，或去掉 inplace=True",
        ),
        explanation=T(
            "An in-place reshape only renames memory. The toolchains give it a root function of its own if nothing else "
            "is beside it; in one function with operations the sizes of the two names do not agree, and verification "
            "of the encoded program stops with a shape size mismatch.",
            "就地 reshape 只是给内存另起名称。旁边没有其他操作时工具链会为它建立单独的根函数；与操作放在同一函数时，两个名称的"
            "大小不一致，编码后的程序校验会以大小不匹配停止。",
        ),
        aliases=("F76007",),
        bad=_program("t = pypto.reshape(x, [32, 16], inplace=True)", "y[:] = pypto.reshape(t + 1.0, [16, 32])"),
        good=_program(
            _LOOP,
            "    t = pypto.reshape(x, [32, 16], inplace=True)",
            _LOOP,
            "    y[:] = pypto.reshape(t + 1.0, [16, 32])",
        ),
    )
)

_DYNAMIC = "pypto.DYNAMIC, 32"

register(
    Rule(
        code="PTO624",
        name="dynamic-kernel-without-a-loop",
        severity="warning",
        title=T("dynamic tensor in a kernel without a loop", "没有循环的 kernel 使用动态张量"),
        message=T(
            "{name} is DYNAMIC, and the kernel has no pypto.loop: checks of the toolchains want one around its windows",
            "{name} 含 DYNAMIC 轴，而 kernel 中没有 pypto.loop：工具链的检查要求其窗口位于循环中",
        ),
        help=T(
            "put the body under `for _ in pypto.loop(1):`, or loop over blocks of the dynamic axis",
            "把主体放在 `for _ in pypto.loop(1):` 下，或按块循环遍历动态轴",
        ),
        explanation=T(
            "A dynamic tensor is read through windows of fixed shape inside of a pypto.loop; the checks of operator "
            "projects refuse a dynamic kernel that has no loop at all. A loop of one iteration satisfies them. This is "
            "told only where a target is chosen.",
            "动态张量应在 pypto.loop 中通过固定形状的窗口读取；算子工程的检查会拒绝完全没有循环的动态 kernel。执行一次的循环即可满足。"
            "仅在选定 target 时提示。",
        ),
        aliases=("OL43", "F0000A"),
        bad=_program(
            "t = pypto.view(x, [16, 32], [0, 0])", "pypto.assemble(t + 1.0, [0, 0], y)", shape=_DYNAMIC, target="0.3"
        ),
        good=_program(
            _LOOP,
            "    t = pypto.view(x, [16, 32], [0, 0])",
            "    pypto.assemble(t + 1.0, [0, 0], y)",
            shape=_DYNAMIC,
            target="0.3",
        ),
    )
)

_TAIL = (
    "for i in pypto.loop(2):",
    "    t = pypto.view(x, [8, 32], [i * 8, 0])",
    "    if pypto.is_loop_end(i):",
    "        pypto.assemble({tail}, [i * 8, 0], y)",
    "    else:",
    "        pypto.assemble({rest}, [i * 8, 0], y)",
)

register(
    Rule(
        code="PTO625",
        name="cumsum-in-the-last-iteration",
        severity="warning",
        title=T("cumsum in the branch of the last iteration", "最后一次迭代的分支中使用 cumsum"),
        message=T(
            "cumsum stands in a branch on is_loop_end ({line}); compilers are known to fail there",
            "cumsum 位于 is_loop_end 的分支中（{line}）；已知编译器在此失败",
        ),
        help=T(
            "compute it before the if, or as a product with a triangular matrix of ones",
            "在 if 之前计算，或用元素为 1 的三角矩阵做矩阵乘",
        ),
        explanation=T(
            "The tail of an axis is often computed apart, under is_loop_end. Kernels with cumsum in that branch did not "
            "compile; the same operation before the branch did.",
            "轴的尾块常在 is_loop_end 下单独计算。在该分支中使用 cumsum 的 kernel 无法编译，放在分支之前则可以。",
        ),
        bad=_program(*_TAIL).format(tail="pypto.cumsum(t, 1)", rest="t"),
        good=_program(*_TAIL[:2], "    s = pypto.cumsum(t, 1)", *_TAIL[2:]).format(tail="s", rest="t"),
    )
)

_READ = (
    "n = pypto.tensor([1, 8], pypto.DT_INT32)",
    "n[:] = pypto.full([1, 8], 2, pypto.DT_INT32) + 0",
)

register(
    Rule(
        code="PTO626",
        name="scalar-of-unfinished-tensor",
        severity="warning",
        title=T("scalar read of a tensor that is still being computed", "读取仍在计算中的张量的标量"),
        message=T(
            "an element of {name} is read for control flow, and {op} in {line} computes it; nothing makes the device "
            "finish that first",
            "控制流读取 {name} 的元素，而它由 {line} 的 {op} 计算；没有任何内容要求设备先完成该计算",
        ),
        help=T(
            "compute it in a loop of its own and read it in the next one, with submit_before_loop=True",
            "在单独的循环中计算，在下一个循环中读取，并设 submit_before_loop=True",
        ),
        explanation=T(
            "Scalars are fetched by the control core, which runs ahead of the operations. submit_before_loop=True makes "
            "it wait until the work recorded so far is done. Without it the element may be read before it is written, "
            "and the control flow fails or goes wrong.",
            "标量由控制核读取，控制核先于各操作运行。submit_before_loop=True 使其等待已记录的工作完成。否则可能在写入之前读取，"
            "导致控制流失败或出错。",
        ),
        aliases=("F73001",),
        bad=_program(*_READ, "for i in pypto.loop(n[0, 0]):", "    y[:] = x + 1.0"),
        good=_program(
            *_READ,
            "for _ in pypto.loop(1, submit_before_loop=True):",
            "    for i in pypto.loop(n[0, 0]):",
            "        y[:] = x + 1.0",
        ),
    )
)
