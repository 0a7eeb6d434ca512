# lint: extend-select=GYM
import argparse  # expect: PTO719, PTO720, PTO721, PTO722, PTO760

import pypto
from relu_golden import relu_golden
from relu_impl import relu_wrapper


@pypto.frontend.jit
def kernel(x: pypto.Tensor([8, 32], pypto.DT_FP32)):  # expect: PTO717
    pypto.set_vec_tile_shapes(8, 32)
    for _ in pypto.loop(1):
        x[:] = pypto.relu(x)


def test_relu_level0(x):
    assert relu_golden(x) is not None


parser = argparse.ArgumentParser()
parser.add_argument("--run_mode", default="sim")  # expect: PTO742
