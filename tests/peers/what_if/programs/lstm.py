# SPDX-License-Identifier: Apache-2.0
"""An LSTM language model, batch first, on slices of tokens on the device."""

import by_hand
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(4000, 256)
        self.lstm = nn.LSTM(256, 256, num_layers=2, batch_first=True)
        self.head = nn.Linear(256, 4000)

    def forward(self, tokens):
        return self.head(self.lstm(self.embedding(tokens))[0])


tokens = torch.randint(0, 4000, (512, 65), device="cuda")
model = Model().cuda()
optimizer = by_hand.optimizer(torch.optim.Adam, model.parameters(), lr=1e-3)
ROWS = 32 // by_hand.PARTS
for index, start in enumerate(range(0, 512, ROWS)):
    some = tokens[start : start + ROWS]
    with by_hand.format_of_numbers():
        with by_hand.saved_tensors():
            logits = model(some[:, :-1])
        loss = by_hand.cross_entropy(logits.reshape(-1, 4000), some[:, 1:].reshape(-1))
    if by_hand.PARTS > 1:
        loss = loss / by_hand.PARTS
    by_hand.backward(loss)
    if (index + 1) % by_hand.PARTS == 0:
        by_hand.step(optimizer)
        optimizer.zero_grad()
