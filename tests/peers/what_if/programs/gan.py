# SPDX-License-Identifier: Apache-2.0
"""A generator and a discriminator with an optimizer each; the losses of real and generated samples
are summed for one backward."""

import by_hand
import torch
from torch import nn

ROWS = 1024 // by_hand.PARTS
generator = nn.Sequential(nn.Linear(64, 1024), nn.ReLU(), nn.Linear(1024, 1024)).cuda()
discriminator = nn.Sequential(nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 1)).cuda()
optimizers = [by_hand.optimizer(torch.optim.Adam, each.parameters(), lr=1e-4) for each in (discriminator, generator)]
criterion = nn.BCEWithLogitsLoss()
data = torch.randn(8192, 1024)


def divided(loss):
    return loss / by_hand.PARTS if by_hand.PARTS > 1 else loss


for index, at in enumerate(range(0, 8192, ROWS)):
    begins, ends = index % by_hand.PARTS == 0, (index + 1) % by_hand.PARTS == 0
    real = data[at : at + ROWS].cuda()
    ones, zeros = torch.ones(ROWS, 1, device="cuda"), torch.zeros(ROWS, 1, device="cuda")
    if begins:
        discriminator.zero_grad()
    with by_hand.format_of_numbers():
        of_real = criterion(discriminator(real), ones)
        if by_hand.HOW == "each":
            of_real.backward()
            of_real = of_real.detach()
        fake = generator(torch.randn(ROWS, 64, device="cuda"))
        of_fake = criterion(discriminator(fake.detach()), zeros)
        loss = divided(of_real + of_fake)
    by_hand.scaler.scale(loss).backward()
    if ends:
        by_hand.scaler.step(optimizers[0])
    if begins:
        generator.zero_grad()
    with by_hand.format_of_numbers():
        loss = divided(criterion(discriminator(fake), ones))
    by_hand.scaler.scale(loss).backward()
    if ends:
        by_hand.scaler.step(optimizers[1])
        by_hand.scaler.update()
