# SPDX-License-Identifier: Apache-2.0
"""Hugging Face's Trainer, with one argument: `Trainer(..., callbacks=[StrataCallback()])`."""

from __future__ import annotations

import os
import sys
from typing import Any, List

import transformers

from .. import attachment, marks, memory_log, session


class StrataCallback(transformers.TrainerCallback):  # type: ignore[misc]
    """Reports the steps, layers and owners of the training, its evaluations and its saving, to the recording of this process.

    Use it under `strata exec` or inside `strata.run()`; otherwise it has no effect. A step is one optimizer step, including its micro-batches.
    `layers=False` omits the module hooks. `log=True` logs the memory of each step to those of "wandb", "tensorboard" and "mlflow" that the
    Trainer reports to, in the process of rank 0 and for that process.
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
        # Called before its first batch is loaded, which would begin a step.
        if control.should_evaluate:
            self._begin_aside("evaluation")
        else:
            self._expect_saving(control)

    def _expect_saving(self, control: Any) -> None:
        # The trainer reports a checkpoint when it is written (on_save). That it will write one is known here, after an evaluation or if there is
        # none, but not with save_strategy="best", which compares first.
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
    """Warns about loggers that cannot be used; training continues without them."""
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
    # The Trainer's own callbacks come first, so their runs exist. Its TensorBoard writer is not accessible.
    from .. import integrations

    if name == "tensorboard":
        folder = os.environ.get("TENSORBOARD_LOGGING_DIR") or os.path.join(args.output_dir, "runs", "strata")
        return integrations.tensorboard.MemoryLog(os.path.expanduser(folder))  # type: ignore[no-any-return]
    if name == "wandb":
        return integrations.wandb.MemoryLog(live=True)  # type: ignore[no-any-return]
    return integrations.mlflow.MemoryLog()  # type: ignore[no-any-return]
