# SPDX-License-Identifier: Apache-2.0
"""Three training steps of 3.4 billion parameters: the peaks of each."""

import json

import torch
from transformer import Transformer, train

VOCAB = 10_000
peaks = []


def note_peaks():
    peaks.append([torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved()])
    torch.cuda.reset_peak_memory_stats()


with torch.device("cuda"):
    model = Transformer(2560, 10_240, layers=32, heads=32, vocab=VOCAB)
train(model, batch=4, context=512, vocab=VOCAB, steps=3, on_step=note_peaks)
print(json.dumps({"parameters": sum(p.numel() for p in model.parameters()), "peaks": peaks}))
