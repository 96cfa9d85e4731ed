# SPDX-License-Identifier: Apache-2.0
"""Lightning's Trainer, with one argument: `Trainer(..., callbacks=[StrataCallback()])`."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

try:
    from lightning.pytorch import Callback
except ModuleNotFoundError:
    from pytorch_lightning import Callback

from .. import attachment, marks, memory_log


class MemoryLog(memory_log.MemoryLog):
    """Logs the memory of each step to Lightning's loggers."""

    def __init__(self, loggers: List[Any]) -> None:
        super().__init__()
        self._loggers = loggers

    def write(self, steps: List[Tuple[int, memory_log.Metrics]]) -> None:
        for index, metrics in steps:
            for logger in self._loggers:
                logger.log_metrics(metrics, step=index)


class StrataCallback(Callback):  # type: ignore[misc]
    """Reports the steps, layers and owners of a fit, and its validation, to the recording of this process.

    Use it under `strata exec` or inside `strata.run()`; otherwise it has no effect. A step is one optimizer step, with all batches whose gradients
    were accumulated for it. `layers=False` omits the module hooks. `log=True` logs the memory of each step to the Trainer's loggers, in the
    process of rank 0 and for that process.
    """

    def __init__(self, layers: bool = True, log: bool = False) -> None:
        self._layers = layers
        self._log = log
        self._memory: Optional[MemoryLog] = None
        self._aside: List[marks.phase] = []
        self._optimizer_steps = 0

    def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
        attachment.attach(pl_module, trainer.optimizers, layers=self._layers)
        self._optimizer_steps = trainer.global_step
        if self._log and trainer.is_global_zero:
            self._memory = MemoryLog(trainer.loggers)

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        if trainer.global_step != self._optimizer_steps:
            self._optimizer_steps = trainer.global_step
            marks.step()
            if self._memory is not None:
                self._memory.update()

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        self._close()

    def on_validation_start(self, trainer: Any, pl_module: Any) -> None:
        self._aside.append(marks.phase("evaluation").__enter__())

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        while self._aside:
            self._aside.pop().__exit__(None, None, None)

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        self.on_validation_end(trainer, pl_module)
        self._close()

    def _close(self) -> None:
        memory, self._memory = self._memory, None
        if memory is not None:
            memory.close()
