# SPDX-License-Identifier: Apache-2.0
"""Cells as tasks of Ray."""

from __future__ import annotations

import os
import socket
from typing import Any, Dict, Iterable, List, Optional, Tuple

import ray

from . import cell_job
from .folder import Cell, GridFolder, Refused, last_line, say

_CONNECT_SECONDS = 10


class Ray:
    """On the cluster with this address; "local": one that starts here and ends with this process."""

    def __init__(self, folder: GridFolder, options: Dict[str, Any], at_once: Optional[int], address: str, environment: Dict[str, str]) -> None:
        self.at_once = at_once
        self._folder, self._options, self._environment = folder, options, environment
        self._running: Dict[Any, str] = {}
        address = address or os.environ.get("RAY_ADDRESS", "local")
        try:
            _require_port(address)
            ray.init(address=address, log_to_driver=False, logging_level="ERROR", include_dashboard=False)
        except (OSError, ValueError, RuntimeError) as error:
            remedy = "start a cluster with `ray start --head`, set RAY_AUTH_MODE=token if it uses tokens, or use --address local"
            raise Refused(f"Ray does not connect to {address}: {str(error).splitlines()[0].rstrip('.')}; {remedy}") from None
        ray.cloudpickle.register_pickle_by_value(cell_job)
        self._is_local = address == "local"
        nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
        self._cores = max((node.get("CPU", 0) for node in nodes), default=0) or 1
        self._gpus = max((node.get("GPU", 0) for node in nodes), default=0)
        self._cells_per_gpu = folder.plan()["engine"]["cells_per_gpu"]

    def begin(self, cells: List[Cell]) -> None:
        self._check_gpus(max(cell.gpus for cell in cells))
        for cell in cells:
            gpus = 1 / self._cells_per_gpu if cell.gpus == 1 else cell.gpus
            # A cell that wants more cores than a machine has gets that machine for itself.
            options = {"num_cpus": min(cell.cores or self._cores, self._cores), "num_gpus": gpus, "max_retries": 0, "name": f"strata {cell.id}"}
            try:
                task = ray.remote(cell_job.run_cell).options(**{**options, **self._options})
            except (ValueError, TypeError) as error:
                raise Refused(f"--option: {str(error).splitlines()[0]}") from None
            self._running[task.remote(cell.words, str(self._folder.path), self._environment)] = cell.id

    def _check_gpus(self, most: int) -> None:
        if most <= self._gpus or "num_gpus" in self._options:
            return
        text = f"a cell needs {most} GPU{'' if most == 1 else 's'}, and no machine of the Ray cluster has that many"
        if self._is_local:
            raise Refused(f"{text}; name a cluster with --address, or plan the grid with --dry PROFILE")
        say(f"{text}; it waits until one has")

    def ended(self) -> Iterable[Tuple[str, str]]:
        if not self._running:
            return
        ready, _ = ray.wait(list(self._running), num_returns=len(self._running), timeout=0)
        for task in ready:
            id = self._running.pop(task)
            try:
                code, text = ray.get(task)
                yield id, text or f"{id}: its command ended with {code}"
            except ray.exceptions.RayError as error:
                yield id, f"{id}: its task failed: {last_line(error)}"

    def cancel(self, force: bool) -> None:
        for task in self._running:
            ray.cancel(task, force=force)

    def close(self) -> None:
        ray.shutdown()


def _require_port(address: str) -> None:
    """Raises OSError if nothing listens there: Ray itself tries for minutes."""
    host, has_port, port = address.rpartition(":")
    if has_port and "/" not in address:
        socket.create_connection((host, int(port)), timeout=_CONNECT_SECONDS).close()
