"""The goldens of cross_entropy, in float64."""

from __future__ import annotations

import numpy as np

from openpto_gym.operator import Arrays, to_float64, to_torch

IGNORED = -100


def torch_golden(inputs: Arrays, smoothing: float, penalty: float) -> Arrays:
    """By torch.nn.functional.cross_entropy and torch.logsumexp."""
    import torch

    tensors = to_torch(inputs)
    logits, labels = tensors["logits"], tensors["labels"][:, 0].long()
    loss = torch.nn.functional.cross_entropy(
        logits, labels, reduction="none", ignore_index=IGNORED, label_smoothing=smoothing
    )
    normaliser = torch.logsumexp(logits, dim=-1)
    loss = loss + torch.where(labels == IGNORED, 0.0, penalty * normaliser**2)
    best = logits.max(-1).indices if len(logits) else labels
    outputs = {"loss": loss, "normaliser": normaliser, "best": best.double()}
    return {name: tensor[:, None].numpy() for name, tensor in outputs.items()}


def numpy_golden(inputs: Arrays, smoothing: float, penalty: float) -> Arrays:
    """Token by token: minus the sum of the smoothed label times the logarithms of the probabilities."""
    logits, labels = to_float64(inputs)["logits"], inputs["labels"][:, 0]
    loss, normaliser = np.zeros((len(labels), 1)), np.zeros((len(labels), 1))
    for t, (row, label) in enumerate(zip(logits, labels.tolist(), strict=True)):
        normaliser[t] = row.max() + np.log(np.exp(row - row.max()).sum())
        if label != IGNORED:
            wanted = np.full(len(row), smoothing / len(row))
            wanted[label] += 1 - smoothing
            taken = wanted > 0
            loss[t] = wanted[taken] @ (normaliser[t] - row[taken]) + penalty * normaliser[t] ** 2
    best = np.array([row.argmax() for row in logits], float).reshape(-1, 1)
    return {"loss": loss, "normaliser": normaliser, "best": best}
