"""Cases that need something not available yet: file name -> the ops and dtypes it waits for.

Each of them must end in a coded stop. One that passes has to leave the list, so the list never lags behind.
"""

WAITING: dict[str, str] = {
    "case001": "DT_BF16",
    "case003": "DT_BF16",
    "case005": "DT_FP16",
    "case007": "DT_FP16, DT_INT8, saturation",
    "case009": "floor, trunc, round",
    "case011": "cumsum, DT_INT16",
    "case013": "DT_BF16, floor, trunc",
    "case027": "expand_exp_dif",
    "case029": "topk",
    "case067": "cumsum",
    "case073": "index_put_",
    "case075": "scatter_update, DT_FP16",
    "case077": "argsort, topk",
    "case079": "one_hot",
    "case081": "floor_div, ceil_div",
    "case083": "clip",
    "case087": "trunc, signbit, DT_INT8",
    "case091": "matmul of DT_FP16",
    "case093": "matmul of DT_FP16 and DT_BF16",
    "case095": "matmul of DT_INT8",
    "case097": "matmul of DT_FP16",
    "case099": "matmul of DT_BF16",
    "case103": "matmul of DT_FP16 and DT_INT8, bias and scale",
    "case107": "DT_FP16",
    "case121": "fmod, remainder, pad, DT_FP16, DT_UINT8",
    "case131": "DT_FP16",
    "case135": "atomic_add",
}
