# SPDX-License-Identifier: Apache-2.0
"""Cells as jobs of submitit: on Slurm an array, or processes of this machine."""

from __future__ import annotations

import json
import pathlib
import subprocess
import time
from typing import Any, Dict, Iterable, List, Optional, Set, Tuple

import cloudpickle
import submitit

from . import cell_job
from .folder import Cell, GridFolder, Refused, last_line

_USUAL_MINUTES = 60
_QUEUE_SECONDS = 2
_LEAVING_SECONDS = 30


class Submitit:
    """With the settings for Slurm of the grid's file, and these options over them, as for `AutoExecutor.update_parameters`."""

    def __init__(self, folder: GridFolder, options: Dict[str, Any], at_once: Optional[int], cluster: Optional[str], environment: Dict[str, str]) -> None:
        self._folder, self._options, self._environment = folder, options, environment
        self._running: Dict[str, Any] = {}
        self._submitted: Set[str] = set()
        self._queue_read = 0.0
        try:
            self._executor = submitit.AutoExecutor(folder.path / "jobs" / "%j", cluster=cluster)
        except (RuntimeError, ValueError) as error:
            raise Refused(f"--cluster: {error}") from None
        self._is_slurm = self._executor.cluster == "slurm"
        self._throttle = at_once
        # Without Slurm, submitit starts everything at once, and all jobs on the same GPUs.
        self.at_once = None if self._is_slurm else at_once or 1
        cloudpickle.register_pickle_by_value(cell_job)

    def begin(self, cells: List[Cell]) -> None:
        plan = self._folder.plan()
        parameters = slurm_parameters(plan, cells, self._throttle)
        if not self._is_slurm:
            parameters = {name: value for name, value in parameters.items() if not name.startswith("slurm_")}
        try:
            self._executor.update_parameters(**{**parameters, **self._options})
            with self._executor.batch():  # one array
                jobs = [self._executor.submit(cell_job.run_cell, cell.words, str(self._folder.path), self._environment) for cell in cells]
        except (NameError, ValueError, AssertionError) as error:
            raise Refused(f"--option: {error}") from None
        except submitit.core.utils.FailedJobError as error:
            raise Refused(f"submitit cannot submit: {str(error).strip()}") from None
        self._running.update(zip((cell.id for cell in cells), jobs))
        self._submitted.update(job.job_id for job in jobs)
        if self._is_slurm and len(jobs) > 1:
            _note_array(self._folder.path, jobs[0].job_id.split("_")[0], [cell.id for cell in cells])

    def ended(self) -> Iterable[Tuple[str, str]]:
        gone = self._gone()
        for id, job in list(self._running.items()):
            has_result = job.paths.result_pickle.exists()
            if not has_result and id not in gone:
                continue
            del self._running[id]
            error = f"job {job.job_id} ended without a result; its output: {job.paths.stderr}"
            if has_result:
                try:
                    code, text = job.result()
                    yield id, text or f"{id}: its command ended with {code}"
                    continue
                except Exception as failure:  # whatever was raised there
                    error = f"job {job.job_id} failed: {last_line(failure)}"
            yield id, f"{id}: {error}"

    def _gone(self) -> Set[str]:
        """The cells whose jobs are over."""
        if not self._is_slurm:
            return {id for id, job in self._running.items() if job.done()}
        if time.monotonic() < self._queue_read + _QUEUE_SECONDS:
            return set()
        self._queue_read = time.monotonic()
        queued = _queued_jobs()
        return set() if queued is None else {id for id, job in self._running.items() if job.job_id not in queued}

    def cancel(self, force: bool) -> None:
        if self._is_slurm:
            ids = sorted({job.job_id for job in self._running.values()})
            subprocess.run(["scancel", *(["--signal=KILL"] if force else []), *ids], capture_output=True)
            return
        for job in self._running.values():
            job.cancel(check=False)

    def close(self) -> None:
        """A task has written its result before it leaves Slurm's queue; `strata grid` starts nothing while one is in it."""
        end = time.monotonic() + _LEAVING_SECONDS
        while self._is_slurm and self._submitted & (_queued_jobs() or set()) and time.monotonic() < end:
            time.sleep(0.5)


def _queued_jobs() -> Optional[Set[str]]:
    """Of Slurm's queue; None if it does not answer. submitit asks the accounting, which is not on every cluster."""
    said = subprocess.run(["squeue", "--me", "--noheader", "--array", "--format=%i"], capture_output=True, text=True)
    return set(said.stdout.split()) if said.returncode == 0 else None


def slurm_parameters(plan: Dict[str, Any], cells: List[Cell], throttle: Optional[int]) -> Dict[str, Any]:
    """submitit's words for `engine` of the grid's file. All cells of an array get what the largest of them needs."""
    slurm, limits, memory = plan["engine"]["slurm"], plan["limits"], plan["engine"]["memory_bytes"]
    minutes = _USUAL_MINUTES
    if slurm["time"]:
        minutes = minutes_of(slurm["time"])
    elif limits["timeout_s"]:
        minutes = limits["timeout_s"] // 60 + 5
    gpus = 0 if slurm["gres"] else slurm["gpus"] or max(cell.gpus for cell in cells)
    extra = {}
    for words in slurm["sbatch"]:
        name, is_set, value = words.lstrip("-").partition("=")
        extra[name] = value if is_set else True
    wanted = {
        "name": f"strata-{plan['name']}",
        "timeout_min": minutes,
        "cpus_per_task": slurm["cpus"] or max(cell.cores for cell in cells),
        "gpus_per_node": gpus,
        "mem_gb": memory / 2**30 if memory else None,
        "slurm_partition": slurm["partition"],
        "slurm_account": slurm["account"],
        "slurm_qos": slurm["qos"],
        "slurm_constraint": slurm["constraint"],
        "slurm_gres": slurm["gres"],
        "slurm_array_parallelism": throttle or slurm["throttle"] or len(cells),
        "slurm_setup": slurm["setup"],
        "slurm_additional_parameters": extra,
    }
    return {name: value for name, value in wanted.items() if value}


def minutes_of(time_text: str) -> int:
    """Of a time as sbatch takes it: minutes, minutes:seconds, hours:minutes:seconds, days-hours[:minutes[:seconds]]."""
    days, has_days, clock = time_text.rpartition("-")
    parts = [int(part) for part in clock.split(":")]
    if has_days or len(parts) == 3:
        hours, minutes, seconds = (parts + [0, 0])[:3]
    else:
        hours, minutes, seconds = 0, *(parts + [0])[:2]
    return int(days or 0) * 1440 + hours * 60 + minutes + (seconds > 0)


def _note_array(grid: pathlib.Path, job: str, ids: List[str]) -> None:
    """As `strata grid --engine slurm` notes its arrays: so it knows which cells are in Slurm's queue, also after this process was killed."""
    number = 1
    while True:
        folder = grid / "slurm" / str(number)
        try:
            folder.mkdir(parents=True)
            break
        except FileExistsError:
            number += 1
    (folder / "cells.txt").write_text("".join(f"{id}\n" for id in ids))
    noted = {"schema": "strata.slurm/1", "pack": 1, "collector": "", "arrays": [{"job": job, "offset": 0, "tasks": len(ids)}]}
    (folder / "jobs.json").write_text(json.dumps(noted, indent=2) + "\n")
