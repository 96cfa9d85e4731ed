# SPDX-License-Identifier: Apache-2.0
"""A transformers ViT with eager attention, a DataLoader, gradient clipping and a learning-rate
schedule."""

import by_hand
import torch
import transformers

config = transformers.ViTConfig(hidden_size=192, num_hidden_layers=6, num_attention_heads=6, intermediate_size=768, image_size=64, patch_size=8)
config._attn_implementation = "eager"
model = transformers.ViTForImageClassification(config).cuda()
if by_hand.HOW == "sdpa":
    model.set_attn_implementation("sdpa")
if by_hand.TOGETHER == 1:
    model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
data = torch.utils.data.TensorDataset(torch.randn(512, 3, 64, 64), torch.zeros(512, dtype=torch.long))
optimizer = by_hand.optimizer(torch.optim.AdamW, model.parameters(), lr=1e-3)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 10)
model.train()
for index, (images, labels) in enumerate(torch.utils.data.DataLoader(data, batch_size=64 // by_hand.PARTS, shuffle=True)):
    images, labels = images.cuda(), labels.cuda()
    with by_hand.format_of_numbers():
        with by_hand.saved_tensors():
            logits = model(images).logits
        loss = by_hand.cross_entropy(logits, labels)
    if by_hand.PARTS > 1:
        loss = loss / by_hand.PARTS
    by_hand.backward(loss)
    if (index + 1) % by_hand.PARTS == 0:
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        by_hand.step(optimizer)
        schedule.step()
        optimizer.zero_grad()
