# SPDX-License-Identifier: Apache-2.0
"""Steps and phases marked by the program. While nothing is recorded they only cost a function call."""

from __future__ import annotations

import functools
import sys
from types import TracebackType
from typing import Any, Callable, Optional, Type, TypeVar

from . import attachment, session

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _is_compiling() -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and bool(torch.compiler.is_compiling())


def step(loss: Optional[float] = None, tokens: int = 0) -> None:
    """Marks one iteration of the training loop: call it once per iteration, at its top or at its end.

    `loss` (a float; a tensor would have to be waited for) and `tokens` belong to the iteration that ends here.
    """
    recording = session.current()
    if recording is not None:
        attachment.step_ends()
        recording.step(loss, tokens)


class phase:  # noqa: N801 - used as a function, as contextlib's classes are
    """A part of a step, as a context manager or decorator: `with strata.phase("forward"):`.

    These names have a meaning for the categories: setup, data, host_to_device, forward, loss, backward, gradient_sync, clip, optimizer,
    zero_grad, checkpoint_save, evaluation. Any other name is only shown.
    """

    __slots__ = ("_name", "_ordinal")

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"strata.phase: name: expected a str, got {type(name).__name__}")
        self._name = name
        self._ordinal = 0

    def __enter__(self) -> "phase":
        recording = session.current()
        if recording is not None and not _is_compiling():
            self._ordinal = recording.begin_phase(self._name)
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], traceback: Optional[TracebackType]
    ) -> None:
        if self._ordinal != 0:
            ordinal, self._ordinal = self._ordinal, 0
            recording = session.current()
            if recording is not None:
                recording.end_phase(ordinal)

    def __call__(self, function: _Function) -> _Function:
        @functools.wraps(function)
        def within(*arguments: Any, **named: Any) -> Any:
            with phase(self._name):
                return function(*arguments, **named)

        return within  # type: ignore[return-value]
