# lint: extend-select=GYM
import pypto  # expect: PTO715
import torch


def relu_golden(x):
    return torch.relu(x.T)  # expect: PTO715
