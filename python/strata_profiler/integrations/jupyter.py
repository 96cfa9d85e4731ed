# SPDX-License-Identifier: Apache-2.0
"""Jupyter: `%load_ext strata_profiler`, then `%%strata` above a cell that trains."""

from __future__ import annotations

from typing import Any, Optional

from IPython.core.magic import Magics, cell_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import display

from .. import reading, recording


@magics_class
class StrataMagics(Magics):  # type: ignore[misc]
    @magic_arguments()  # type: ignore[untyped-decorator]
    @argument("out", nargs="?", help="the run's folder, new or empty [runs/<program>/<time>]")  # type: ignore[untyped-decorator]
    @argument("--page", action="store_true", help="also show the page; the notebook keeps it")  # type: ignore[untyped-decorator]
    @cell_magic  # type: ignore[untyped-decorator]
    def strata(self, line: str, cell: str) -> None:
        """Records the cell and shows the run, even if the cell fails. The run is stored in `_strata_run`, as returned by `strata.open`."""
        words = parse_argstring(self.strata, line)
        code = self.shell.transform_cell(cell)
        recorded = recording.run(words.out, quiet=True)
        try:
            with recorded:
                exec(compile(code, self.shell.compile.cache(code), "exec"), self.shell.user_ns)
        finally:
            run = _opened(recorded)
            if run is not None:
                self.shell.user_ns["_strata_run"] = run
                display(run, *([run.report()] if words.page else []))


def _opened(recorded: recording.run) -> Optional[reading.Run]:
    if recorded.directory is None:  # inside another run, or the run could not be started
        return None
    try:
        return reading.open_run(recorded.directory)
    except reading.RunError:
        print("strata: nothing was recorded: the cell allocated no memory with torch")
        return None


def load(shell: Any) -> None:
    shell.register_magics(StrataMagics)
