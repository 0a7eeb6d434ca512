"""Kernels k(x, y) written in one line each, for tables of what is refused and what runs."""

from __future__ import annotations

from dataclasses import dataclass

HEAD = """import numpy as np
import pypto
import pypto as P

F, H, I = P.DT_FP32, P.DT_FP16, P.DT_INT32
DYN = P.DYNAMIC


def T(*shape):
    return P.Tensor(list(shape), P.DT_FP32)

{before}
@pypto.frontend.jit{options}
def k({signature}):
    {body}

y = np.zeros({y_shape}, np.float32)


def run():
    x = np.arange(np.prod({x_shape}), dtype=np.float32).reshape({x_shape}) / 64
    {call}
"""

TILE = "P.set_vec_tile_shapes(16, 16)"


@dataclass(frozen=True)
class Row:
    """A kernel k(x, y) on [32, 32] tensors, tile (16, 16) unless the row says otherwise."""

    name: str
    body: str
    signature: str = "x: T(32, 32), y: T(32, 32)"
    call: str = "k(x, y)"
    tile: str = TILE
    before: str = ""
    options: str = ""
    shape: tuple[int, ...] = (32, 32)
    y_shape: tuple[int, ...] | None = None

    @property
    def source(self) -> str:
        lines = [*self.tile.splitlines(), *self.body.splitlines()]
        return HEAD.format(
            before=f"\n{self.before}\n" if self.before else "",
            options=self.options,
            signature=self.signature,
            body="\n    ".join(lines),
            call=self.call,
            x_shape=self.shape,
            y_shape=self.y_shape or self.shape,
        )


def plus_one(x):
    return x + 1


DYNAMIC = "x: T(DYN, 32), y: T(DYN, 32)"
MATMUL = "x: T(32, 32), w: T(32, 32), y: T(32, 32)"
CUBE = "P.set_cube_tile_shapes([16, 16], [16, 16], [16, 16])"
MM = "y[:] = P.matmul(x, w, F)  # !"


def marked_line(source):
    """Number of the line marked with `# !`, None without a mark."""
    lines = [number for number, line in enumerate(source.splitlines(), 1) if line.endswith("# !")]
    return lines[0] if lines else None
