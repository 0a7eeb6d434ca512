"""Runs calls of kernels for another interpreter: ``python runner.py FOLDER``.

This file stands alone: it needs numpy and the `pypto` of the interpreter that runs it, and uses torch and torch_npu
where they are there. FOLDER holds request.json, inputs.npz and kernel files; result.json and outputs.npz are written
into it, result.json last. Nothing is pickled: arrays that numpy has no type for are bits with a name.
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from typing import Any

VERSION = 1
TORCH = {
    "FP32": "float32", "FP16": "float16", "BF16": "bfloat16", "DOUBLE": "float64", "BOOL": "bool",
    "INT8": "int8", "INT16": "int16", "INT32": "int32", "INT64": "int64",
    "UINT8": "uint8", "UINT16": "uint16", "UINT32": "uint32", "UINT64": "uint64",
    "FP8E4M3": "float8_e4m3fn", "FP8E5M2": "float8_e5m2", "FP8E8M0": "float8_e8m0fnu", "FP4_E2M1": "float4_e2m1fn_x2",
}  # fmt: skip
ML_DTYPES = {
    "BF16": "bfloat16", "FP8E4M3": "float8_e4m3fn", "FP8E5M2": "float8_e5m2", "FP8E8M0": "float8_e8m0fnu",
    "FP4_E2M1": "float4_e2m1fn", "INT4": "int4",
}  # fmt: skip
SIGNED = {"uint16": "int16", "uint32": "int32", "uint64": "int64"}


class Refused(Exception):
    """This interpreter cannot run the request."""


def write(folder: str, result: dict[str, Any]) -> None:
    place = os.path.join(folder, "result.json")
    with open(place + ".part", "w", encoding="utf-8") as file:
        json.dump(result, file)
    os.replace(place + ".part", place)


class OpenptoStack:
    """This project's own package: kernels run on the CPU, in SIM mode, on arrays of numpy."""

    mode = "sim"

    def __init__(self) -> None:
        os.environ["PYPTO_RUN_MODE"] = "sim"
        os.environ.pop("PYPTO_NPU_PYTHON", None)
        import pypto

        self.about: dict[str, Any] = {
            "stack": "openpto",
            "openpto": sys.modules["openpto"].__version__,
            "pypto": pypto.__version__,
        }

    def tensor(self, bits: Any, name: str, form: str) -> Any:
        import numpy as np

        if name not in ML_DTYPES:
            return np.array(bits)
        import ml_dtypes

        return np.array(bits).view(getattr(ml_dtypes, ML_DTYPES[name]))

    def bits(self, tensor: Any, like: Any) -> Any:
        return tensor.view(like.dtype)

    def finish(self) -> None:
        """Nothing runs behind the caller's back."""


class DeviceStack:
    """The vendor's stack: kernels run on an NPU, on tensors of torch that lie there."""

    mode = "npu"

    def __init__(self) -> None:
        try:
            import torch
            import torch_npu  # type: ignore[import-not-found,unused-ignore]
        except ImportError as error:
            raise Refused(f"no device can be used: {error}") from error
        if not torch.npu.is_available():
            raise Refused("no device can be used: torch.npu.is_available() is False")
        self.torch, self.torch_npu = torch, torch_npu
        self.device = int(os.environ.get("TILE_FWK_DEVICE_ID", "0"))
        torch.npu.set_device(self.device)
        import pypto

        self.about: dict[str, Any] = {
            "stack": "pypto", "pypto": str(getattr(pypto, "__version__", "?")), "torch": str(torch.__version__),
            "torch_npu": str(torch_npu.__version__), "device": self.device,
            "device_name": str(torch.npu.get_device_name(self.device)),
        }  # fmt: skip

    def tensor(self, bits: Any, name: str, form: str) -> Any:
        import numpy as np

        torch = self.torch
        if not hasattr(torch, TORCH.get(name, "?")):
            raise Refused(f"this torch has no type for {name}")
        plain = np.ascontiguousarray(bits)
        if name in ML_DTYPES or not hasattr(torch, str(plain.dtype)):
            plain = plain.view(SIGNED.get(str(plain.dtype), plain.dtype))
        made = torch.from_numpy(plain.copy())
        wanted = getattr(torch, TORCH[name])
        made = (made if made.dtype == wanted else made.view(wanted)).to(f"npu:{self.device}")
        return self.torch_npu.npu_format_cast(made, 29) if form == "NZ" else made

    def bits(self, tensor: Any, like: Any) -> Any:
        if self.torch_npu.get_npu_format(tensor) == 29:
            tensor = self.torch_npu.npu_format_cast(tensor, 2)
        plain = tensor.cpu().contiguous()
        if like.dtype.kind == "u" and str(plain.dtype).rpartition(".")[2] != str(like.dtype):
            view = {1: "uint8", 2: "int16", 4: "int32", 8: "int64"}[like.dtype.itemsize]
            plain = plain.view(getattr(self.torch, view))
        return plain.numpy().view(like.dtype)

    def finish(self) -> None:
        self.torch.npu.synchronize()


def stack() -> OpenptoStack | DeviceStack:
    """What this interpreter runs kernels with."""
    import importlib.util

    if importlib.util.find_spec("pypto") is None:
        raise Refused("this interpreter has no pypto")
    return OpenptoStack() if importlib.util.find_spec("openpto") is not None else DeviceStack()


def kernels_of(folder: str, request: dict[str, Any]) -> list[tuple[Any, dict[str, Any]]]:
    """The kernels of the request's files, with the names of their files' modules."""
    import importlib.util

    found = []
    for number, described in enumerate(request["kernels"]):
        place = os.path.join(folder, os.path.basename(described["file"]))
        spec = importlib.util.spec_from_file_location(f"pypto_call_{number}", place)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        found.append((getattr(module, described["name"]), vars(module)))
    return found


def run_call(
    number: int, call: dict[str, Any], kernels: list[tuple[Any, dict[str, Any]]], arrays: Any, here: Any
) -> tuple[dict[str, Any], float]:
    """One call; what its tensors hold afterwards, as bits, and how long it took."""
    kernel, names = kernels[call["kernel"]]
    tensors: list[Any] = []
    for index, described in enumerate(call["tensors"]):
        if described["same"] < index:
            tensors.append(tensors[described["same"]])
        else:
            bits = arrays[f"{number}.{index}"]
            tensors.append(here.tensor(bits, described["dtype"], described.get("format", "ND")))
    values = {name: eval(text, dict(names)) for name, text in call["values"].items()}
    begin = time.perf_counter()
    kernel(*tensors, **values)
    here.finish()
    seconds = time.perf_counter() - begin
    outputs = {}
    for index, described in enumerate(call["tensors"]):
        if described["same"] == index:
            key = f"{number}.{index}"
            outputs[key] = here.bits(tensors[index], arrays[key])
    return outputs, seconds


def receipt_of(kernel: Any) -> dict[str, Any]:
    """What this project's receipts say of a run; nothing on other stacks."""
    receipt = getattr(kernel, "last_run", None)
    if receipt is None or not hasattr(receipt, "kernel_hash"):
        return {}
    return {"kernel_hash": receipt.kernel_hash, "engine": receipt.engine, "ops_executed": receipt.ops_executed}


def run(folder: str) -> dict[str, Any]:
    """Run the request of a folder; the result."""
    import numpy as np

    with open(os.path.join(folder, "request.json"), encoding="utf-8") as file:
        request = json.load(file)
    if request.get("format") != "pypto-call" or request.get("version") != VERSION:
        raise Refused(f"the request has version {request.get('version')!r}, this runner {VERSION}")
    arrays = np.load(os.path.join(folder, "inputs.npz"), allow_pickle=False)
    here = stack()
    kernels = kernels_of(folder, request)
    results: list[dict[str, Any]] = []
    outputs: dict[str, Any] = {}
    for number, call in enumerate(request["calls"]):
        with open(os.path.join(folder, "progress.txt"), "w", encoding="utf-8") as file:
            file.write(str(number))
        try:
            found, seconds = run_call(number, call, kernels, arrays, here)
        except Exception as error:
            text = "".join(traceback.format_exception_only(type(error), error)).strip()
            results.append({"status": "error", "type": type(error).__name__, "code": getattr(error, "code", None),
                            "text": text})  # fmt: skip
            continue
        outputs.update(found)
        results.append({"status": "done", "seconds": seconds, "receipt": receipt_of(kernels[call["kernel"]][0])})
    np.savez(os.path.join(folder, "outputs.npz"), **outputs)
    return {"status": "done", "mode": here.mode, "about": here.about, "calls": results}


def main() -> None:
    folder = sys.argv[1]
    result: dict[str, Any] = {"format": "pypto-result", "version": VERSION, "python": sys.version.split()[0]}
    try:
        result.update(run(folder))
    except Refused as error:
        result.update({"status": "refused", "text": str(error)})
    write(folder, result)


if __name__ == "__main__":
    main()
