# SPDX-License-Identifier: Apache-2.0
"""Where a training step's memory and time go, for trainers in Python.

    import strata_profiler as strata

    strata.attach(model, optimizer)      # layers, and owners by name
    for batch in loader:
        strata.step()                    # once in each iteration
        with strata.phase("forward"):
            ...

Run the program under `strata exec -- python train.py`, or open a run in it with `strata.run()`. Where nothing records, each of these costs
a call and does nothing. `strata.open(folder)` reads what was recorded.
"""

from __future__ import annotations

from typing import Any

from . import integrations
from .attachment import attach
from .marks import phase, step
from .native import NativePartsMissing
from .reading import Run, RunError, open_run as open
from .recording import RecordingError, run
from .tables import TableError

__version__ = "0.2.0"

__all__ = ["NativePartsMissing", "RecordingError", "Run", "RunError", "TableError", "attach", "integrations", "open", "phase", "run", "step"]


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext strata_profiler`: the cell magic `%%strata`."""
    integrations.jupyter.load(shell)
