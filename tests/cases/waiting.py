"""Cases that need something not available yet: file name -> the ops and dtypes it waits for.

Each of them must end in a coded stop. One that passes has to leave the list, so the list never lags behind.
"""

WAITING: dict[str, str] = {
    "case001": "DT_BF16",
    "case027": "expand_exp_dif",
    "case081": "floor_div, ceil_div",
    "case083": "clip",
    "case087": "trunc, signbit, DT_INT8",
    "case091": "matmul of DT_FP16",
    "case093": "matmul of DT_FP16 and DT_BF16",
    "case095": "matmul of DT_INT8",
    "case097": "matmul of DT_FP16",
    "case099": "matmul of DT_BF16",
    "case103": "matmul of DT_FP16 and DT_INT8, bias and scale",
    "case121": "fmod, remainder, pad, DT_FP16, DT_UINT8",
    "case131": "DT_FP16",
}
