"""A step of an LSTM whose gates are a sum of two projections."""

from openpto_gym.sum_lstm.kernel import SumLstmConfig, sum_lstm
from openpto_gym.sum_lstm.operator import run

__all__ = ["SumLstmConfig", "run", "sum_lstm"]
