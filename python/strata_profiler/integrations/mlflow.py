# SPDX-License-Identifier: Apache-2.0
"""MLflow: `MemoryLog()` inside `mlflow.start_run()`."""

from __future__ import annotations

import os
import time
from typing import List, Optional, Tuple, Union

import mlflow
from mlflow.entities import Metric

from .. import memory_log

_METRICS_PER_REQUEST = 1000  # the maximum that MLflow's server accepts


class MemoryLog(memory_log.MemoryLog):
    """Logs the memory of each step to the run `run_id`, by default the active one. That run may have ended when `close` is called."""

    def __init__(self, run: Optional["Union[str, os.PathLike[str]]"] = None, *, run_id: Optional[str] = None, live: bool = True) -> None:
        super().__init__(run, live=live)
        if run_id is None:
            active = mlflow.active_run()
            if active is None:
                raise RuntimeError("strata: no MLflow run to log to: call mlflow.start_run() first, or give run_id=")
            run_id = active.info.run_id
        self._run_id = run_id
        self._client = mlflow.MlflowClient()

    def write(self, steps: List[Tuple[int, memory_log.Metrics]]) -> None:
        now_ms = int(time.time() * 1000)
        metrics = [Metric(name, value, now_ms, index) for index, values in steps for name, value in values.items()]
        for begin in range(0, len(metrics), _METRICS_PER_REQUEST):
            self._client.log_batch(self._run_id, metrics[begin : begin + _METRICS_PER_REQUEST])
