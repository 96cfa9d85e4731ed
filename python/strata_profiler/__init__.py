# SPDX-License-Identifier: Apache-2.0
"""Where the memory and time of a training step go, for Python trainers.

    import strata_profiler as strata

    strata.attach(model, optimizer)      # layers, and owners by name
    for batch in loader:
        strata.step()                    # once per iteration
        with strata.phase("forward"):
            ...

Run the program under `strata exec -- python train.py`, or open a run in it with `strata.run()`. If nothing is being recorded, each call
returns at once and has no effect. `strata.open(folder)` reads a recorded run.
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
