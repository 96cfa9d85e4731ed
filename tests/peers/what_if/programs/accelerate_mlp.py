# SPDX-License-Identifier: Apache-2.0
"""A perceptron with accelerate."""

import accelerate
import by_hand
import torch
from torch import nn

options = {"mixed_precision": by_hand.HOW} if by_hand.HOW in ("bf16", "fp16") else {}
if by_hand.PARTS > 1:
    options["gradient_accumulation_steps"] = by_hand.PARTS
accelerator = accelerate.Accelerator(**options)
model = nn.Sequential(*[part for _ in range(8) for part in (nn.Linear(512, 512), nn.ReLU())], nn.Linear(512, 10))
data = torch.utils.data.TensorDataset(torch.randn(65536, 512), torch.zeros(65536, dtype=torch.long))
loader = torch.utils.data.DataLoader(data, batch_size=4096 // by_hand.PARTS)
optimizer = by_hand.optimizer(torch.optim.AdamW, model.parameters(), lr=1e-3)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
for x, y in loader:
    with accelerator.accumulate(model):
        with by_hand.saved_tensors():
            logits = model(x)
        loss = by_hand.cross_entropy(logits, y)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
