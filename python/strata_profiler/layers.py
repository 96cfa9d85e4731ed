# SPDX-License-Identifier: Apache-2.0
"""The layer that is running: torch's global module hooks, reported to the session for modules of attached models.

Global hooks belong to no model, so copying, pickling or scripting a model does not carry anything of ours along. torch.compile traces them, by
their names in this module. They do not change its graphs, because they have no effect while it traces.
"""

from __future__ import annotations

import sys
import threading
import types
import warnings
import weakref
from typing import Any, Dict, List, Optional, Tuple

import torch
from torch.nn.modules import module as torch_module

from . import backward_layers, session
from .names import plain_name
from .owners import Owners
from .session import Session


class Layer:
    """A module of an attached model, and its names in the form that the session takes."""

    __slots__ = ("module", "path", "type", "is_root")

    def __init__(self, module: torch.nn.Module, path: str, is_root: bool) -> None:
        self.module = weakref.ref(module)
        self.is_root = is_root
        self.path = path.encode()
        self.type = type(module).__name__.encode()


class _OpenLayers(threading.local):
    def __init__(self) -> None:
        self.stack: List[Tuple[Layer, int]] = []


_open = _OpenLayers()
_layers: Dict[int, Layer] = {}  # by id() of the module
_session: Optional[Session] = None
_owners: Optional[Owners] = None
_backward = False
_handles: List[Any] = []


def add(model: torch.nn.Module, prefix: str = "") -> None:
    """Follows its modules from now on, each under the first of its names."""
    for path, module in model.named_modules(prefix=prefix):
        path = plain_name(path)
        known = _layers.get(id(module))
        if known is None or known.module() is not module:
            _layers[id(module)] = Layer(module, path, module is model)


def begin(recording: Session, owners: Owners) -> None:
    global _session, _owners, _backward
    _session = recording
    _owners = owners
    _backward = recording.plugins_want_modules()
    if not _handles:
        # torch.compile warns about global hooks, which also run for its wrapper; ours ignore the wrapper.
        warnings.filterwarnings("ignore", message=r"Using `torch\.compile\(module\)` when there are global hooks")
        _handles.append(torch_module.register_module_forward_pre_hook(before_forward))
        _handles.append(torch_module.register_module_forward_hook(after_forward, with_kwargs=True, always_call=True))


def end() -> None:
    global _session, _owners
    _session = _owners = None
    while _handles:
        _handles.pop().remove()
    _layers.clear()


def before_forward(module: torch.nn.Module, inputs: Any) -> None:
    if torch.compiler.is_compiling():
        return
    layer = _layers.get(id(module))
    recording = _session
    if layer is None or recording is None or layer.module() is not module:
        return
    repeated = torch._C._current_graph_task_id() != -1  # checkpointing repeats a forward inside a backward
    ordinal = recording.begin_module(layer.path, layer.type, session.RECOMPUTE if repeated else session.FORWARD)
    _open.stack.append((layer, ordinal))
    if _backward and torch.is_grad_enabled():
        backward_layers.watch_inputs(recording, layer, inputs)


_CALL = torch.nn.Module._call_impl.__code__
_running: Dict[types.FrameType, int] = {}  # calls that had begun before the hooks were installed, with the ordinals of their modules


def open_running() -> None:
    """Opens modules whose forward is already running. Torch looked for hooks before that, so their end is detected with Python's profiler."""
    recording = _session
    if recording is None or sys.getprofile() is not None:
        return
    calls: List[Tuple[types.FrameType, Layer]] = []
    frame: Optional[types.FrameType] = sys._getframe(1)
    while frame is not None:
        if "_dynamo" in frame.f_code.co_filename:
            return
        layer = _layers.get(id(frame.f_locals.get("self"))) if frame.f_code is _CALL else None
        if layer is not None:
            calls.append((frame, layer))
        frame = frame.f_back
    for frame, layer in reversed(calls):
        _running[frame] = recording.begin_module(layer.path, layer.type, session.FORWARD)
        _open.stack.append((layer, _running[frame]))
    if calls:
        sys.setprofile(_end_running)


def _end_running(frame: types.FrameType, event: str, _: Any) -> None:
    if event != "return" or frame not in _running:
        return
    ordinal = _running.pop(frame)  # the frame still holds the arguments of the call
    if not _running:
        sys.setprofile(None)
    inputs, named_inputs = frame.f_locals.get("args", ()), frame.f_locals.get("kwargs", {})
    if _session is not None and _open.stack and _open.stack[-1][1] == ordinal:
        _close(_session, inputs, named_inputs)


def _close(recording: Session, inputs: Any, named_inputs: Any) -> None:
    layer, ordinal = _open.stack.pop()
    recording.end_module(ordinal)
    if layer.is_root and not _open.stack and _owners is not None:
        _owners.report_inputs(inputs, named_inputs)


def after_forward(module: torch.nn.Module, inputs: Any, *named_inputs_and_output: Any) -> None:
    """For a forward that raised, torch passes neither the named inputs nor an output."""
    if torch.compiler.is_compiling():
        return
    stack = _open.stack
    recording = _session
    if not stack or recording is None or stack[-1][0].module() is not module:
        return
    if _backward and torch.is_grad_enabled():
        backward_layers.watch_outputs(recording, [layer for layer, _ in stack], named_inputs_and_output[-1])
    _close(recording, inputs, named_inputs_and_output[0] if len(named_inputs_and_output) == 2 else {})
