"""Writing small images with a palette as PNG, and the palette of error maps."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
from numpy.typing import NDArray

LOWEST = 1e-4
"""The smallest ratio that has a colour of its own; below it all are as light."""

HIGHEST = 1e3
"""The largest one beyond a tolerance; above it all are as dark."""

EMPTY, EXACT, INSIDE, OUTSIDE, LOST = 0, 1, range(2, 202), range(202, 254), 254
"""Places in the palette: no element, no error, errors up to the tolerance, beyond it, a lost NaN or infinity."""

_INSIDE = ((0xF1, 0xF6, 0xEE), (0xB7, 0xDD, 0xD2), (0x5F, 0xB0, 0xB7), (0x2B, 0x74, 0x96), (0x1B, 0x3A, 0x66))
_OUTSIDE = ((0xF5, 0x9E, 0x0B), (0xDC, 0x26, 0x26), (0x7F, 0x1D, 0x1D))
_EXACT, _LOST = (0xFB, 0xFB, 0xF8), (0xC0, 0x26, 0xD3)


def places(ratios: NDArray[np.float64]) -> NDArray[np.uint8]:
    """The place in the palette of every ratio; NaN is no element, infinity a lost one."""
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.log10(ratios)
    low, high = np.log10(LOWEST), np.log10(HIGHEST)
    inside = INSIDE.start + np.rint(np.clip((size - low) / -low, 0, 1) * (len(INSIDE) - 1))
    outside = OUTSIDE.start + np.rint(np.clip(size / high, 0, 1) * (len(OUTSIDE) - 1))
    found = np.where(ratios > 1, outside, inside)
    found = np.where(ratios == 0, EXACT, found)
    found = np.where(np.isposinf(ratios), LOST, found)
    return np.where(np.isnan(ratios), EMPTY, found).astype(np.uint8)


def colour(ratio: float) -> str:
    """The colour of one ratio, as CSS has it."""
    r, g, b = _PALETTE[int(places(np.array([ratio]))[0])]
    return f"#{r:02x}{g:02x}{b:02x}"


def data_uri(pixels: NDArray[np.uint8]) -> str:
    """An image of places in the palette, [rows, columns], as the address of an inline image."""
    return "data:image/png;base64," + base64.b64encode(png(pixels)).decode("ascii")


def png(pixels: NDArray[np.uint8]) -> bytes:
    """The bytes of a PNG file with the palette of error maps; the first colour is transparent."""
    rows, columns = pixels.shape
    lines = np.zeros((rows, columns + 1), np.uint8)  # each line begins with 0: not filtered
    lines[:, 1:] = pixels
    head = struct.pack(">IIBBBBB", columns, rows, 8, 3, 0, 0, 0)
    palette = bytes(part for entry in _PALETTE for part in entry)
    chunks = ((b"IHDR", head), (b"PLTE", palette), (b"tRNS", b"\0"), (b"IDAT", zlib.compress(lines.tobytes(), 9)))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


Colour = tuple[int, int, int]


def _ramp(stops: tuple[Colour, ...], count: int) -> list[Colour]:
    """So many colours from the first stop to the last, in equal steps."""
    found = []
    for k in range(count):
        place = k / (count - 1) * (len(stops) - 1)
        left = min(int(place), len(stops) - 2)
        share = place - left
        mixed = [round(a + (b - a) * share) for a, b in zip(stops[left], stops[left + 1], strict=True)]
        found.append((mixed[0], mixed[1], mixed[2]))
    return found


_PALETTE: list[Colour] = [
    (255, 255, 255), _EXACT, *_ramp(_INSIDE, len(INSIDE)), *_ramp(_OUTSIDE, len(OUTSIDE)), _LOST
]  # fmt: skip
