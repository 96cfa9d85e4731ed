# SPDX-License-Identifier: Apache-2.0
"""A server of trials: the program runs until it first uses torch, and each trial is a fork from there. Imports are done only once.

It becomes a server if that changes nothing: it is the program's own process, with one thread, and CUDA is not in use. Otherwise it writes the
reason to <socket>.refused and exits.

A client connects, sends a line of JSON, {"variables": {...}, "output": FILE}, and receives a line with the exit code of that trial, or 128 + the
signal that ended it, and its peak host memory in KiB. If the client closes its side, its trial is ended. The server ends with its parent.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib
import json
import os
import select
import signal
import socket
import sys
import traceback
from types import FrameType
from typing import Any, Callable, Dict, Optional

import torch
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack

from .changes.frameworks import ENTRIES
from .imports import when_imported
from .program import enter, replace

_PR_SET_PDEATHSIG = 1


def wait_for_first_use(place: str, begin_trial: Callable[[], None]) -> None:
    process = ctypes.CDLL(None)
    process.strata_dry_gpu_copy_to_children()
    # Torch's own count makes it refuse CUDA in children, as a real driver does, too.
    replace(torch._C, "_cuda_getDeviceCount", lambda _: lambda: _count_devices(process))
    server = _Server(place, begin_trial, process)

    def watch(owner: Any, name: str) -> None:
        def first(run: Callable[..., Any]) -> Callable[..., Any]:
            def used(*arguments: Any, **named: Any) -> Any:
                if server.used():  # in a trial: with everything that the trial has put around this call
                    return getattr(owner, name)(*arguments, **named)
                server.leave_mode()
                return run(*arguments, **named)

            return used

        replace(owner, name, first)

    def first_at_any_time(run: Callable[..., Any]) -> Callable[..., Any]:
        def used(*arguments: Any, **named: Any) -> Any:
            server.serve()
            return run(*arguments, **named)

        return used

    for owner in (torch.nn.Module, torch.utils.data.BatchSampler, torch.optim.Optimizer):
        watch(owner, "__init__")
    for place, kind, name, _ in ENTRIES:
        when_imported(place, functools.partial(lambda kind, name, module: watch(getattr(module, kind), name), kind, name))
    replace(torch.cuda, "_lazy_init", first_at_any_time)
    server.mode = _Functions(server)
    enter(server.mode)


class _Functions(TorchFunctionMode):
    def __init__(self, server: "_Server") -> None:
        super().__init__()
        self._server = server

    def __torch_function__(self, function: Any, types: Any, inputs: Any = (), named: Any = None) -> Any:
        self._server.used()
        return function(*inputs, **(named or {}))


class _Server:
    def __init__(self, place: str, begin_trial: Callable[[], None], process: Any) -> None:
        self._place = place
        self._begin_trial = begin_trial
        self._process = process
        self._is_over = False
        self.mode: Any = None

    def used(self) -> bool:
        """Torch is used by the program, or by a module that the program imports and that needs it. Returns whether a trial begins here."""
        if self._is_over or _is_importing():
            return False
        self.serve()
        return True

    def leave_mode(self) -> None:
        """In a trial, if it is the innermost mode: not inside a function that it intercepted."""
        stack = _get_current_function_mode_stack()  # type: ignore[no-untyped-call]
        if self._is_over and self.mode is not None and stack and stack[-1] is self.mode:
            self.mode.__exit__(None, None, None)
            self.mode = None

    def serve(self) -> None:
        """Returns in each trial."""
        if self._is_over:
            return
        self._is_over = True
        _import_early()
        threads = len(os.listdir("/proc/self/task"))
        if os.environ.get("STRATA_TRIAL_SERVER_PROCESS") != str(os.getpid()):
            self._refuse("a process that the program starts uses torch")
        if threads > 1:
            self._refuse(f"the program has {threads} threads when it first uses torch")
        self._accept()

    def _refuse(self, why: str) -> None:
        with open(self._place + ".refused", "w", encoding="utf-8") as file:
            file.write(why)
        os._exit(0)

    def _accept(self) -> None:
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(self._place + ".new")
        listener.listen(64)
        os.rename(self._place + ".new", self._place)
        clients: Dict[int, socket.socket] = {}  # by process
        own = signal.signal(signal.SIGINT, signal.SIG_IGN)  # from a terminal: the client handles it
        while True:
            ready, _, _ = select.select([listener, *clients.values()], [], [], 0.02 if clients else None)
            for child, client in clients.items():
                if client in ready:  # it sends nothing more, and only waits for the end
                    os.kill(child, signal.SIGKILL)
            if listener in ready:
                client, _ = listener.accept()
                request = json.loads(client.makefile().readline())
                sys.stdout.flush()
                sys.stderr.flush()
                child = os.fork()
                if child == 0:
                    signal.signal(signal.SIGINT, own)
                    for each in [listener, client, *clients.values()]:
                        each.close()
                    try:
                        return self._become_trial(request)
                    except BaseException:  # the program, whose code this runs inside, might continue
                        traceback.print_exc()
                        os._exit(1)
                clients[child] = client
            for child, client in list(clients.items()):
                ended, status, used = os.wait4(child, os.WNOHANG)
                if ended:
                    code = -os.waitstatus_to_exitcode(status)
                    client.sendall(f"{128 + code if code > 0 else -code} {used.ru_maxrss}\n".encode())
                    clients.pop(child).close()

    def _become_trial(self, request: Dict[str, Any]) -> None:
        self._process.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        # If the host's memory is full, this process is killed first.
        with open("/proc/self/oom_score_adj", "w", encoding="utf-8") as score:
            score.write("1000")
        output = os.open(request["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.close(output)
        os.environ.update(request["variables"])
        self._process.strata_dry_gpu_move_account()
        self._process.strata_attach_now()
        self._begin_trial()


def _import_early() -> None:
    """Imports what the first optimizer step would import in each trial. It takes about a second."""
    with contextlib.suppress(ImportError):
        importlib.import_module("torch._dynamo")


def _count_devices(process: Any) -> int:
    count = ctypes.c_int(0)
    return count.value if process.cudaGetDeviceCount(ctypes.byref(count)) == 0 else 0


def _is_importing() -> bool:
    frame: Optional[FrameType] = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False
