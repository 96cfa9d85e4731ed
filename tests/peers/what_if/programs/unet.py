# SPDX-License-Identifier: Apache-2.0
"""A diffusers U-Net that learns noise."""

import by_hand
import diffusers
import torch

model = diffusers.UNet2DModel(
    sample_size=32,
    block_out_channels=(32, 64, 64),
    layers_per_block=2,
    norm_num_groups=8,
    down_block_types=("DownBlock2D", "DownBlock2D", "AttnDownBlock2D"),
    up_block_types=("AttnUpBlock2D", "UpBlock2D", "UpBlock2D"),
).cuda()
if by_hand.TOGETHER == 1:
    model.enable_gradient_checkpointing()
scheduler = diffusers.DDPMScheduler()
ROWS = 16 // by_hand.PARTS
optimizer = by_hand.optimizer(torch.optim.AdamW, model.parameters(), lr=1e-4)
for step in range(8):
    for _ in range(by_hand.PARTS):
        images = torch.randn(ROWS, 3, 32, 32, device="cuda")
        noise = torch.randn_like(images)
        times = torch.randint(0, 1000, (ROWS,), device="cuda")
        noisy = scheduler.add_noise(images, noise, times)
        with by_hand.format_of_numbers():
            with by_hand.saved_tensors():
                guess = model(noisy, times).sample
            loss = torch.nn.functional.mse_loss(guess, noise)
        if by_hand.PARTS > 1:
            loss = loss / by_hand.PARTS
        by_hand.backward(loss)
    by_hand.step(optimizer)
    optimizer.zero_grad()
