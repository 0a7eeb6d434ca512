import pypto

T = pypto.Tensor([8, 32], pypto.DT_FP32)
OPTIONS = {"run_mod": pypto.RunMode.SIM}  # expect: PTO280


@pypto.frontend.jit(runtime_options=OPTIONS, engine="native")  # expect: PTO281
def first(x: T, y: T):
    pypto.set_vec_tile_shapes(8, 32)
    y[:] = x + 1.0


@pypto.frontend.jit(runtime_options={"run_mode": "sim"}, pass_options=[])  # expect: PTO297, PTO299
def second(x: T, y: T):
    pypto.set_vec_tile_shapes(8, 32)
    y[:] = x + 1.0


@pypto.frontend.jit(use_cache=True, host_options={"numerics": "strict"})  # expect: PTO280, PTO536
def third(x: T, y: T):
    pypto.set_vec_tile_shapes(8, 32)
    y[:] = x + 1.0


@pypto.frontend.jit(runtime_options={"stitch_function_max_num": 128})  # expect: PTO620
def simple(x: T, y: T):
    pypto.set_vec_tile_shapes(8, 32)
    y[:] = x + 1.0


@pypto.frontend.jit  # a class is no kernel
class Kernel:  # expect: PTO500
    pass
