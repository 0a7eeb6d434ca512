"""PTO715-722, PTO742, PTO760: conventions of an operator collection for goldens and tests."""

from openpto.diagnostics.rules.lint_gym import GOOD as IMPL
from openpto.diagnostics.rules.lint_gym import convention


def example(
    body: str = "", imports: str = "from add_golden import add_golden\nfrom add_impl import add_wrapper"
) -> str:
    """A test file that keeps every convention, with parts exchanged."""
    return f"""# test_add.py
import os

import torch

{imports}

torch.npu.set_device(int(os.environ.get("TILE_FWK_DEVICE_ID", 0)))


def test_add_level0():
    torch.manual_seed(42)
    x = torch.rand(8, 32)
    out = torch.empty_like(x)
    add_wrapper(x, out)
    assert_allclose(out, add_golden(x))
{body}

def test_add_level1():
    test_add_level0()
"""


GOOD = example()

convention(
    11,
    "golden-cannot-be-imported",
    severity="warning",
    title=("a golden does other work when it is imported", "导入 golden 时会执行其他工作"),
    message=("importing this golden {what}", "导入该 golden 时会{what}"),
    help=(
        'move it into a function, or under `if __name__ == "__main__":`',
        '请移入函数，或放到 `if __name__ == "__main__":` 之下',
    ),
    why=(
        "Tests and tools import the golden to call its function. What else runs at import makes them slow, or stops them.",
        "测试与工具导入 golden 是为了调用其中的函数。导入时执行的其他内容会拖慢它们，或使其停止。",
    ),
    bad="# add_golden.py\nimport torch\n\nLIMITS = torch.load('limits.pt')\n\n\ndef add_golden(x):\n    return x + LIMITS\n",
    good="# add_golden.py\nimport torch\n\n\ndef add_golden(x):\n    return x + torch.load('limits.pt')\n",
)

convention(
    15,
    "golden-uses-pypto",
    title=("a golden does not use pypto", "golden 不使用 pypto"),
    message=("{what} in a golden", "golden 中出现 {what}"),
    help=(
        "write the golden in torch or numpy, with transpose instead of .T",
        "用 torch 或 numpy 编写 golden，并以 transpose 代替 .T",
    ),
    why=(
        "A golden that shares code with the kernel shares its mistakes.",
        "与 kernel 共用代码的 golden 也会共有同样的错误。",
    ),
    bad="# add_golden.py\nimport pypto\n\n\ndef add_golden(x):\n    return x + 1.0\n",
    good="# add_golden.py\nimport torch\n\n\ndef add_golden(x):\n    return torch.add(x, 1.0)\n",
)

convention(
    16,
    "kernel-file-imports-golden",
    title=("a kernel file imports the golden", "kernel 文件导入了 golden"),
    message=("{module} is the golden of this operator", "{module} 是该算子的 golden"),
    help=("compare in the test only", "只在测试中比较"),
    why=(
        "A kernel file that reaches the golden can return its result.",
        "能够访问 golden 的 kernel 文件可能直接返回其结果。",
    ),
    bad=IMPL.replace("import pypto\n", "import pypto\nfrom add_golden import add_golden\n"),
    good=IMPL,
)

convention(
    17,
    "kernel-in-test",
    title=("a test file defines a kernel", "测试文件中定义了 kernel"),
    message=("{name} stands in a test file", "{name} 位于测试文件中"),
    help=("move it to the kernel file and import it", "移到 kernel 文件并导入"),
    why=(
        "A test of a kernel of its own says nothing of the operator that is delivered.",
        "只测试自己定义的 kernel，无法说明交付的算子是否正确。",
    ),
    bad=GOOD + "\n\nimport pypto\n\n\n@pypto.frontend.jit\ndef kernel(x: pypto.Tensor([8, 32], pypto.DT_FP32)):\n"
    "    pypto.set_vec_tile_shapes(8, 32)\n    x[:] = x + 1.0\n",
    good=GOOD,
)

convention(
    18,
    "test-without-both-sides",
    title=("a test imports the kernel file and the golden", "测试应导入 kernel 文件与 golden"),
    message=("this test imports no {missing}", "该测试没有导入 {missing}"),
    help=("import the wrapper and the golden", "导入 wrapper 与 golden"),
    why=(
        "Without both sides there is nothing to compare.",
        "缺少任何一方都无从比较。",
    ),
    bad=example(imports="from add_impl import add_wrapper").replace("add_golden(x)", "x + 1.0"),
    good=GOOD,
)

convention(
    19,
    "test-without-comparison",
    title=("a test compares nothing", "测试没有进行比较"),
    message=(
        "no call of assert_allclose, assert_close or detailed_tensor_compare",
        "没有调用 assert_allclose、assert_close 或 detailed_tensor_compare",
    ),
    help=("compare every output with the golden", "将每个输出与 golden 比较"),
    why=(
        "A test that only runs the kernel passes with any numbers.",
        "只运行 kernel 的测试对任何数值都会通过。",
    ),
    bad=GOOD.replace("    assert_allclose(out, add_golden(x))\n", "    print(out, add_golden(x))\n"),
    good=GOOD,
)

convention(
    20,
    "test-without-device",
    title=("a test chooses no device", "测试没有选择设备"),
    message=("no {what} in this test", "该测试中没有 {what}"),
    help=(
        "write torch.npu.set_device(int(os.environ.get('TILE_FWK_DEVICE_ID', 0)))",
        "写 torch.npu.set_device(int(os.environ.get('TILE_FWK_DEVICE_ID', 0)))",
    ),
    why=(
        "Test runs share cards by this variable; a test without it takes card 0 from another.",
        "测试运行通过该变量共享卡；没有它的测试会抢占 0 号卡。",
    ),
    bad=GOOD.replace('torch.npu.set_device(int(os.environ.get("TILE_FWK_DEVICE_ID", 0)))\n', ""),
    good=GOOD,
)

convention(
    21,
    "test-without-levels",
    severity="warning",
    title=("a test has levels 0 and 1", "测试应有 0 级与 1 级"),
    message=("no test of {missing} here", "这里没有 {missing} 的测试"),
    help=(
        "name the tests ..._level0 (small) and ..._level1 (the sizes that are promised)",
        "将测试命名为 ..._level0（小尺寸）与 ..._level1（承诺的尺寸）",
    ),
    why=(
        "Small sizes find mistakes quickly; the promised ones find what depends on size.",
        "小尺寸能快速发现错误；承诺的尺寸能发现与尺寸有关的问题。",
    ),
    bad=GOOD.replace("level1", "large"),
    good=GOOD,
)

convention(
    22,
    "test-without-seed",
    severity="warning",
    title=("a test sets no seed", "测试没有设置随机种子"),
    message=("nothing sets the seed of the random inputs", "没有设置随机输入的种子"),
    help=("call torch.manual_seed(42)", "调用 torch.manual_seed(42)"),
    why=(
        "A failure that cannot be repeated cannot be repaired.",
        "无法重现的失败也无法修复。",
    ),
    bad=GOOD.replace("    torch.manual_seed(42)\n", ""),
    good=GOOD,
)

convention(
    42,
    "simulation-by-default",
    title=("a test runs in SIM unless told otherwise", "测试默认在 SIM 中运行"),
    message=("the default is {what}", "默认值为 {what}"),
    help=("make npu the default, and sim the choice", "默认使用 npu，由用户选择 sim"),
    why=(
        "The simulator of the toolchains computes no values: a test that runs there by default compares nothing.",
        "工具链的仿真不计算数值：默认在其中运行的测试没有比较任何东西。",
    ),
    bad=GOOD + '\n\nimport argparse\n\nargparse.ArgumentParser().add_argument("--run_mode", default="sim")\n',
    good=GOOD + '\n\nimport argparse\n\nargparse.ArgumentParser().add_argument("--run_mode", default="npu")\n',
)

convention(
    60,
    "test-reaches-no-kernel",
    title=("a test reaches no kernel", "测试没有执行到 kernel"),
    message=("nothing that this test calls comes from a kernel file", "该测试调用的内容都不来自 kernel 文件"),
    help=("call the wrapper, and compare what it wrote", "调用 wrapper，并比较其写入的结果"),
    why=(
        "A test that calls the golden only compares it with itself.",
        "只调用 golden 的测试是在与自身比较。",
    ),
    bad=GOOD.replace("    add_wrapper(x, out)\n", "    out = add_golden(x)\n"),
    good=GOOD,
)
