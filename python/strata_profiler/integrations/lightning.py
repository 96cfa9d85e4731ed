# SPDX-License-Identifier: Apache-2.0
"""Lightning's Trainer, with one argument: `Trainer(..., callbacks=[StrataCallback()])`."""

from __future__ import annotations

from typing import Any, List

try:
    from lightning.pytorch import Callback
except ModuleNotFoundError:
    from pytorch_lightning import Callback

from .. import attachment, marks


class StrataCallback(Callback):  # type: ignore[misc]
    """Tells steps, layers and owners of a fit, and its validation, to whoever records the process.

    Under `strata exec`, or within `strata.run()`; otherwise it does nothing. A step is one batch that the optimizer stepped for, with the
    batches before it whose gradients were accumulated. `layers=False` leaves the module hooks out.
    """

    def __init__(self, layers: bool = True) -> None:
        self._layers = layers
        self._aside: List[marks.phase] = []
        self._optimizer_steps = 0

    def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
        attachment.attach(pl_module, trainer.optimizers, layers=self._layers)
        self._optimizer_steps = trainer.global_step

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        if trainer.global_step != self._optimizer_steps:
            self._optimizer_steps = trainer.global_step
            marks.step()

    def on_validation_start(self, trainer: Any, pl_module: Any) -> None:
        self._aside.append(marks.phase("evaluation").__enter__())

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        while self._aside:
            self._aside.pop().__exit__(None, None, None)

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        self.on_validation_end(trainer, pl_module)
