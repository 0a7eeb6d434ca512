"""The hand-off to another interpreter: what it is asked, what comes back, and what stops with which code."""

import json
import shlex
import site
import sys
import sysconfig
import textwrap
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from typer.testing import CliRunner

import pypto
from openpto.capsule.arrays import packed, unpacked
from openpto.cli import app as application
from openpto.diagnostics import PyptoError
from openpto.testing import assert_close

SRC = Path(__file__).resolve().parents[2] / "src"
LIBRARIES = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *site.getsitepackages()}
FACTOR = 3.0


@pypto.frontend.jit
def tripled(x: pypto.Tensor([pypto.DYNAMIC, 32], pypto.DT_BF16), out: pypto.Tensor([pypto.DYNAMIC, 32], pypto.DT_BF16)):
    pypto.set_vec_tile_shapes(8, 32)
    for row in pypto.loop(0, x.shape[0], 8, name="LOOP", idx_name="row"):
        pypto.assemble(pypto.view(x, [8, 32], [row, 0]) * FACTOR, [row, 0], out)


def data():
    x = np.random.default_rng(3).standard_normal((11, 32)).astype(ml_dtypes.bfloat16)
    return x, np.zeros_like(x)


@pytest.fixture
def elsewhere(monkeypatch):
    """Another interpreter that has this package; it finds nothing but what is named here (-S)."""
    monkeypatch.setenv("PYPTO_NPU_PYTHON", shlex.join([sys.executable, "-S"]))
    monkeypatch.setenv("PYPTO_NPU_PYTHONPATH", ":".join([str(SRC), *sorted(LIBRARIES)]))


@pytest.fixture
def pretending(monkeypatch):
    """Another interpreter that runs some lines in the place of the runner; `folder` is that of the request."""

    def set_to(lines):
        code = "import json, os, sys, time\nimport numpy as np\nfolder = sys.argv[2]\n" + textwrap.dedent(lines)
        monkeypatch.setenv("PYPTO_NPU_PYTHON", shlex.join([sys.executable, "-c", code]))
        monkeypatch.setenv("PYPTO_RUN_MODE", "npu")

    return set_to


def stopped():
    x, out = data()
    with pytest.raises(PyptoError) as caught:
        tripled(x, out)
    assert not out.any()
    return caught.value


def test_run_mode_npu_runs_elsewhere_and_gives_the_bits_of_sim(elsewhere, monkeypatch) -> None:
    x, out = data()
    monkeypatch.setenv("PYPTO_RUN_MODE", "npu")
    tripled(x, out)
    receipt = tripled.last_run
    assert (receipt.run_mode.name, receipt.engine) == ("NPU", "other interpreter")
    assert_close(out, x.astype(np.float64) * 3.0)
    monkeypatch.setenv("PYPTO_RUN_MODE", "sim")
    again = np.zeros_like(x)
    tripled(x, again)
    assert again.tobytes() == out.tobytes()


def test_one_memory_stays_one_memory(elsewhere, monkeypatch) -> None:
    x, _ = data()
    before = x.copy()
    monkeypatch.setenv("PYPTO_RUN_MODE", "npu")
    tripled(x, x)
    assert x.tobytes() == (before.astype(np.float32) * 3).astype(ml_dtypes.bfloat16).tobytes()


def test_without_an_interpreter_the_stop_names_the_variable(monkeypatch) -> None:
    monkeypatch.delenv("PYPTO_NPU_PYTHON", raising=False)
    monkeypatch.setenv("PYPTO_RUN_MODE", "npu")
    error = stopped()
    assert error.code == "PTO298"
    assert "PYPTO_NPU_PYTHON" in str(error)
    assert "pypto verify" in str(error)


def test_a_child_that_crashes(pretending) -> None:
    pretending("print('what the driver said', file=sys.stderr, flush=True)\nos.kill(os.getpid(), 9)")
    error = stopped()
    assert error.code == "PTO571"
    assert "SIGKILL" in str(error)
    assert "what the driver said" in str(error)


def test_a_child_that_hangs_is_ended_with_what_it_started(pretending, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("PYPTO_NPU_TIMEOUT", "1.5")
    mark = tmp_path / "alive"
    pretending(
        f"""
        import subprocess
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(4); open({str(mark)!r}, 'w')"])
        time.sleep(60)
        """
    )
    assert stopped().code == "PTO572"
    import time

    time.sleep(3.5)
    assert not mark.exists()


RESULT = "json.dump({}, open(os.path.join(folder, 'result.json'), 'w'))"
DONE = RESULT.format(
    "dict(format='pypto-result', version=1, status='done', mode='npu', about={}, calls=[dict(status='done')])"
)
JUNK = {
    "no JSON": "open(os.path.join(folder, 'result.json'), 'w').write('{')",
    "a list": RESULT.format("[]"),
    "another version": RESULT.format("dict(format='pypto-result', version=2)"),
    "too few calls": DONE.replace("[dict(status='done')]", "[]"),
    "an unknown mode": DONE.replace("'npu'", "'fast'"),
    "no arrays": DONE,
    "a broken archive": "open(os.path.join(folder, 'outputs.npz'), 'wb').write(b'PK junk')\n" + DONE,
    "a missing tensor": "np.savez(os.path.join(folder, 'outputs.npz'))\n" + DONE,
    "another shape": "np.savez(os.path.join(folder, 'outputs.npz'), **{'0.0': np.zeros(3, 'u2')})\n" + DONE,
    "another type": "np.savez(os.path.join(folder, 'outputs.npz'), **{'0.0': np.zeros((11, 32), 'f4')})\n" + DONE,
    "pickled objects": "a = np.array([{}], object)\nnp.savez(os.path.join(folder, 'outputs.npz'), **{'0.0': a})\n"
    + DONE,
}


@pytest.mark.parametrize("what", JUNK)
def test_junk_is_no_result(pretending, what) -> None:
    pretending(JUNK[what])
    assert stopped().code == "PTO573"


def test_the_request_is_plain_data(pretending, monkeypatch, tmp_path) -> None:
    """The protocol as docs/verify.md tells it: version 1."""
    monkeypatch.setenv("PYPTO_NPU_FOLDER", str(tmp_path))
    pretending("sys.exit(5)")
    assert "exit code 5" in str(stopped())
    [folder] = tmp_path.iterdir()
    request = json.loads((folder / "request.json").read_text(encoding="utf-8"))
    assert request == {
        "format": "pypto-call",
        "version": 1,
        "kernels": [{"file": "kernel_0.py", "name": "tripled"}],
        "calls": [
            {
                "kernel": 0,
                "tensors": [
                    {"name": "x", "dtype": "BF16", "same": 0, "format": "ND"},
                    {"name": "out", "dtype": "BF16", "same": 1, "format": "ND"},
                ],
                "values": {},
            }
        ],
    }
    with np.load(folder / "inputs.npz", allow_pickle=False) as arrays:
        assert arrays["0.0"].dtype == np.uint16
        assert arrays["0.0"].tobytes() == data()[0].tobytes()
    text = (folder / "kernel_0.py").read_text(encoding="utf-8")
    assert "FACTOR = 3.0" in text
    assert "runtime_options={'run_mode': pypto.RunMode.NPU}" in text


def test_the_kernel_that_stops_there_is_told_with_its_own_text(elsewhere, monkeypatch, tmp_path) -> None:
    fake = tmp_path / "fake"
    _fake_vendor(fake, "raise RuntimeError('launch aicpu failed: 107003')")
    monkeypatch.setenv("PYPTO_NPU_PYTHONPATH", ":".join([str(fake), *sorted(LIBRARIES)]))
    monkeypatch.setenv("PYPTO_RUN_MODE", "npu")
    error = stopped()
    assert error.code == "PTO575"
    assert "launch aicpu failed: 107003" in str(error)
    assert "torch_npu 2.9" in str(error)


def _fake_vendor(folder: Path, body: str) -> None:
    """Packages with the documented names that the runner uses of a vendor's stack; tensors are arrays of numpy."""
    folder.mkdir()
    texts = {
        "pypto.py": f"""
            import enum
            class RunMode(enum.IntEnum):
                NPU, SIM = 0, 1
            DYNAMIC = DT_BF16 = DT_FP32 = None
            def Tensor(*args, **kwargs): return object
            class frontend:
                @staticmethod
                def jit(**options):
                    assert options == {{"runtime_options": {{"run_mode": RunMode.NPU}}}}
                    def run(x, out):
                        {body}
                    return lambda function: run
            """,
        "torch_npu.py": """
            __version__ = "2.9"
            def get_npu_format(tensor): return 2
            """,
        "torch.py": """
            import ml_dtypes, numpy as np
            __version__ = "2.9"
            int16, int32, float32, bfloat16 = map(np.dtype, ("i2", "i4", "f4", ml_dtypes.bfloat16))
            class Tensor:
                def __init__(self, array): self.array, self.dtype = array, array.dtype
                def view(self, dtype): return Tensor(self.array.view(dtype))
                def to(self, device):
                    assert device == "npu:0"
                    return self
                def cpu(self): return self
                def contiguous(self): return self
                def numpy(self): return self.array
            def from_numpy(array): return Tensor(array)
            class npu:
                is_available = staticmethod(lambda: True)
                set_device = staticmethod(lambda index: None)
                synchronize = staticmethod(lambda: None)
                get_device_name = staticmethod(lambda index: "Ascend")
            """,
    }
    for name, text in texts.items():
        (folder / name).write_text(textwrap.dedent(text), encoding="utf-8")


@pytest.mark.parametrize(("body", "verdict"), [("2.0", "pass"), ("2.5", "fail")])
def test_verify_on_a_device(folder, monkeypatch, tmp_path, body, verdict) -> None:
    """The documented calls of a vendor's stack, played by packages of their names."""
    fake = tmp_path / "fake"
    _fake_vendor(fake, f"out.array[...] = x.array * {body}")
    monkeypatch.setenv("PYPTO_NPU_PYTHON", shlex.join([sys.executable, "-S"]))
    monkeypatch.setenv("PYPTO_NPU_PYTHONPATH", ":".join([str(fake), *sorted(LIBRARIES)]))
    place, report = folder(), tmp_path / "report.json"
    arguments = ["verify", str(place), "--json", str(report), "--require-device"]
    done = CliRunner().invoke(application.app, arguments)
    found = json.loads(report.read_text(encoding="utf-8"))
    assert found["steps"][3]["state"] == verdict
    assert found["device"]["mode"] == "npu"
    assert done.exit_code == (verdict == "fail"), done.output
    if verdict == "fail":
        [one, two] = [check["data"]["differences"]["out"] for check in found["steps"][3]["checks"]]
        assert (one["count"], two["count"]) == (352, 32)
        assert one["patterns"] == ["factor", "all"]
        assert "first at [0, 0]" in done.stdout


def test_verify_without_a_device_in_the_other_interpreter(folder, elsewhere) -> None:
    """SIM in another interpreter passes the step, and is said not to be a device; --require-device fails."""
    place = folder()
    done = CliRunner().invoke(application.app, ["verify", str(place), "--case", "one", "--require-device"])
    assert "4. device  pass" in done.stdout
    assert "no device was used" in done.stdout
    assert done.exit_code == 1


def test_an_interpreter_without_pypto_leaves_the_step_unrun(folder, monkeypatch) -> None:
    monkeypatch.setenv("PYPTO_NPU_PYTHON", shlex.join([sys.executable, "-S"]))
    monkeypatch.setenv("PYPTO_NPU_PYTHONPATH", ":".join(sorted(LIBRARIES - {str(SRC)})) if _alone() else "/nowhere")
    done = CliRunner().invoke(application.app, ["verify", str(folder()), "--case", "one"])
    assert "4. device  " in done.stdout
    assert "4. device  pass" not in done.stdout


def _alone() -> bool:
    """Whether the libraries of this interpreter have no `pypto` (it is found through a path of its own)."""
    return not any((Path(place) / "pypto").exists() for place in LIBRARIES)


@pytest.mark.parametrize("kind", ["f4", "i8", "?", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int4"])
def test_arrays_come_back_as_they_were(kind) -> None:
    dtype = np.dtype(getattr(ml_dtypes, kind, kind))
    array = np.arange(-8, 8).reshape(4, 4).astype(dtype)
    for one in (array, array[:0], np.zeros_like(array), np.ones_like(array)):
        back = unpacked(json.loads(json.dumps(packed(one))))
        assert (back.dtype, back.shape, back.tobytes()) == (one.dtype, one.shape, one.tobytes())
