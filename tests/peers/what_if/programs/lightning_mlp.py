# SPDX-License-Identifier: Apache-2.0
"""A perceptron with Lightning."""

import by_hand
import lightning
import torch
from torch import nn


class Module(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(*[part for _ in range(8) for part in (nn.Linear(512, 512), nn.ReLU())], nn.Linear(512, 10))

    def forward(self, x):
        if by_hand.TOGETHER:
            return self.net[16](by_hand.run_blocks([self.net[at : at + 2] for at in range(0, 16, 2)], x))
        return self.net(x)

    def training_step(self, batch, index):
        x, y = batch
        with by_hand.saved_tensors():
            logits = self(x)
        return by_hand.cross_entropy(logits, y)

    def configure_optimizers(self):
        return by_hand.optimizer(torch.optim.AdamW, self.parameters(), lr=1e-3)


data = torch.utils.data.TensorDataset(torch.randn(65536, 512), torch.zeros(65536, dtype=torch.long))
loader = torch.utils.data.DataLoader(data, batch_size=4096 // by_hand.PARTS)
options = {"bf16": {"precision": "bf16-mixed"}, "fp16": {"precision": "16-mixed"}}.get(by_hand.HOW, {})
if by_hand.PARTS > 1:
    options["accumulate_grad_batches"] = by_hand.PARTS
trainer = lightning.Trainer(accelerator="gpu", devices=1, max_epochs=1, logger=False, enable_checkpointing=False, enable_progress_bar=False, **options)
trainer.fit(Module(), loader)
