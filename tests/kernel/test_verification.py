"""Verified calls: values printed and saved while the kernel runs, and comparisons with goldens."""

import csv

import ml_dtypes
import numpy as np
import pytest

import pypto
from pypto import DT_BF16, DT_FP32, DT_INT32, PyptoError

F = DT_FP32
ON = {"enable_pass_verify": True}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pypto.frontend.jit(verify_options=ON)
def in_loops(x: pypto.Tensor([4, 8], F), n: pypto.Tensor([1], DT_INT32), out: pypto.Tensor([4, 8], F)):
    pypto.set_vec_tile_shapes(4, 8)
    for i in pypto.loop(2):
        part = pypto.view(x, [2, 8], [i * 2, 0], valid_shape=[2, n[0]]) * 2.0
        pypto.pass_verify_print("part", i, "is", part, cond=i == 1)
        pypto.pass_verify_save(part, "part_$i-$name", i=i, name="x")
        pypto.pass_verify_save(part, "never", cond=0)
    out[:] = x + 1.0


def test_what_is_printed_and_saved_are_the_values_of_the_run(elsewhere, capsys):
    x = np.arange(32, dtype=np.float32).reshape(4, 8)
    in_loops(x, np.array([3], np.int32), np.zeros_like(x))
    printed = capsys.readouterr().out
    assert printed.startswith("part 1 is [[")
    numbers = [float(word) for word in printed.replace("[", " ").replace("]", " ").split() if word[0].isdigit()]
    assert numbers == [1, 32, 34, 36, 48, 50, 52]
    (root,) = elsewhere.glob("output/output_*")
    assert sorted(p.name for p in (root / "tensor").iterdir()) == [
        "part_0-x.csv", "part_0-x.data", "part_1-x.csv", "part_1-x.data",
    ]  # fmt: skip
    saved = np.frombuffer((root / "tensor" / "part_0-x.data").read_bytes(), np.float32).reshape(2, 3)
    np.testing.assert_array_equal(saved, x[:2, :3] * 2)
    rows = list(csv.reader((root / "tensor" / "part_1-x.csv").open()))
    assert rows[0] == ["shape", "2x3", "dtype", "DT_FP32"]
    assert [[float(v) for v in row] for row in rows[1:]] == (x[2:, :3] * 2).tolist()
    log = (root / "verify_in_loops" / "interpreter.log").read_text()
    assert "EVENT PRINT part 1 is" in log
    assert "EVENT NO_COMPARE tensor_graph out" in log


def test_without_the_option_nothing_is_printed_or_written(elsewhere, capsys):
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([4, 8], F), out: pypto.Tensor([4, 8], F)):
        pypto.set_vec_tile_shapes(4, 8)
        pypto.pass_verify_print(x)
        pypto.pass_verify_save(x, "x")
        out[:] = x + 1.0

    kernel(np.ones((4, 8), "f4"), np.zeros((4, 8), "f4"))
    assert capsys.readouterr().out == ""
    assert list(elsewhere.iterdir()) == []


@pypto.frontend.jit(verify_options={**ON, "pass_verify_save_tensor": True, "pass_verify_error_tol": [0.0, 0.5]})
def doubled(x: pypto.Tensor([4, 8], DT_BF16), out: pypto.Tensor([4, 8], DT_BF16)):
    pypto.set_vec_tile_shapes(4, 8)
    out[:] = x * 2.0


def results(root):
    (path,) = root.glob("output/output_*/verify_*/verify_graph_result_brief.csv")
    return {row["tensor"]: row for row in csv.DictReader(path.open())}


def test_goldens_are_compared_with_the_tolerance(elsewhere):
    x = np.ones((4, 8), ml_dtypes.bfloat16)
    golden = np.full((4, 8), 2, np.float32)
    golden[0, :3] = [2.25, 1.25, np.nan]
    pypto.set_verify_golden_data(goldens=[None, golden])
    with pytest.warns(pypto.PyptoWarning, match="2 of 32 elements of out differ"):
        doubled(x, np.zeros_like(x))
    rows = results(elsewhere)
    assert rows["x"]["result"] == "NO_COMPARE"
    assert (rows["out"]["result"], rows["out"]["elements"], rows["out"]["failed"]) == ("FAILED", "32", "2")
    assert float(rows["out"]["max_abs_error"]) == np.inf  # against NaN
    (folder,) = elsewhere.glob("output/output_*/verify_doubled")
    assert "ERROR 0xB4001U FAILED tensor_graph out 2 of 32 elements differ" in (folder / "interpreter.log").read_text()
    kept = np.frombuffer((folder / "tensor_graph" / "out.data").read_bytes(), ml_dtypes.bfloat16)
    assert (kept.astype("f4") == 2).all()
    meta = list(csv.reader((folder / "verify_graph_data_metainfo.csv").open()))
    assert meta[2] == ["tensor_graph", "out", "DT_BF16", "4x8"]


def test_goldens_count_once(elsewhere):
    x = np.ones((4, 8), ml_dtypes.bfloat16)
    pypto.set_verify_golden_data(goldens=[None, np.full((4, 8), 2, np.float32)])
    for _ in range(2):
        doubled(x, np.zeros_like(x))
    logs = sorted(p.read_text() for p in elsewhere.glob("output/output_*/verify_doubled/interpreter.log"))
    assert ["EVENT PASS tensor_graph out" in log for log in logs] == [False, True]


def test_verify_runs_a_plain_function(elsewhere):
    def plain(x: pypto.Tensor([4, 8], F), out: pypto.Tensor([4, 8], F), factor):
        pypto.set_vec_tile_shapes(4, 8)
        out[:] = x * factor

    x, out = np.ones((4, 8), "f4"), np.zeros((4, 8), "f4")
    pypto.verify(plain, [x], [out], [x * 3], 3.0)
    assert (out == 3).all()
    assert results(elsewhere)["out"]["result"] == "PASS"
    with pytest.warns(pypto.PyptoWarning, match="32 of 32 elements of out differ"):
        pypto.verify(plain, [x], [out], [None, x], 3.0, verify_options={"pass_verify_save_tensor_dir": "there"})
    assert list(elsewhere.glob("there/output_*/verify_plain/interpreter.log"))


def test_the_option_in_force_at_the_call_counts(elsewhere):
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([4, 8], F), out: pypto.Tensor([4, 8], F)):
        pypto.set_vec_tile_shapes(4, 8)
        out[:] = x + 1.0

    x = np.ones((4, 8), "f4")
    for _ in range(3):
        kernel(x, np.zeros_like(x))
    with pypto.options(verify_options=ON):
        kernel(x, np.zeros_like(x))
    assert len(list(elsewhere.glob("output/output_*"))) == 1


@pytest.mark.parametrize(
    ("call", "code", "kind"),
    [
        (lambda x: pypto.set_verify_golden_data(goldens=x), "PTO481", TypeError),
        (lambda x: pypto.verify(len, x, [], []), "PTO481", TypeError),
        (lambda x: pypto.set_verify_golden_data(goldens=["x"]), "PTO511", Exception),
    ],
)
def test_calls_that_are_refused(call, code, kind):
    with pytest.raises(kind) as caught:
        call(np.ones((4, 8), np.float32))
    assert isinstance(caught.value, PyptoError)
    assert code == "PTO511" or caught.value.code == code


@pytest.mark.parametrize("goldens", [[None], [None, np.zeros((8, 4), np.float32)]])
def test_goldens_that_do_not_belong(goldens):
    x = np.ones((4, 8), ml_dtypes.bfloat16)
    pypto.set_verify_golden_data(goldens=goldens)
    with pytest.raises(PyptoError) as caught:
        doubled(x, np.zeros_like(x))
    assert caught.value.code == "PTO482"


@pytest.mark.parametrize(
    ("name", "code"), [("x_$i", "PTO480"), ("../x", "PTO268"), (".x", "PTO268"), ("", "PTO268"), (3, "PTO222")]
)
def test_names_of_files(name, code):
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([4, 8], F), out: pypto.Tensor([4, 8], F)):
        pypto.set_vec_tile_shapes(4, 8)
        pypto.pass_verify_save(x, name)
        out[:] = x + 1.0

    with pytest.raises(PyptoError) as caught:
        kernel(np.ones((4, 8), "f4"), np.zeros((4, 8), "f4"))
    assert caught.value.code == code
