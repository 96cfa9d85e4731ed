# SPDX-License-Identifier: Apache-2.0
"""Hugging Face's Trainer, with one argument: `Trainer(..., callbacks=[StrataCallback()])`."""

from __future__ import annotations

import os
import sys
from typing import Any, List

import transformers

from .. import attachment, marks, memory_log, session


class StrataCallback(transformers.TrainerCallback):  # type: ignore[misc]
    """Tells steps, layers and owners of the training, evaluations, and saving, to whoever records the process.

    Under `strata exec`, or within `strata.run()`; otherwise it does nothing. A step is one of the optimizer: its micro-batches are within.
    `layers=False` leaves the module hooks out. `log=True` logs each step's memory where the Trainer reports to, of "wandb", "tensorboard" and
    "mlflow"; the process of rank 0 does, for itself.
    """

    def __init__(self, layers: bool = True, log: bool = False) -> None:
        self._layers = layers
        self._log = log
        self._logs: List[memory_log.MemoryLog] = []
        self._aside: List[marks.phase] = []

    def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, optimizer: Any = None, **named: Any) -> None:
        attachment.attach(model, optimizer, layers=self._layers)
        if self._log and state.is_world_process_zero and session.current() is not None:
            self._logs = _memory_logs(args)

    def on_step_end(self, args: Any, state: Any, control: Any, **named: Any) -> None:
        self._end_aside()
        marks.step()
        for log in self._logs:
            log.update()
        self._expect(control)

    def on_epoch_end(self, args: Any, state: Any, control: Any, **named: Any) -> None:
        self._expect(control)

    def on_prediction_step(self, args: Any, state: Any, control: Any, **named: Any) -> None:
        self._begin_aside("evaluation")

    def on_evaluate(self, args: Any, state: Any, control: Any, **named: Any) -> None:
        self._end_aside()
        self._expect_saving(control)

    def on_save(self, args: Any, state: Any, control: Any, **named: Any) -> None:
        self._end_aside()

    def on_predict(self, args: Any, state: Any, control: Any, metrics: Any = None, **named: Any) -> None:
        self._end_aside()

    def on_train_end(self, args: Any, state: Any, control: Any, **named: Any) -> None:
        self._end_aside()
        while self._logs:
            self._logs.pop().close()

    def _expect(self, control: Any) -> None:
        # Before its first batch is loaded, which would begin a step.
        if control.should_evaluate:
            self._begin_aside("evaluation")
        else:
            self._expect_saving(control)

    def _expect_saving(self, control: Any) -> None:
        # The trainer tells of a checkpoint when it is written (on_save). That it will write one is known here, behind an evaluation or
        # where there is none; but not with save_strategy="best", which compares first.
        if control.should_save:
            self._begin_aside("checkpoint_save")

    def _begin_aside(self, phase: str) -> None:
        if not self._aside:
            self._aside.append(marks.phase(phase).__enter__())

    def _end_aside(self) -> None:
        while self._aside:
            self._aside.pop().__exit__(None, None, None)


_LOGS = ("wandb", "tensorboard", "mlflow")


def _memory_logs(args: Any) -> List[memory_log.MemoryLog]:
    """What cannot be logged to is said: the training goes on as it would without."""
    names = [name for name in _LOGS if name in args.report_to]
    if not names:
        sys.stderr.write(f"strata: log=True has no effect: report_to={args.report_to} contains none of {', '.join(_LOGS)}\n")
    logs = []
    for name in names:
        try:
            logs.append(_memory_log(name, args))
        except (ImportError, RuntimeError) as error:
            sys.stderr.write(f"strata: no memory is logged to {name}: {error}\n")
    return logs


def _memory_log(name: str, args: Any) -> memory_log.MemoryLog:
    # The Trainer's own callbacks come first, so that their runs are there. Its writer for TensorBoard nobody else is given.
    from .. import integrations

    if name == "tensorboard":
        folder = os.environ.get("TENSORBOARD_LOGGING_DIR") or os.path.join(args.output_dir, "runs", "strata")
        return integrations.tensorboard.MemoryLog(os.path.expanduser(folder))  # type: ignore[no-any-return]
    if name == "wandb":
        return integrations.wandb.MemoryLog(live=True)  # type: ignore[no-any-return]
    return integrations.mlflow.MemoryLog()  # type: ignore[no-any-return]
