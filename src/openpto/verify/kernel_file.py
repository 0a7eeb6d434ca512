"""The kernel of a replay as a Python file that runs by itself and ends as recorded."""

from __future__ import annotations

import numpy as np

from openpto.capsule.arrays import Array, packed
from openpto.capsule.replay_file import Replay

SMALL = 16
"""Elements that are written as numbers."""


def kernel_file(replay: Replay) -> str:
    """The text: the kernel, then `run()` with the data, called when the file is run as a script."""
    call = replay.call
    names = []
    lines = []
    for index, (name, same) in enumerate(zip(call.names, call.same, strict=True)):
        if same == index:
            lines.append(f"    {name} = {_data(call.tensors[index])}")
        names.append(call.names[same])
    arguments = [*names, *(f"{name}={text}" for name, text in call.values.items())]
    body = "\n".join([*lines, f"    {call.flat.kernel}({', '.join(arguments)})", f"    return {names[-1]}"])
    imports = "" if "import numpy as np" in call.flat.text else "import numpy as np\n"
    needs = "import base64\nimport zlib\n\n" if "zlib." in body else ""
    extended = "import ml_dtypes\n" if "ml_dtypes." in body and "import ml_dtypes" not in call.flat.text else ""
    text = call.flat.text.rstrip("\n")
    return (
        f'{needs}{extended}{imports}{text}\n\n\ndef run():\n{body}\n\n\nif __name__ == "__main__":\n    print(run())\n'
    )


def _data(array: Array) -> str:
    """An expression for an array."""
    dtype = array.dtype
    kind = f"ml_dtypes.{dtype.name}" if dtype.type.__module__.startswith("ml_dtypes") else f"np.{dtype.name}"
    described = packed(array)
    if described.get("fill") == 0:
        return f"np.zeros({array.shape}, {kind})"
    if array.size and "fill" in described and np.isnan(array.reshape(-1)[:1].astype(np.float64)).all():
        return f"np.full({array.shape}, np.nan, {kind})"
    if "fill" in described:
        return f"np.full({array.shape}, {array.reshape(-1)[0].item()!r}, {kind})"
    if array.size <= SMALL and dtype.kind in "iufb" and np.isfinite(array.astype(np.float64)).all():
        return f"np.array({array.tolist()}, {kind}).reshape({array.shape})"
    data = f'zlib.decompress(base64.b64decode("{described["zlib"]}"))'
    return f"np.frombuffer(bytearray({data}), {kind}).reshape({array.shape})"
