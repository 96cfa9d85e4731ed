# SPDX-License-Identifier: Apache-2.0
"""A BERT in a plain loop, with an evaluation in each round that lacks no_grad."""

import contextlib

import by_hand
import torch
import transformers

config = transformers.BertConfig(hidden_size=256, num_hidden_layers=6, num_attention_heads=8, intermediate_size=1024, vocab_size=4000)
model = transformers.BertForSequenceClassification(config).cuda()
if by_hand.TOGETHER == 1:
    model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
optimizer = by_hand.optimizer(torch.optim.AdamW, model.parameters(), lr=1e-4)
ROWS = 16 // by_hand.PARTS
for index in range(8):
    model.train()
    tokens, labels = torch.randint(0, 4000, (ROWS, 128), device="cuda"), torch.randint(0, 2, (ROWS,), device="cuda")
    with by_hand.format_of_numbers():
        with by_hand.saved_tensors():
            loss = model(tokens, labels=labels).loss
    if by_hand.PARTS > 1:
        loss = loss / by_hand.PARTS
    by_hand.backward(loss)
    if (index + 1) % by_hand.PARTS == 0:
        by_hand.step(optimizer)
        optimizer.zero_grad()
    model.eval()
    with torch.no_grad() if by_hand.HOW == "no_grad" else contextlib.nullcontext():
        tokens = torch.randint(0, 4000, (24, 128), device="cuda")
        with by_hand.format_of_numbers():
            with by_hand.saved_tensors():
                guesses = model(tokens).logits.argmax(-1)
