"""FP32 functions written once as scalar expressions, with coefficients fitted by tools/fit."""
