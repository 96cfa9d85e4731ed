# SPDX-License-Identifier: Apache-2.0
"""One rank of a job whose other ranks are absent (`strata exec --world`).

Environment, beside what torchrun gives a worker:
    STRATA_JOB  address of the job's store, host:port
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from types import ModuleType
from typing import Any, Callable, Dict, List, NoReturn, Optional, Sequence, Set

from . import imports


def begin() -> None:
    """Torch has been imported, and the program has not used it yet."""
    imports.when_imported("torch.distributed.launcher.api", _start_only_this_rank)
    imports.when_imported("torch.multiprocessing.spawn", _spawn_only_this_rank)
    imports.when_imported("deepspeed.launcher.runner", _start_only_this_rank_by_deepspeed)
    imports.when_imported("torch.distributed.distributed_c10d", _stand_alone)
    imports.when_imported("torch.distributed.rendezvous", _use_the_jobs_store)
    imports.when_imported("torch._inductor.select_algorithm", _autotune_one)


def _distributed() -> Any:
    import torch.distributed

    return torch.distributed


def _start_only_this_rank(api: ModuleType) -> None:
    """torchrun, and what is built on it, becomes this rank's worker instead of starting workers and waiting for other nodes."""

    def launch_agent(config: Any, entrypoint: Any, args: List[Any], **_: Any) -> Dict[int, Any]:
        rank = int(os.environ["RANK"])
        _place_on_node(config.nproc_per_node)
        os.environ.update(ROLE_RANK=str(rank), ROLE_NAME=config.role, ROLE_WORLD_SIZE=os.environ["WORLD_SIZE"], TORCHELASTIC_RUN_ID=config.run_id)
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        if callable(entrypoint):
            return {rank: entrypoint(*args)}
        return _become([entrypoint, *(str(word) for word in args)])

    setattr(api, "launch_agent", launch_agent)


def _start_only_this_rank_by_deepspeed(runner: ModuleType) -> None:
    """DeepSpeed's launcher becomes this rank's worker; it reads no host file and reaches no other node."""

    def main(args: Optional[List[str]] = None) -> None:
        given = runner.parse_args(args)
        if given.num_gpus > 0:
            _place_on_node(given.num_gpus)
        python = [] if given.no_python else [sys.executable, "-u", *(["-m"] if given.module else [])]
        place = [] if given.no_local_rank else [f"--local_rank={os.environ['LOCAL_RANK']}"]
        _become([*python, given.user_script, *place, *given.user_args])

    setattr(runner, "main", main)


def _spawn_only_this_rank(spawn: ModuleType) -> None:
    """torch.multiprocessing's functions start only the process that is this rank."""
    start: Callable[..., Any] = vars(spawn)["start_processes"]

    @functools.wraps(start)
    def start_processes(fn: Callable[..., Any], args: Sequence[Any] = (), nprocs: int = 1, *words: Any, **settings: Any) -> Any:
        index = int(os.environ["RANK"]) % nprocs
        return start(functools.partial(_call_at, fn, index), args, 1, *words, **settings)

    for module in (spawn, sys.modules["torch.multiprocessing"]):
        setattr(module, "start_processes", start_processes)


def _call_at(function: Callable[..., Any], index: int, _: int, *args: Any) -> Any:
    return function(index, *args)


def _place_on_node(ranks_on_node: int) -> None:
    """Sets the variables of a rank that depend on how many ranks a node has."""
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    os.environ.update(
        LOCAL_RANK=str(rank % ranks_on_node),
        LOCAL_WORLD_SIZE=str(ranks_on_node),
        GROUP_RANK=str(rank // ranks_on_node),
        GROUP_WORLD_SIZE=str(-(-world // ranks_on_node)),
    )


def _become(words: List[str]) -> NoReturn:
    """The program takes this process's place, so that signals and `strata exec` itself reach it."""
    sys.stdout.flush()
    sys.stderr.flush()
    os.execvp(words[0], words)


def _use_the_jobs_store(rendezvous: ModuleType) -> None:
    """Whatever address a program names for its store, it is the job's."""
    import torch.distributed.distributed_c10d as c10d

    plain: Any = vars(_distributed())["TCPStore"]

    class TCPStore(plain):  # type: ignore[misc]
        def __init__(self, *_: Any, timeout: Any = c10d.default_pg_timeout, **__: Any) -> None:
            address, port = os.environ["STRATA_JOB"].rsplit(":", 1)
            super().__init__(address, int(port), None, False, timeout, wait_for_workers=False)

    class FileStore(TCPStore):
        """What is in its file would be known to the other ranks only."""

    _replace(c10d, "TCPStore", TCPStore)
    _replace(c10d, "FileStore", FileStore)
    setattr(rendezvous, "TCPStore", TCPStore)
    setattr(rendezvous, "FileStore", FileStore)


def _replace(c10d: ModuleType, name: str, value: Any) -> None:
    """Also in torch.distributed, which has all names of the module."""
    for module in (c10d, _distributed()):
        if hasattr(module, name):
            setattr(module, name, value)


def _stand_alone(c10d: ModuleType) -> None:
    """Groups on the CPU connect to nobody; the torch source answers their collectives (sources/torch/training/absent_peers.hpp)."""
    gloo: Any = getattr(c10d, "ProcessGroupGloo", None)
    if gloo is not None:

        class ProcessGroupGloo(gloo):  # type: ignore[misc]
            def __init__(self, store: Any, rank: int, size: int, *rest: Any, **settings: Any) -> None:
                super().__init__(_distributed().HashStore(), 0, 1, *rest, **settings)

        _replace(c10d, "ProcessGroupGloo", ProcessGroupGloo)
    _tell_sizes_of_splits(c10d)
    _note_peers(c10d)
    from . import job_objects

    job_objects.exchange(c10d, functools.partial(_replace, c10d))


def _tell_sizes_of_splits(c10d: ModuleType) -> None:
    """Only all ranks of a communicator together know how many of them take the same part of it; torch knows it beforehand."""
    expect = ctypes.CDLL("libstrata_dry_gpu.so").strata_dry_gpu_expect_split
    new_group, split_group = c10d._new_process_group_helper, c10d.ProcessGroup.split_group

    @functools.wraps(new_group)
    def _new_process_group_helper(group_size: int, group_rank: int, *words: Any, **settings: Any) -> Any:
        expect(group_rank, group_size)
        try:
            return new_group(group_size, group_rank, *words, **settings)
        finally:
            expect(0, 0)

    def split(self: Any, ranks: Sequence[int], *words: Any, **settings: Any) -> Any:
        if self.rank() in ranks:
            expect(list(ranks).index(self.rank()), len(ranks))
        try:
            return split_group(self, ranks, *words, **settings)
        finally:
            expect(0, 0)

    setattr(c10d, "_new_process_group_helper", _new_process_group_helper)
    setattr(c10d.ProcessGroup, "split_group", split)


def _note_peers(c10d: ModuleType) -> None:
    """Ranks that send to each other, as stages of a pipeline, do different things, unlike those of a collective: the store is told of them."""
    noted: Set[int] = set()
    stores: List[Any] = []

    def note(group: Any) -> None:
        for rank in c10d.get_process_group_ranks(group or c10d.group.WORLD):
            if rank not in noted:
                noted.add(rank)
                if not stores:
                    stores.append(_distributed().TCPStore("", 0))
                stores[0].set(f"strata/peer/{rank}", "")

    class P2POp(c10d.P2POp):  # type: ignore[misc, name-defined]
        def __init__(self, *words: Any, **settings: Any) -> None:
            super().__init__(*words, **settings)
            note(self.group)

    _replace(c10d, "P2POp", P2POp)
    for name in ("isend", "irecv"):  # what send and recv call
        call: Callable[..., Any] = getattr(c10d, name)

        def noting(*words: Any, _call: Callable[..., Any] = call, **settings: Any) -> Any:
            note(settings.get("group", words[2] if len(words) > 2 else None))
            return _call(*words, **settings)

        _replace(c10d, name, functools.wraps(call)(noting))


def _autotune_one(select_algorithm: ModuleType) -> None:
    """On a dry card all candidates take the same time, so that the autotuner chooses the first that compiles. The others are not compiled. That one
    is given twice, because nothing is measured for a single candidate, and the memory of measuring would be missing.
    """
    add_preprocessing: Any = getattr(select_algorithm, "add_preprocessing_fn", None)  # torch 2.9
    libraries: Any = getattr(select_algorithm, "ExternKernelCaller", ())
    too_large: Set[str] = set()

    def first_twice(choices: List[Any]) -> List[Any]:
        kernels = [choice for choice in choices if not isinstance(choice, libraries)]
        if len(kernels) < 2:
            return choices
        for kernel in kernels:
            if kernel.description not in too_large:
                try:
                    kernel.precompile()
                except Exception:  # the autotuner would drop it, too
                    too_large.add(kernel.description)
                else:
                    return [choice for choice in choices if choice is kernel or choice not in kernels] + [kernel]
        return choices

    if add_preprocessing is not None:
        add_preprocessing(first_twice)
