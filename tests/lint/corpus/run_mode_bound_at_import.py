import argparse

import pypto

T = pypto.Tensor([8, 32], pypto.DT_FP32)
MODE = pypto.RunMode.SIM
OPTIONS = {"run_mode": MODE}


@pypto.frontend.jit(runtime_options={"run_mode": MODE})  # expect: PTO622
def kernel(x: T, y: T):
    pypto.set_vec_tile_shapes(8, 32)
    y[:] = x + 1.0


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--run_mode", default="sim")
    MODE = pypto.RunMode[parser.parse_args().run_mode.upper()]
