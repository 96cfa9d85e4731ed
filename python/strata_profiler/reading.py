# SPDX-License-Identifier: Apache-2.0
"""`strata.open`: a recorded run as dictionaries, tables and a page. Their content is defined by the program `strata`, not here."""

from __future__ import annotations

import functools
import html
import json
import os
import pathlib
from typing import Any, Dict, List, Mapping, Optional, Union

from . import native
from .tables import Kind, Table, from_csv, from_records

_MIB = 1 << 20


class RunError(RuntimeError):
    """The folder is not a run, or its run cannot be read."""


def open_run(run: "Union[str, os.PathLike[str]]", *, rank: Optional[int] = None, device: Optional[str] = None) -> "Run":
    """Opens the run in a folder, even if it was killed. With several ranks and devices: the first one with the most memory recorded, or the named
    one ("cuda:1", "pinned"). Raises RunError, and NativePartsMissing if the package was installed without its program.
    """
    return Run(pathlib.Path(run), rank, device)


class Run:
    """A recorded run. Sizes are in bytes, times in nanoseconds since its begin.

    Tables are pandas tables or, with `to="arrow"`, pyarrow tables. Each library is imported when first used; TableError names a missing one. Data
    that cannot be read raise RunError. Each call reads the run again, except `summary`, which is cached.
    """

    def __init__(self, directory: pathlib.Path, rank: Optional[int] = None, device: Optional[str] = None) -> None:
        self.directory = directory
        self._options: List[str] = []
        if rank is not None:
            self._options += ["--rank", str(rank)]
        if device is not None:
            self._options += ["--device", device]
        if not directory.is_dir():
            raise RunError(f"{directory}: no such folder")
        self.summary  # noqa: B018 - rejects a folder that is not a run here, not at its first use

    @functools.cached_property
    def summary(self) -> Dict[str, Any]:
        """summary.json (docs/summary.md)."""
        written = self.directory / "summary.json"
        if not self._options and written.is_file():
            try:
                return dict(json.loads(written.read_text()))
            except ValueError as error:
                raise RunError(f"{written}: not the summary of a run ({error}); `strata report` writes it again") from None
        return dict(json.loads(self._strata("report", "--json")))

    @property
    def peak(self) -> Mapping[str, Any]:
        """The moment of the highest allocation: `allocated_bytes`, `reserved_bytes`, `step`, `phase`, `categories`."""
        peak: Mapping[str, Any] = self.summary["peak"]
        return peak

    @property
    def peak_bytes(self) -> int:
        return int(self.peak["allocated_bytes"])

    def steps(self, to: Kind = "pandas") -> Table:
        """One row per step: its duration, peaks by measure, and the categories at its peak as columns `peak.<category>`."""
        rows = []
        for step in self.summary["steps"]:
            row = {key: value for key, value in step.items() if not isinstance(value, dict)}
            row.update({f"peak.{category}": size for category, size in step["peak_categories"].items()})
            rows.append(row)
        return from_records(rows, to)

    def categories(self, to: Kind = "pandas") -> Table:
        """Rows `mean`, `min`, `median`, `max`, `mean_over_time` and `at_peak`; one column per category."""
        return from_csv(self._export("categories"), to)

    def allocations(self, to: Kind = "pandas") -> Table:
        """One row per allocation: size, category, owner, operator, module, step, phase, birth and death (docs/export.md)."""
        return from_csv(self._export("blocks"), to)

    def timeline(self, to: Kind = "pandas") -> Table:
        """One row per event: the size of each category after it."""
        return from_csv(self._export("timeline"), to)

    def layers(self, to: Kind = "pandas") -> Table:
        """One row per module, at the peak: `path`, `bytes` including all submodules, and its own categories as `self.<category>`."""
        rows = []
        for layer in json.loads(self._strata("report", "--layers", "--json"))["layers"]:
            row = {key: value for key, value in layer.items() if not isinstance(value, dict)}
            row.update({f"self.{category}": size for category, size in layer["self"].items()})
            rows.append(row)
        return from_records(rows, to)

    def report(self) -> "Report":
        """The page, which a notebook displays."""
        page = self.directory / "report.html"
        if self._options or not page.is_file():
            self._strata("report", "--json")
        if not page.is_file():
            raise RunError(f"{page}: the page could not be written there")
        return Report(page)

    def __repr__(self) -> str:
        return f"<strata run {self.directory}: peak {self.peak_bytes / _MIB:,.1f} MiB on {self.summary['device']}>"

    def _repr_html_(self) -> str:
        peak = self.peak
        rows = "".join(
            f"<tr><td>{html.escape(category)}</td><td style='text-align:right'>{size / _MIB:,.1f}</td></tr>"
            for category, size in sorted(peak["categories"].items(), key=lambda item: -int(item[1]))
            if size
        )
        where = f"step {peak['step']}, {peak['phase']}" if peak["step"] is not None else "outside of the steps"
        return (
            f"<div><b>{html.escape(str(self.directory))}</b>, {html.escape(self.summary['device'])}: peak "
            f"{self.peak_bytes / _MIB:,.1f} MiB in {html.escape(where)}"
            f"<table><tr><th>at the peak</th><th>MiB</th></tr>{rows}</table></div>"
        )

    def _export(self, what: str) -> str:
        return self._strata("export", "--format", "csv", "--what", what, "--out", "-")

    def _strata(self, command: str, *words: str) -> str:
        done = native.run_program(command, str(self.directory), *words, *self._options)
        if done.returncode != 0:
            raise RunError(done.stderr.strip().removeprefix("strata: "))
        return done.stdout


class Report:
    """A run's page, in the file `path`. It needs no network."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path

    def _repr_html_(self) -> str:
        # In a separate frame, so that the page's styles and scripts do not affect the notebook.
        page = html.escape(self.path.read_text(encoding="utf-8"), quote=True)
        return f"<iframe srcdoc=\"{page}\" style='width:100%;height:900px;border:0' title='strata report'></iframe>"

    def __repr__(self) -> str:
        return f"<strata report {self.path}>"
