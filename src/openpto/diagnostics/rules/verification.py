"""PTO480-484: verified calls."""

from __future__ import annotations

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register

_KERNEL = """import os
import tempfile

import numpy as np
import pypto

F = pypto.DT_FP32


@pypto.frontend.jit(verify_options={{"enable_pass_verify": True}})
def kernel(x: pypto.Tensor([8, 16], F), out: pypto.Tensor([8, 16], F)):
    pypto.set_vec_tile_shapes(8, 16)
{body}

def run():
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            x, out = np.ones((8, 16), np.float32), np.zeros((8, 16), np.float32)
            {call}
        finally:
            os.chdir(here)
"""
_DOUBLED = "    out[:] = x * 2.0\n"


def _example(call: str, body: str = _DOUBLED) -> str:
    return _KERNEL.format(body=body, call=call)


_SAVED = "    pypto.pass_verify_save(x, {})\n" + _DOUBLED
_GOLDENS = "pypto.set_verify_golden_data(goldens={}); kernel(x, out)"

register(
    Rule(
        code="PTO480",
        name="placeholder-without-keyword",
        exc=KeyError,
        title=T("placeholder without a value", "占位符没有值"),
        message=T(
            "Placeholder '${name}' not found in keyword arguments",
            "Placeholder '${name}' not found in keyword arguments（关键字参数中没有该占位符）",
        ),
        help=T(
            "pass it: pypto.pass_verify_save(x, fname, {name}=...)",
            "请传入：pypto.pass_verify_save(x, fname, {name}=...)",
        ),
        explanation=T(
            "`$name` in the file name of a dump stands for the keyword argument of that name, a number, text or symbol.",
            "文件名中的 `$name` 由同名关键字参数替换，可以是数字、文本或符号。",
        ),
        phrases=("Placeholder '$", "not found in keyword arguments"),
        aliases=("F00006",),
        bad=_example("kernel(x, out)", _SAVED.format("'x_$i'")),
        good=_example("kernel(x, out)", _SAVED.format("'x_$i', i=3")),
    )
)

register(
    Rule(
        code="PTO481",
        name="verify-needs-lists",
        exc=TypeError,
        title=T("lists are needed to verify", "验证需要列表"),
        message=T("{why}", "参数类型有误：{why}"),
        help=T(
            "one entry per tensor parameter, None where nothing is compared", "每个张量参数对应一项，不比较处填 None"
        ),
        explanation=T(
            "Tensors and goldens are matched by position with the tensor parameters of the kernel.",
            "张量和标杆数据按位置与 kernel 的张量参数对应。",
        ),
        bad=_example(_GOLDENS.format("x")),
        good=_example(_GOLDENS.format("[None, x * 2]")),
    )
)

register(
    Rule(
        code="PTO482",
        name="goldens-do-not-belong",
        exc=ValueError,
        title=T("goldens do not belong to the parameters", "标杆数据与参数不对应"),
        message=T("{why}", "标杆数据有误：{why}"),
        help=T("one golden per tensor parameter, of its shape, or None", "每个张量参数一个同形状的标杆数据，或 None"),
        explanation=T(
            "Goldens are matched by position with the tensor parameters of the kernel and compared element by element.",
            "标杆数据按位置与 kernel 的张量参数对应，并逐元素比较。",
        ),
        aliases=("FB4002",),
        bad=_example(_GOLDENS.format("[x * 2]")),
        good=_example(_GOLDENS.format("[None, x * 2]")),
    )
)

register(
    Rule(
        code="PTO483",
        name="golden-differs",
        exc=ValueError,
        severity="warning",
        title=T("result differs from its golden", "结果与标杆数据不一致"),
        message=T(
            "{failed} of {count} elements of {name} differ from the golden, by {absolute} at most; see {path}",
            "{name} 的 {count} 个元素中有 {failed} 个与标杆数据不同，最大误差 {absolute}；见 {path}",
        ),
        help=T(
            "pass_verify_error_tol=[rtol, atol] in verify_options sets what is allowed",
            "可用 verify_options 中的 pass_verify_error_tol=[rtol, atol] 设置容差",
        ),
        explanation=T(
            "An element passes if |result - golden| <= atol + rtol |golden|. The log and the tables are in the directory "
            "that the message names.",
            "若 |result - golden| <= atol + rtol |golden| 则该元素通过。日志和表格位于消息所示目录。",
        ),
        aliases=("FB4001",),
        bad=_example(_GOLDENS.format("[None, x * 3]")),
        good=_example(_GOLDENS.format("[None, x * 2]")),
    )
)

register(
    Rule(
        code="PTO484",
        name="output-directory",
        exc=OSError,
        title=T("directory of a verified call cannot be made", "无法创建校验调用的输出目录"),
        message=T(
            "Failed to create dir {folder}: {why}; ensure its parent dir exists",
            "无法创建目录：Failed to create dir {folder}：{why}（ensure its parent dir exists）",
        ),
        help=T(
            "run where files may be written, or name a directory: verify_options={{'pass_verify_save_tensor_dir': '...'}}",
            "请在可写的目录中运行，或指定目录：verify_options={{'pass_verify_save_tensor_dir': '...'}}",
        ),
        explanation=T(
            "A verified call writes what it printed, saved and compared below output/output_<time> of the working "
            "directory, or below the directory that its options name.",
            "校验调用会把打印、保存和比较的内容写入工作目录下的 output/output_<时间>，或选项所指定的目录。",
        ),
        phrases=("Failed to create dir", "ensure its parent dir exists"),
        aliases=("F00009", "FB3001"),
        bad=_example('open("output", "w").close(); kernel(x, out)', _SAVED.format("'x'")),
        good=_example("kernel(x, out)", _SAVED.format("'x'")),
    )
)
