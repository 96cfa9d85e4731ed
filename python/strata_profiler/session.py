# SPDX-License-Identifier: Apache-2.0
"""The session that records this process, if there is one: libstrata's functions for programs, through ctypes.

Every mark first asks `current`. Under `strata exec` the session is opened when torch is loaded, which may be after this module was imported, so
it is looked for until it is found.
"""

from __future__ import annotations

import ctypes
import json
import math
import os
import pathlib
import sys
from typing import Optional, Sequence, Set

from . import native

# STRATA_ATTACH of host/drop_in/settings.hpp: the library that programs under `strata exec` open.
_ATTACH_VARIABLE = "STRATA_ATTACH"
# From the same file: the settings that `strata exec` wrote for the program.
_SETTINGS_VARIABLE = "STRATA_EXEC"

# Values of STRATA_RUN_* in plugin_api/include/strata/ext/run.h.
RUN_DONE, RUN_FAILED, RUN_INTERRUPTED, RUN_OUT_OF_MEMORY = range(4)

# Values of strata/ext/module.h.
FORWARD, BACKWARD, RECOMPUTE = range(3)

# Values of strata/ext/tensor.h.
PARAMETER, BUFFER, EMA, GRADIENT, OPTIMIZER_STATE = range(1, 6)
SCALER = 7
INPUT, TARGET = 8, 9

# Values of strata/events.h.
_DEVICES = {"cpu": 1, "cuda": 2}


class SessionError(RuntimeError):
    """A session could not be opened."""


class Session:
    """The functions of one process's session. They have no effect before it is opened and after it was closed."""

    def __init__(self, library: ctypes.CDLL) -> None:
        # Attributes of the instance: saves a lookup in calls made thousands of times per step.
        self._is_recording = _function(library, "strata_program_is_recording", ctypes.c_int)
        self._open = _function(library, "strata_program_open", ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t)
        self._close = _function(library, "strata_program_close", None, ctypes.c_uint32)
        self._step = _function(library, "strata_program_step", None, ctypes.c_double, ctypes.c_uint64)
        self._begin_phase = _function(library, "strata_program_begin_phase", ctypes.c_uint32, ctypes.c_char_p)
        self.end_phase = _function(library, "strata_program_end_phase", None, ctypes.c_uint32)
        self.begin_module = _function(
            library, "strata_program_begin_module", ctypes.c_uint32, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_uint32
        )
        self.end_module = _function(library, "strata_program_end_module", None, ctypes.c_uint32)
        self._tensor = _function(
            library,
            "strata_program_tensor",
            None,
            ctypes.c_uint32,
            ctypes.c_char_p,
            ctypes.c_char_p,
            ctypes.c_uint32,
            ctypes.c_int32,
            ctypes.c_uint64,
            ctypes.c_uint64,
            ctypes.c_uint64,
            ctypes.POINTER(ctypes.c_int64),
            ctypes.c_uint32,
            ctypes.c_uint32,
        )
        self._wants_modules = _function(library, "strata_program_plugins_want_modules", ctypes.c_int)

    def is_recording(self) -> bool:
        return bool(self._is_recording())

    def open(self, settings: "os.PathLike[str]") -> None:
        """Opens it according to the file written by `strata record begin`. Raises SessionError."""
        problem = ctypes.create_string_buffer(4096)
        if self._open(os.fsencode(settings), problem, len(problem)) != 0:
            raise SessionError(problem.value.decode("utf-8", "replace"))

    def close(self, reason: int) -> None:
        self._close(reason)

    def step(self, loss: Optional[float], tokens: int) -> None:
        """Values that are not numbers are omitted with one warning: a recorded program ends as it would without Strata."""
        try:
            told = (math.nan if loss is None else float(loss), int(tokens))
            if not 0 <= told[1] < 1 << 63:
                raise ValueError("expected at least 0 tokens")
        except (TypeError, ValueError, OverflowError, RuntimeError) as error:
            told = (math.nan, 0)
            _say_once(f"strata.step(loss={loss!r}, tokens={tokens!r}): {error}; such steps are recorded without loss and tokens")
        self._step(*told)

    def begin_phase(self, name: str) -> int:
        return int(self._begin_phase(name.encode()))

    def plugins_want_modules(self) -> bool:
        return bool(self._wants_modules())

    def tensor(
        self,
        role: int,
        name: str,
        dtype: str,
        device_type: str,
        device_index: int,
        address: int,
        storage_bytes: int,
        owner_address: int,
        sizes: Sequence[int],
        is_frozen: bool = False,
    ) -> None:
        """Sets the role of the storage at `address`. Devices other than the CPU and CUDA are ignored."""
        kind = _DEVICES.get(device_type)
        if kind is None or address == 0:
            return
        extents = (ctypes.c_int64 * len(sizes))(*sizes)
        self._tensor(
            role,
            name.encode(),
            dtype.encode(),
            kind,
            device_index,
            address,
            storage_bytes,
            owner_address,
            extents,
            len(sizes),
            int(is_frozen),
        )


_said: Set[str] = set()


def _say_once(text: str) -> None:
    call = text.partition("(")[0]
    if call not in _said:
        _said.add(call)
        sys.stderr.write(f"strata: {text}\n")


def _function(library: ctypes.CDLL, name: str, result: object, *arguments: object) -> "ctypes._NamedFuncPointer":
    function = getattr(library, name)
    function.restype = result
    function.argtypes = arguments
    return function  # type: ignore[no-any-return]


_library: Optional[Session] = None
_recording: Optional[Session] = None
_directory: Optional[pathlib.Path] = None
_may_come = _ATTACH_VARIABLE in os.environ


def of_process() -> Session:
    """The session's functions, whether or not it is open. Raises native.NativePartsMissing."""
    global _library
    if _library is None:
        # That of `strata exec` if there is one: a process has one session.
        path = os.environ.get(_ATTACH_VARIABLE) or str(native.attach_library())
        try:
            _library = Session(ctypes.CDLL(path))
        except (OSError, AttributeError) as error:
            raise native.NativePartsMissing(f"{path}: not a library of this release of Strata ({error})") from error
    return _library


def current() -> Optional[Session]:
    """The session that records this process; None if nothing is being recorded."""
    if _recording is not None:
        return _recording
    return _look_for_one() if _may_come else None


def _look_for_one() -> Optional[Session]:
    global _may_come
    try:
        session = of_process()
    except native.NativePartsMissing as error:
        _may_come = False
        sys.stderr.write(f"strata: this program's marks are not recorded: {error}; use the Python package of the Strata that records it\n")
        return None
    if session.is_recording():
        set_current(session)
        return session
    return None


def set_current(session: Optional[Session], directory: Optional[pathlib.Path] = None) -> None:
    """directory: the run's folder; None if `strata exec` sets it."""
    global _recording, _directory
    _recording, _directory = session, directory


def directory() -> Optional[pathlib.Path]:
    """The folder of the run that records this process; None if nothing is being recorded."""
    if current() is None:
        return None
    settings = os.environ.get(_SETTINGS_VARIABLE)
    if _directory is not None or settings is None:
        return _directory
    return pathlib.Path(json.loads(pathlib.Path(settings).read_text())["directory"])


def _forget_in_child() -> None:
    """A forked child records nothing (docs/decisions/009)."""
    global _may_come
    _may_come = False
    set_current(None)


os.register_at_fork(after_in_child=_forget_in_child)
