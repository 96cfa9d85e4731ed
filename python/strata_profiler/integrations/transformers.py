# SPDX-License-Identifier: Apache-2.0
"""Hugging Face's Trainer, with one argument: `Trainer(..., callbacks=[StrataCallback()])`."""

from __future__ import annotations

from typing import Any, List

import transformers

from .. import attachment, marks


class StrataCallback(transformers.TrainerCallback):  # type: ignore[misc]
    """Tells steps, layers and owners of the training, evaluations, and saving, to whoever records the process.

    Under `strata exec`, or within `strata.run()`; otherwise it does nothing. A step is one of the optimizer: its micro-batches are within.
    `layers=False` leaves the module hooks out.
    """

    def __init__(self, layers: bool = True) -> None:
        self._layers = layers
        self._aside: List[marks.phase] = []

    def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, optimizer: Any = None, **named: Any) -> None:
        attachment.attach(model, optimizer, layers=self._layers)

    def on_step_end(self, args: Any, state: Any, control: Any, **named: Any) -> None:
        self._end_aside()
        marks.step()
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
