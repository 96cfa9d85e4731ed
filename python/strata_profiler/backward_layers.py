# SPDX-License-Identifier: Apache-2.0
"""The layer whose backward is running, if a plugin listens to modules: hooks on nodes of the backward graph, which do not change the graph.

A layer's backward begins with the node that made its output. It ends when the node that made its input begins, which belongs to another
layer, or when the whole backward ends.
"""

from __future__ import annotations

import atexit
import functools
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any, Iterator, List, Tuple

import torch

from .session import BACKWARD, Session

if TYPE_CHECKING:
    from .layers import Layer


class _OpenLayers(threading.local):
    def __init__(self) -> None:
        self.stack: List[Tuple["Layer", int]] = []
        self.graph_task = -1


_open = _OpenLayers()
# Callbacks that the autograd engine holds.
_queued: "weakref.WeakSet[Any]" = weakref.WeakSet()


@atexit.register
def _wait_for_engine() -> None:
    """Waits until the engine has freed its callbacks, for a second at most.

    It frees them on its own thread, in a destructor that takes Python's lock. A thread that takes the lock while Python finalises is ended,
    which a destructor must not be: the process would abort after its last backward.
    """
    give_up = time.monotonic() + 1
    while _queued and time.monotonic() < give_up:
        time.sleep(0.001)


def watch_inputs(recording: Session, layer: "Layer", inputs: Any) -> None:
    for node in _nodes(inputs):
        node.register_prehook(functools.partial(_leave, recording, layer))


def watch_outputs(recording: Session, around: List["Layer"], output: Any) -> None:
    """`around`: the layers that are running, outermost first; the last one made `output`."""
    for node in _nodes(output):
        node.register_prehook(functools.partial(_enter, recording, tuple(around)))


def _nodes(value: Any, depth: int = 0) -> Iterator[Any]:
    if isinstance(value, torch.Tensor):
        if value.grad_fn is not None:
            yield value.grad_fn
    elif depth < 2 and isinstance(value, (tuple, list)):
        for part in value:
            yield from _nodes(part, depth + 1)
    elif depth < 2 and isinstance(value, dict):
        yield from _nodes(list(value.values()), depth)


def _enter(recording: Session, around: Tuple["Layer", ...], gradients: Any) -> None:
    stack = _open.stack
    _begin_graph_task(recording)
    same = 0
    while same < len(stack) and same < len(around) and stack[same][0] is around[same]:
        same += 1
    if same == len(around):
        return  # an output that is also that of the inner layer, which is running
    _end_above(recording, same)
    for layer in around[same:]:
        stack.append((layer, recording.begin_module(layer.path, layer.type, BACKWARD)))


def _leave(recording: Session, layer: "Layer", gradients: Any) -> None:
    for depth, (open_layer, _) in enumerate(_open.stack):
        if open_layer is layer:
            return _end_above(recording, depth)


def _begin_graph_task(recording: Session) -> None:
    task = torch._C._current_graph_task_id()
    if task == _open.graph_task:
        return
    _open.graph_task = task
    _end_above(recording, 0)  # of a backward that was given up
    _queue(functools.partial(_end_above, recording, 0))


def _queue(callback: Any) -> None:
    """`callback` is called when the backward that is running has ended."""
    _queued.add(callback)
    torch.autograd.Variable._execution_engine.queue_callback(callback)


def _end_above(recording: Session, depth: int) -> None:
    stack = _open.stack
    while len(stack) > depth:
        recording.end_module(stack.pop()[1])
