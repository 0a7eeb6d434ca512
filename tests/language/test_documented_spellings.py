"""Every documented spelling of a parameter leads to a parameter: those of the pages and those of the wrapper."""

import pytest

from openpto.ops import OPS

# operations: spellings; `a=b` is a spelling of the parameter b
TABLE = """
add sub mul: input input_tensor=input
abs neg sign signbit tanh relu reciprocal: input a=input
sin cos erf asin acos hypot prelu cbrt bitwise_and bitwise_not prod: input self=input
tan: input x=input
bitwise_or: input other input1=input input2=other
bitwise_xor: input other first=input second=other
pow: input base=input other
lrelu: input other=input negative_slope
permute: input input_tensor=input perm dims=perm
pad fillpad: input x=input mode value
pad: pad padding=pad
pack unpack: input self=input
unpack: dtype dstDataType=dtype
cast: input dtype mode CastMode=mode satmode SaturationMode=satmode
isfinite isnan gathermask: input self=input
ceil_div: input self=input other
axpy_: y x alpha
atan2: y x
index_add index_add_ index_add_ub index_add__ub: input dim index source alpha
index_put_: input indices values accumulate
scatter scatter_: input dim index src reduce
scatter_update: input dim index src
gather index_select: input dim index
topk: input k dim largest algo
argsort: input dim descending
var: input dim correction keepdim
sum amax amin prod argmax argmin: input dim keepdim
cumsum cumprod softmax: input dim
rms_norm: input gamma epsilon
clip: input min max
where: condition input other
view: input shape offsets valid_shape dtype
reshape: input shape valid_shape inplace
expand_clone: input shape valid_shape
transpose: input dim0 dim1
tril triu: input diagonal
full: size fill_value dtype valid_shape
one_hot: input num_classes
concat: tensors dim
matmul: input mat2 out_dtype a_trans b_trans c_matrix_nz extend_params
atomic_add: src offsets dst
unsqueeze: input dim
round: input decimals
sqrt rsqrt exp log log2 log10 reciprocal div remainder fmod pow: precision_type
"""
PAIRS = [
    (name, *(spelling.split("=") * 2)[:2])
    for line in TABLE.strip().splitlines()
    for name in line.split(":")[0].split()
    for spelling in line.split(":")[1].split()
]


@pytest.mark.parametrize(("name", "spelling", "parameter"), PAIRS)
def test_spelling(name, spelling, parameter):
    decl = OPS[name]
    assert decl.keywords.get(spelling, spelling) == parameter
    assert parameter in decl.signature.parameters
