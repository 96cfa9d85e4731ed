# SPDX-License-Identifier: Apache-2.0
"""The transformer of the guide's page on models that do not fit, narrower. Its loop ends after
three steps."""

import sys

import by_hand
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, vocabulary=5003, width=200):
        super().__init__()
        layer = nn.TransformerEncoderLayer(width, nhead=25, dim_feedforward=4 * width, dropout=0.0, batch_first=True, norm_first=True)
        self.embedding = nn.Embedding(vocabulary, width)
        self.blocks = nn.TransformerEncoder(layer, 8, enable_nested_tensor=False)
        self.head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens):
        x = self.embedding(tokens)
        x = by_hand.run_blocks(self.blocks.layers, x) if by_hand.TOGETHER else self.blocks(x)
        return self.head(x)


batch, accumulation = int(sys.argv[1]) // by_hand.PARTS, int(sys.argv[2]) * by_hand.PARTS
model = Model().cuda()
optimizer = by_hand.optimizer(torch.optim.AdamW, model.parameters(), lr=3e-4)
for step in range(8):
    for _ in range(accumulation):
        tokens = torch.randint(0, 5003, (batch, 513), device="cuda")
        with by_hand.format_of_numbers():
            with by_hand.saved_tensors():
                logits = model(tokens[:, :-1])
            loss = by_hand.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
        by_hand.backward(loss / accumulation)
    by_hand.step(optimizer)
    optimizer.zero_grad()
