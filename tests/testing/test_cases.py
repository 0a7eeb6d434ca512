"""Files of cases."""

import json

import ml_dtypes
import numpy as np
import pytest

import openpto
from openpto.ir.dtypes import DataType
from openpto.testing import T1, Tolerance, parse_cases, read_cases

ROW = {"id": "tail", "shape": [65, 256], "dtype": "fp32"}


def one(**changes):
    row = {**ROW, **changes}
    (case,) = parse_cases(json.dumps([{key: value for key, value in row.items() if value is not ...}]))
    return case


def refusal(**changes):
    with pytest.raises(ValueError) as caught:
        one(**changes)
    assert caught.value.code == "PTO541"
    return caught.value.fields["problem"]


def test_defaults():
    case = one()
    assert (case.id, case.level, case.seed, case.shape) == ("tail", 0, 42, (65, 256))
    assert case.tolerance == Tolerance(rtol=1e-5, atol=1e-6)
    assert case.parameters == {}


def test_generators_start_alike():
    assert (one(seed=3).rng().random(5) == np.random.default_rng(3).random(5)).all()


@pytest.mark.parametrize(
    ("text", "dtype", "element"),
    [
        ("fp32", DataType.DT_FP32, np.float32),
        ("torch.float16", DataType.DT_FP16, np.float16),
        ("bfloat16", DataType.DT_BF16, ml_dtypes.bfloat16),
        ("pypto.DT_INT8", DataType.DT_INT8, np.int8),
        ("float64", DataType.DT_DOUBLE, np.float64),
        ("INT32", DataType.DT_INT32, np.int32),
    ],
)
def test_element_types(text, dtype, element):
    case = one(dtype=text)
    assert (case.dtype, case.numpy_dtype()) == (dtype, np.dtype(element))


def test_values_by_tensor():
    case = one(shape={"x": [4, 8], "n": []}, dtype={"x": "bf16", "n": "int32"}, heads=[1, 2])
    assert (case.shape_of("x"), case.shape_of("n")) == ((4, 8), ())
    assert (case.dtype_of("n"), case.numpy_dtype("x")) == (DataType.DT_INT32, np.dtype(ml_dtypes.bfloat16))
    assert case["heads"] == [1, 2]
    assert case.tolerance.rtol == 2.0**-7
    with pytest.raises(KeyError):
        case["axes"]


def test_tolerances():
    assert one(tolerance="T1").tolerance == T1
    assert one(rtol=1e-3).tolerance == Tolerance(rtol=1e-3, atol=0.0)
    assert one(rtol=1e-3, atol=1).tolerance == Tolerance(rtol=1e-3, atol=1)
    assert one(dtype="int8").tolerance == Tolerance(rtol=0.0, atol=0.0)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"id": ...}, 'case 0: "id" has to be a text'),
        ({"id": 3}, '"id" has to be a text'),
        ({"shape": "65x256"}, "case tail: \"shape\" has to be a list of extents, or an object with one per tensor"),
        ({"shape": [65, -1]}, '"shape" has to be a number from 0, and is -1'),
        ({"shape": [True]}, "and is True"),
        ({"shape": {"x": 3}}, "and is 3"),
        ({"dtype": "fp33"}, "and is 'fp33'"),
        ({"dtype": ...}, "and is None"),
        ({"level": "L7"}, "\"level\" has to be a number from 0, and is 'L7'"),
        ({"seed": 1.5}, '"seed" has to be a number from 0, and is 1.5'),
        ({"rtol": -1.0}, '"rtol" has to be a number from 0'),
        ({"atol": "small"}, '"atol" has to be a number from 0'),
        ({"tolerance": "T9"}, "is one of T1, T2, T3, T4, T5, T6"),
        ({"tolerance": "T1", "rtol": 1e-3}, "without"),
    ],
)  # fmt: skip
def test_what_is_refused(changes, words):
    assert words in refusal(**changes)


@pytest.mark.parametrize("text", ["", "{}", "3", "[1]", '{"cases": 3}'])
def test_other_texts(text):
    with pytest.raises(ValueError, match="PTO541"):
        parse_cases(text)


def test_two_cases_of_one_name():
    with pytest.raises(ValueError, match="two cases have the id 'tail'"):
        parse_cases(json.dumps([ROW, ROW]))


def test_files(tmp_path):
    file = tmp_path / "test_cases.json"
    file.write_text(json.dumps({"cases": [ROW]}), encoding="utf-8")
    assert read_cases(file) == openpto.testing.read_cases(str(file)) == (one(),)
    with pytest.raises(FileNotFoundError, match="PTO595"):
        read_cases(tmp_path / "other.json")
