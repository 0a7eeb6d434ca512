"""PTO500-510, PTO534-536: what may be decorated, signatures, kernels in kernels."""

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register
from openpto.diagnostics.rules.kernel_examples import GOOD, OUT, X, add_kernel

register(
    Rule(
        code="PTO500",
        name="jit-of-something-else",
        exc=TypeError,
        title=T("not a function", "被装饰的不是函数"),
        message=T(
            "jit decorator can only be used on functions, not on {got}",
            "jit decorator can only be used on functions，而不是 {got}",
        ),
        help=T("decorate a plain function: def kernel(...)", "请装饰普通函数：def kernel(...)"),
        explanation=T(
            "A kernel is compiled from the source text of one function. A class, a callable object, a method bound to "
            "an object or a kernel has no such text of its own.",
            "kernel 由一个函数的源代码编译而成。类、可调用对象、绑定方法或已有的 kernel 都没有这样的源代码。",
        ),
        phrases=("jit decorator can only be used on functions",),
        aliases=("F00001",),
        bad="import pypto\n\n\ndef run():\n    pypto.frontend.jit(print)\n",
        good="import pypto\n\n\ndef run():\n    pypto.frontend.jit(lambda: None)\n",
    )
)

register(
    Rule(
        code="PTO501",
        name="return-annotation",
        exc=ValueError,
        title=T("return annotation", "返回值注解"),
        message=T(
            "Return annotation is not allowed. {kernel} returns nothing",
            "Return annotation is not allowed. {kernel} 没有返回值",
        ),
        help=T("remove '-> ...' from the def line", "请删除 def 行上的 '-> ...'"),
        explanation=T(
            "A kernel hands its results back through tensor parameters and a call returns None. The toolchain refuses "
            "any return annotation, '-> None' included.",
            "kernel 通过 tensor 参数返回结果，调用总是返回 None。工具链拒绝任何返回值注解，包括 '-> None'。",
        ),
        phrases=("Return annotation is not allowed.",),
        bad=add_kernel(arrow=" -> None"),
        good=GOOD,
    )
)

register(
    Rule(
        code="PTO502",
        name="variable-arguments",
        exc=NotImplementedError,
        title=T("*args in a kernel", "kernel 中的 *args"),
        message=T(
            "Variable-length arguments (*args) are not supported: *{name} in {kernel}",
            "Variable-length arguments (*args) are not supported：{kernel} 的 *{name}",
        ),
        help=T("name each parameter, or pass a list after the tensors", "请逐个写出参数，或在 tensor 之后传入列表"),
        explanation=T(
            "The number of tensors of a kernel is fixed when it is compiled, and each has its own declaration.",
            "kernel 的 tensor 个数在编译时确定，每个 tensor 都有自己的声明。",
        ),
        phrases=("Variable-length arguments (*args) are not supported",),
        aliases=("F00005",),
        bad=add_kernel(params=f"{X}, {OUT}, *rest"),
        good=add_kernel(params=f"{X}, {OUT}, rest=()"),
    )
)

register(
    Rule(
        code="PTO503",
        name="keyword-packing",
        exc=NotImplementedError,
        title=T("**kwargs in a kernel", "kernel 中的 **kwargs"),
        message=T(
            "Keyword argument packing (**kwargs) is not supported: **{name} in {kernel}",
            "Keyword argument packing (**kwargs) is not supported：{kernel} 的 **{name}",
        ),
        help=T("name each parameter, or pass a dict after the tensors", "请逐个写出参数，或在 tensor 之后传入字典"),
        explanation=T(
            "A kernel's parameters are part of its compiled form. A dictionary may be passed as an ordinary argument.",
            "kernel 的参数是其编译结果的一部分。可以把字典作为普通参数传入。",
        ),
        phrases=("Keyword argument packing (**kwargs) is not supported",),
        aliases=("F00005",),
        bad=add_kernel(params=f"{X}, {OUT}, **rest"),
        good=add_kernel(params=f"{X}, {OUT}, rest=None"),
    )
)

register(
    Rule(
        code="PTO504",
        name="keyword-only-parameter",
        exc=NotImplementedError,
        title=T("keyword-only parameter", "仅限关键字的参数"),
        message=T(
            "Keyword-only arguments are not supported: {name} in {kernel}",
            "Keyword-only arguments are not supported：{kernel} 的 {name}",
        ),
        help=T("remove the '*'; a call may still use keywords", "请删除 '*'；调用时仍可使用关键字"),
        explanation=T(
            "Both front ends of the toolchain refuse the bare star in a kernel's signature. Parameters that are not "
            "tensors can always be passed by keyword.",
            "工具链的两种前端都拒绝 kernel 签名中的单独星号。非 tensor 参数总可以用关键字传入。",
        ),
        phrases=("Keyword-only arguments are not supported",),
        aliases=("F00005",),
        bad=add_kernel(params=f"{X}, {OUT}, *, n=1"),
        good=add_kernel(params=f"{X}, {OUT}, n=1"),
    )
)

register(
    Rule(
        code="PTO505",
        name="positional-only-parameter",
        exc=NotImplementedError,
        title=T("positional-only parameter", "仅限位置的参数"),
        message=T(
            "Position-only arguments are not supported: {name} in {kernel}",
            "Position-only arguments are not supported：{kernel} 的 {name}",
        ),
        help=T("remove the '/'", "请删除 '/'"),
        explanation=T(
            "Both front ends of the toolchain refuse the slash in a kernel's signature. Tensors are passed by position "
            "anyway.",
            "工具链的两种前端都拒绝 kernel 签名中的斜杠。tensor 本来就按位置传入。",
        ),
        phrases=("Position-only arguments are not supported",),
        aliases=("F00005",),
        bad=add_kernel(params=f"{X}, /, {OUT}"),
        good=GOOD,
    )
)

register(
    Rule(
        code="PTO506",
        name="tensor-after-value",
        exc=ValueError,
        title=T("tensor parameter after another parameter", "tensor 参数位于其他参数之后"),
        message=T(
            "Non-tensor parameters must come after all tensor parameters. Found tensor parameter '{name}' after "
            "non-tensor parameter(s) '{before}'",
            "Non-tensor parameters must come after all tensor parameters. tensor 参数 '{name}' 位于非 tensor 参数 "
            "'{before}' 之后",
        ),
        help=T("move {name} before {before}", "请把 {name} 移到 {before} 之前"),
        explanation=T(
            "Tensors are matched by position, so they stand first. A parameter without a tensor annotation counts as "
            "another parameter, also where a tensor was meant.",
            "tensor 按位置匹配，因此必须排在最前面。没有 tensor 注解的参数一律视为非 tensor 参数。",
        ),
        phrases=(
            "Non-tensor parameters must come after all tensor parameters.",
            "Found tensor parameter '{name}' after non-tensor parameter(s)",
        ),
        aliases=("F00002", "OL26"),
        bad=f"import pypto\n\nF = pypto.DT_FP32\n\n\ndef run():\n    def kernel({X}, n, {OUT}):\n        out[:] = x + n\n\n"
        "    pypto.frontend.jit(kernel)\n",
        good=f"import pypto\n\nF = pypto.DT_FP32\n\n\ndef run():\n    def kernel({X}, {OUT}, n):\n        out[:] = x + n\n\n"
        "    pypto.frontend.jit(kernel)\n",
    )
)

register(
    Rule(
        code="PTO507",
        name="tensor-default",
        exc=ValueError,
        title=T("default of a tensor parameter", "tensor 参数的默认值"),
        message=T(
            "Default values are only allowed for non-tensor parameters. '{name}' is a tensor",
            "Default values are only allowed for non-tensor parameters. '{name}' 是 tensor",
        ),
        help=T("remove the default of {name}", "请删除 {name} 的默认值"),
        explanation=T(
            "Every tensor of a kernel is passed at every call.",
            "每次调用都必须传入 kernel 的所有 tensor。",
        ),
        phrases=("Default values are only allowed for non-tensor parameters.",),
        aliases=("F00002",),
        bad=f"import pypto\n\nF = pypto.DT_FP32\n\n\ndef run():\n    def kernel({X} = None):\n        x[:] = x + 1.0\n\n"
        "    pypto.frontend.jit(kernel)\n",
        good=f"import pypto\n\nF = pypto.DT_FP32\n\n\ndef run():\n    def kernel({X}):\n        x[:] = x + 1.0\n\n"
        "    pypto.frontend.jit(kernel)\n",
    )
)

register(
    Rule(
        code="PTO508",
        name="annotation-as-text",
        exc=RuntimeError,
        severity="warning",
        profiles=("0.2", "0.3"),
        title=T("annotation written as text", "以字符串书写的注解"),
        message=T(
            "the annotation of {name} is a string; it is read as the tensor it names. {profiles} says: Non-tensor "
            "parameter '{name}' must not be a torch.Tensor. Use positional arguments for tensors.",
            "{name} 的注解是字符串，这里按其所指的 tensor 处理。{profiles} 会报：Non-tensor parameter '{name}' must not be "
            "a torch.Tensor. Use positional arguments for tensors.",
        ),
        help=T(
            "remove 'from __future__ import annotations' from the file, or the quotes around the annotation",
            "请从文件中删除 'from __future__ import annotations'，或去掉注解的引号",
        ),
        explanation=T(
            "With postponed annotations Python stores every annotation as text. The toolchain does not evaluate it, "
            "takes the tensor for another parameter, and complains about something else.",
            "启用推迟求值后，Python 把每个注解保存为文本。工具链不会求值，于是把 tensor 当作其他参数，并报出不相干的错误。",
        ),
        phrases=("Non-tensor parameter '{name}' must not be a torch.Tensor. Use positional arguments for tensors.",),
        aliases=("F00003",),
        bad="from __future__ import annotations\n\n" + GOOD,
        good=GOOD,
    )
)

register(
    Rule(
        code="PTO510",
        name="annotation-without-shape",
        exc=AttributeError,
        severity="warning",
        profiles=("0.2",),
        title=T("the class Tensor as an annotation", "以 Tensor 类本身作注解"),
        message=T(
            "{name} is annotated with the class Tensor; {profiles} says: type object 'Tensor' has no attribute 'shape'",
            "{name} 以 Tensor 类作注解；{profiles} 会报：type object 'Tensor' has no attribute 'shape'",
        ),
        help=T(
            "write an instance: {name}: pypto.Tensor(), or pypto.Tensor([pypto.DYNAMIC, 128], pypto.DT_FP32)",
            "请写实例：{name}: pypto.Tensor()，或 pypto.Tensor([pypto.DYNAMIC, 128], pypto.DT_FP32)",
        ),
        explanation=T(
            "The class declares nothing, so shape and dtype come from the argument. The older front end asks every "
            "annotation for its shape, and the class has none.",
            "类本身不声明任何内容，shape 和 dtype 取自实参。旧前端会读取每个注解的 shape，而类没有该属性。",
        ),
        phrases=("type object 'Tensor' has no attribute 'shape'",),
        bad=GOOD.replace(f"{X}, ", "x: pypto.Tensor, "),
        good=GOOD,
    )
)

register(
    Rule(
        code="PTO534",
        name="kernel-in-a-kernel",
        exc=TypeError,
        severity="warning",
        profiles=("0.2", "0.3"),
        title=T("kernel called inside a kernel", "kernel 内调用 kernel"),
        message=T(
            "{name} is inlined into the kernel that calls it; {profiles} says: input type is not currently supported.",
            "{name} 被内联到调用它的 kernel 中；{profiles} 会报：input type is not currently supported.",
        ),
        help=T(
            "call the plain function from both kernels, or mark it with @pypto.frontend.function",
            "请在两个 kernel 中调用同一个普通函数，或用 @pypto.frontend.function 标记",
        ),
        explanation=T(
            "The meaning is that of the called function's statements, so they are inlined. The toolchain cannot pass "
            "tensors of one kernel to another.",
            "其含义就是被调函数的语句，因此直接内联。工具链无法把一个 kernel 的 tensor 传给另一个 kernel。",
        ),
        phrases=("input type is not currently supported.",),
        bad=add_kernel(
            before=f"\n\n@pypto.frontend.jit\ndef inner({X}, {OUT}):\n    out[:] = x + 1.0\n", body="inner(x, out)"
        ),
        good=add_kernel(before="\n\ndef inner(x, out):\n    out[:] = x + 1.0\n", body="inner(x, out)"),
    )
)

register(
    Rule(
        code="PTO535",
        name="lambda-kernel",
        exc=TypeError,
        title=T("a lambda cannot be a kernel", "lambda 不能作为 kernel"),
        message=T(
            "a lambda has no annotations, so it has no tensor parameters to write into",
            "lambda 没有注解，因此没有可写入的 tensor 参数",
        ),
        help=T("write def kernel(x: pypto.Tensor(...), ...)", "请写成 def kernel(x: pypto.Tensor(...), ...)"),
        explanation=T(
            "A lambda can be decorated, as in the toolchain, and stops at its first call: tensors are declared by "
            "annotations, which a lambda cannot have.",
            "与工具链一样，lambda 可以被装饰，但会在第一次调用时停止：tensor 由注解声明，而 lambda 不能有注解。",
        ),
        bad="import pypto\n\nkernel = pypto.frontend.jit(lambda x: x)\n\n\ndef run():\n    kernel(1)\n",
        good=GOOD,
    )
)

register(
    Rule(
        code="PTO536",
        name="jit-keyword-of-an-older-version",
        severity="warning",
        title=T("jit keyword of an older version", "旧版本的 jit 关键字"),
        message=T(
            "jit({name}=...) is accepted and has no effect",
            "jit({name}=...) 已接受，但不起作用",
        ),
        help=T("remove {name}", "请删除 {name}"),
        explanation=T(
            "Older versions let a kernel choose whether compiled forms are kept and how control flow is inferred. "
            "Here specialisations are always kept and a kernel's meaning does not depend on such a choice.",
            "旧版本允许 kernel 选择是否缓存编译结果以及如何推断控制流。这里始终缓存，且 kernel 的含义与此无关。",
        ),
        bad=add_kernel().replace("@pypto.frontend.jit", "@pypto.frontend.jit(use_cache=False)"),
        good=GOOD,
    )
)
