# SPDX-License-Identifier: Apache-2.0
"""Hugging Face's GPT-2, trained by a script that does not use Strata.

    strata exec --dry a100-40gb -- python examples/python/gpt2.py
"""

import torch
from transformers import GPT2Config, GPT2LMHeadModel

model = GPT2LMHeadModel(GPT2Config()).cuda()  # 124 million parameters
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
for step in range(4):
    tokens = torch.randint(0, 50257, (4, 1024)).cuda()
    loss = model(tokens, labels=tokens).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
