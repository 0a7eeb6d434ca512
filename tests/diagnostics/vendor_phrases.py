"""Phrases of the toolchains' messages, each with the rule whose message says it, or that answers it in other words, or
the reason why it has no meaning here.

`says` and `answers` name a rule and, where its bad example shows other particulars, the body of a kernel that leads to
it; the kernel has the parameters of `KERNEL`.
"""

from __future__ import annotations

from dataclasses import dataclass

KERNEL = """import numpy as np
import pypto
import pypto as P

F, H, I, U8 = P.DT_FP32, P.DT_FP16, P.DT_INT32, P.DT_UINT8
{before}

@P.frontend.jit{options}
def k(
    x: P.Tensor([32, 32], F), i: P.Tensor([32, 32], I), n: P.Tensor([4], I), u: P.Tensor([32, 32], U8),
    h: P.Tensor([32, 32], H), y: P.Tensor([32, 32], F),
):
    P.set_vec_tile_shapes(16, 32)
    P.set_cube_tile_shapes([16, 16], [32, 32], [16, 16])
    {body}
    y[:] = x + 1.0


def run():
    x, h, y = np.ones((32, 32), np.float32), np.zeros((32, 32), np.float16), np.zeros((32, 32), np.float32)
    k(x, np.zeros((32, 32), np.int32), np.full(4, 2, np.int32), np.zeros((32, 32), np.uint8), h, y)
"""


@dataclass(frozen=True)
class Phrase:
    """`words` of a message; see the module's header. `said` tells whether our message has the words."""

    words: str
    code: str = ""
    body: str = ""
    before: str = ""
    options: str = ""
    said: bool = True
    reason: str = ""

    @property
    def source(self) -> str:
        """The module that leads to the rule; empty if its bad example does."""
        if not (self.body or self.before or self.options):
            return ""
        body = (self.body or "pass").replace("\n", "\n    ")
        before = f"\n\n{self.before}\n" if self.before else ""
        return KERNEL.format(body=body, before=before, options=self.options)


def says(words: str, code: str, body: str = "", *, before: str = "", options: str = "") -> Phrase:
    """The rule's message has these words."""
    return Phrase(words, code, body, before, options)


def answers(words: str, code: str, body: str = "", *, before: str = "", options: str = "") -> Phrase:
    """The rule says the same in other words."""
    return Phrase(words, code, body, before, options, said=False)


def nothing(words: str, reason: str) -> Phrase:
    """There is nothing here that could be meant."""
    return Phrase(words, reason=reason)


MARKED = "@P.frontend.function\n"
NO_GRAPH = "calls of functions are objects of the toolchain's front end; OpenPTO runs the rewritten function itself"
GRAPH = "a check of the toolchain on its own graph"
RUNS = "runs here, as Python does"
BUILD = "a build of the vendor's calculator; OpenPTO needs none"

USER = [
    says("has invalid type. Expected", "PTO282"),
    says("'float' type cannot be moved to Tensor", "PTO650", "y[:] = x\ny[0:4, :] = 1.0"),
    says("type cannot be moved to Tensor", "PTO246"),
    says("Not concrete value", "PTO286"),
    says("Not concrete value", "PTO200"),
    says("Not concrete value", "PTO131", "while n[0] > 0:\n    pass"),
    says("Expected at least 2 tensor argument(s), got 1.", "PTO511"),
    says("name 't' is not defined", "PTO121"),
    says("is not supported by the PTO parser yet", "PTO110"),
    says("While is not supported by the PTO parser yet", "PTO671"),
    says("Placeholder '$i' not found", "PTO480"),
    says("rank not match, expect 2, but got 3", "PTO240", "a = x[0, 0, 0]"),
    answers("Offset.size() must be less than 4", "PTO240", "i[0, 0, 0, 0] = 3"),
    says("Failed to create dir", "PTO484"),
    says("ensure its parent dir exists", "PTO484"),
    says("Dynamic shape tensors are not allowed as operation operands", "PTO224"),
    says("Use view in pypto.loop", "PTO224"),
    says("Matrix K dimension mismatch", "PTO274"),
    says("batchSize invalid", "PTO278"),
    nothing(
        "must be even number", "pairs of 4-bit elements are a dtype of their own; scaled products ask for more (PTO263)"
    ),
    says("Invalid tile values: kL0=0, kL1a=0, kL1b=0, mL0=0, mL1=0, nL0=0, nL1=0", "PTO320"),
    says("Invalid L1/L0 relation: mL0=32, mL1=16, require mL0 <= mL1 && mL1 % mL0 == 0", "PTO321"),
    says("kL0(8) and nL0(16) must be aligned to 16 elements", "PTO322"),
    says("Only support TILEOP_ND", "PTO264"),
    says("must be 32-byte aligned", "PTO323"),
    says("tensor dtype must be DT_INT32.", "PTO256"),
    says("tensor dtype must be DT_INT32.", "PTO651"),
    says("Invalid shape -4", "PTO235"),
]

GRAPHS = [
    says("The parallel attribute value does not allow nesting", "PTO151"),
    nothing("Mismatch expression type", GRAPH),
    says("Their size actually are 1 and 2", "PTO236", "z = P.view(x, [16, 16], [0])"),
    nothing(
        "mix assemble and common operation for same output",
        "writes run in program order, whichever way they are written",
    ),
    says("Forbid duplicate name of loop idx", "PTO662"),
    says("Operation already in a group", "PTO611"),
    says("cycle detected", "PTO611"),
    nothing("Invalid function kind in JSON", "graphs are not reloaded from files"),
    says("shape not support binary operation", "PTO229"),
    says("The dtype of input tensors are not same.", "PTO228"),
    says("Axis is not in the reasonable range!", "PTO233", "z = P.amax(x, 2)"),
    says(
        "The shape size of tensor must less than or equal to INT32_MAX", "PTO235",
        "z = P.full([70000, 70000], 0.0, F)",
    ),
    nothing("iOperands.size() should be", GRAPH),
    says("Tile shape size 1 is not matched the output shape size 2", "PTO303"),
    answers("TileShape is no set for reduce op", "PTO301"),
    answers("FwkOp tile shape dimension mismatch", "PTO303"),
    answers("FwkOp tile shape's last dim is not aligned", "PTO305"),
    says(
        "tileShape of last axis need to 32Byte align", "PTO305",
        "P.set_vec_tile_shapes(4, 10)\nz = P.amax(h, -1, True)",
    ),
    says("operand1 dim[0] = -1, must be > 0", "PTO271"),
    answers(
        "scaleTensor only support int64 and uint64", "PTO275",
        "z = P.matmul(x, x, F, extend_params={'scale_tensor': x})",
    ),
    says(
        "ReLU is not supported in split-k scenarios", "PTO275",
        "P.set_cube_tile_shapes([16, 16], [32, 32], [16, 16], True)\n"
        "z = P.matmul(x, x, F, extend_params={'relu_type': P.ReLuType.RELU})",
    ),
    says("Output data type only support FP32 and INT32 when using GM accumulated", "PTO327"),
    answers(
        "Gm accumulation with output NZ format is not supported", "PTO276",
        "P.set_cube_tile_shapes([16, 16], [32, 32], [16, 16], True)\nz = P.matmul(x, x, F, c_matrix_nz=True)",
    ),
    *(says("Run pass failed", code) for code in ("PTO303", "PTO304", "PTO324", "PTO410")),
]  # fmt: skip

ENTRY = [
    says("jit decorator can only be used on functions", "PTO500"),
    answers("is not a Python function", "PTO500"),
    says("input type is not currently supported.", "PTO534"),
    says("Too many positional arguments: expected", "PTO512"),
    says("Unknown keyword argument(s): gian. Valid non-tensor parameters: gain", "PTO513"),
    says("Missing required non-tensor argument 'gain'", "PTO514"),
    says("Non-tensor parameter 'x' must not be a torch.Tensor. Use positional arguments for tensors.", "PTO508"),
    answers("Use positional arguments for tensors.", "PTO515"),
    says("must be a torch.Tensor, got", "PTO516"),
    answers("must not be a DTensor", "PTO519"),
    says("not all tensors are contiguous", "PTO517"),
    answers("There are 1 input tensor(s), but 2 input tensor definition(s).", "PTO511"),
    says("Invalid run mode, run mode must be RunMode.NPU or RunMode.SIM.", "PTO297"),
    says("NPU is not available.", "PTO298"),
    answers("Unsupported device type:", "PTO518"),
    nothing("handler is not initialized", "there is no handler of the driver"),
    nothing("The ori_shape of the tensor is not specified.", "tensors of callers have a shape"),
    answers("All input tensors must be on the same device", "PTO518"),
    answers("Not npu device", "PTO518"),
    answers("Empty tensor list", "PTO511"),
    says("The number of dimensions of input tensor x does not match", "PTO521"),
    says("The shape of x does not match", "PTO522"),
    says("The dtype of x does not match", "PTO523"),
    nothing("The format of x does not match", "tensors of callers have no format of their own; their memory is ND"),
    says("Non-tensor parameters must come after all tensor parameters. Found tensor parameter 'out'", "PTO506"),
    says("Default values are only allowed for non-tensor parameters.", "PTO507"),
    says("Symbolic scalar N has multiple concrete values: 8 and 9", "PTO525"),
    answers("Invalid input shape type:", "PTO269"),
]

PARSER = [
    *(says("Variable-length arguments (*args) are not supported", code) for code in ("PTO111", "PTO502")),
    says("Keyword-only arguments are not supported", "PTO504"),
    *(says("Keyword argument packing (**kwargs) is not supported", code) for code in ("PTO503", "PTO665")),
    says("Position-only arguments are not supported", "PTO505"),
    answers("Keyword argument defaults are not supported", "PTO504"),
    says("Return annotation is not allowed.", "PTO501"),
    says("For-else clauses are not supported", "PTO112"),
    says("Keyword arguments in nested function calls are not supported yet.", "PTO667"),
    nothing("Augmented assignment target type", RUNS),
    answers("Augmented assignment operator", "PTO260", "z = x\nz |= x"),
    answers("While loop is not supported yet.", "PTO671"),
    nothing("Unsupported expression type.", RUNS),
    says("Return statements are not allowed", "PTO113"),
    says("Return annotation is not allowed in nested functions", "PTO678"),
    says("Function step expects 2 arguments, but got 1", "PTO163"),
    nothing("Empty list/tuple cannot be used as loop iterator.", RUNS),
    says("Cannot unpack 2 values into 3 targets.", "PTO155"),
    nothing(
        "Input tensor 'x' cannot be reassigned",
        "a parameter's name may be bound anew; PTO412 tells where that loses a result",
    ),
    says("In nested function 'step': The shape of parameter x", "PTO164"),
    says("Loop iterator must be range  Iterator, or list/tuple, but got Tensor", "PTO152"),
    answers(
        "Loop variable must be a simple name or tuple/list for unpacking", "PTO219",
        "for y.a in P.loop(2):\n    pass",
    ),
    nothing("Tuple unpacking in for loop only supports simple names", RUNS),
    says("Expected tuple/list for unpacking, got SymbolicScalar", "PTO153"),
    says("range() not support symbolic scalar yet, try use pypto.loop", "PTO134"),
    says("Cannot unpack non-sequence type int", "PTO158"),
    answers("Cannot unpack non-sequence type Tensor", "PTO257"),
    answers("Assignment target must be a name, tuple, or subscript, but got", "PTO219", "y.a = 3"),
    *(
        says("Test condition must be a symbolic scalar or boolean, but got", code)
        for code in ("PTO130", "PTO666", "PTO660")
    ),
    says("Delete target must be a name", "PTO258", "del x[0]"),
    answers("Cannot convert assert condition of type", "PTO130", "assert x"),
    nothing("Expected tensor/bool/int argument for", "values of any type are constants of the kernel"),
    answers(
        "Tensor must be a pypto.Tensor, but got", "PTO164",
        "f(3)", before=MARKED + "def f(t: P.Tensor([4], F)):\n    pass",
    ),
    says("name 'offset' is not defined", "PTO120"),
    answers("is not defined in the current scope", "PTO120"),
    nothing("already exists in the current scope", RUNS),
    nothing("AssertionError", "an assert of the kernel runs as Python does while it is traced"),
    nothing("Expression contains unsafe operations", RUNS),
    nothing("parse() must be called before execute()", NO_GRAPH),
    says("break is not supported in pypto.loop", "PTO114"),
    says("continue is not supported in pypto.loop", "PTO114", "for j in P.loop(2):\n    continue"),
    answers("return is not supported in pypto.loop", "PTO113", "for j in P.loop(2):\n    return"),
    answers("Unsupported syntax <class 'ast.Return'>", "PTO113"),
    says("unroll factor 0 must be a positive integer", "PTO212"),
    answers("Top level must be function definition", "PTO500"),
    nothing("Unknown jump type:", GRAPH),
    says("loop() takes 1 to 3 positional arguments but 0 were given", "PTO208"),
    nothing("Invalid type for wrap", GRAPH),
    says("Conflicted var t", "PTO122"),
    answers("Function should not be called directly", "PTO162"),
    answers("is_loop_begin() must be called in a pypto.loop", "PTO209", "P.is_loop_begin(3)"),
    says("function nested is not allowed", "PTO904"),
]  # fmt: skip
