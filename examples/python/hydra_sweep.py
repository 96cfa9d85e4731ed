# SPDX-License-Identifier: Apache-2.0
"""A Hydra sweep in which each job is a separate run.

    python examples/python/hydra_sweep.py --multirun width=256,1024 optimizer=adamw,sgd
    strata diff multirun/*/*/*/memory
"""

import pathlib

import hydra
import torch
from hydra.core.config_store import ConfigStore
from hydra.core.hydra_config import HydraConfig

import strata_profiler as strata

ConfigStore.instance().store("sweep", {"width": 256, "optimizer": "adamw", "device": "cpu"})
OPTIMIZERS = {"adamw": torch.optim.AdamW, "sgd": torch.optim.SGD}


@hydra.main(version_base=None, config_name="sweep")
def train(settings):
    folder = pathlib.Path(HydraConfig.get().runtime.output_dir) / "memory"
    with strata.run(folder, quiet=True):  # <- around the training
        width = settings.width
        model = torch.nn.Sequential(torch.nn.Linear(64, width), torch.nn.GELU(), torch.nn.Linear(width, 64)).to(settings.device)
        optimizer = OPTIMIZERS[settings.optimizer](model.parameters(), lr=1e-3)
        strata.attach(model, optimizer)
        for _ in range(3):
            model(torch.randn(32, 64, device=settings.device)).square().mean().backward()
            optimizer.step()
            optimizer.zero_grad()
            strata.step()
    return strata.open(folder).peak_bytes  # a Hydra sweeper may minimize this


if __name__ == "__main__":
    train()
