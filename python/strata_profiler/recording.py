# SPDX-License-Identifier: Apache-2.0
"""`strata.run`: a run of this process that the program itself opens and closes, without `strata exec`."""

from __future__ import annotations

import importlib
import json
import os
import pathlib
import re
import sys
from types import TracebackType
from typing import Any, Iterable, List, Mapping, Optional, Type, Union

from . import attachment, native, session

Plugins = Iterable[Union[str, Mapping[str, Mapping[str, Any]]]]


class RecordingError(RuntimeError):
    """A run could not be started, for the given reason."""


class run:  # noqa: N801 - used as a function, as contextlib's classes are
    """Records this process inside the block: `with strata.run("runs/mine"): train()`.

    out: the run's folder, which must not exist or be empty; by default runs/<program>/<time>.
    plugins: names, or mappings of a name to its options, as in the list in YAML; by default the allocator tracer.
    wait, warmup, active: the window, in steps, as in the schedule in YAML.
    settings: other YAML keys that apply to a program: {"trace.ops": "run", "store.on_full": "drop"}.
    quiet: print no table on standard error at the end.

    At its end, summary.json and report.html are in the folder, `directory`, which `strata.open` reads. Under `strata exec`, and inside another such
    context, the block adds to the run that is already open. Its begin may raise RecordingError, and NativePartsMissing if the package was
    installed without its libraries. A child process forked inside records nothing.
    """

    def __init__(
        self,
        out: Optional["Union[str, os.PathLike[str]]"] = None,
        *,
        plugins: Optional[Plugins] = None,
        name: Optional[str] = None,
        wait: int = 0,
        warmup: int = 0,
        active: Optional[int] = None,
        settings: Optional[Mapping[str, Any]] = None,
        quiet: bool = False,
    ) -> None:
        self._words: List[str] = ["--program", _program_name()]
        if out is not None:
            self._words += ["--out", os.fspath(out)]
        if plugins is not None:
            self._words += ["--plugins", json.dumps([plugins] if isinstance(plugins, (str, Mapping)) else list(plugins))]
        chosen = {"name": name, "schedule.wait": wait or None, "schedule.warmup": warmup or None, "schedule.active": active}
        for key, value in {**chosen, **(settings or {})}.items():
            if value is not None:
                self._words += ["--set", f"{key}={json.dumps(value)}"]
        self._quiet = quiet
        self._session: Optional[session.Session] = None
        self._process = 0
        self.directory: Optional[pathlib.Path] = None

    def __enter__(self) -> "run":
        if session.current() is not None:
            return self
        _import_torch()
        if session.current() is not None:  # `strata exec` opened one when torch was loaded
            return self
        begun = native.run_program("record", "begin", *self._words)
        if begun.returncode != 0:
            raise RecordingError(begun.stderr.strip())
        places = json.loads(begun.stdout)
        opened = session.of_process()
        try:
            opened.open(places["settings"])
        except session.SessionError as error:
            _remove_empty_run(pathlib.Path(places["settings"]))
            raise RecordingError(str(error)) from None
        self.directory = pathlib.Path(places["run"])
        self._session, self._process = opened, os.getpid()
        session.set_current(opened, self.directory)
        attachment.follow(opened)
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], traceback: Optional[TracebackType]
    ) -> None:
        opened, self._session = self._session, None
        if opened is None or self._process != os.getpid():
            return
        attachment.leave()
        session.set_current(None)
        opened.close(_reason(kind, error))
        ended = native.run_program("record", "end", str(self.directory), *(["--quiet"] if self._quiet else []))
        sys.stderr.write(ended.stderr)


def _remove_empty_run(settings: pathlib.Path) -> None:
    try:
        settings.unlink()
        settings.parent.rmdir()
    except OSError:
        pass  # something was recorded there after all


def _import_torch() -> None:
    """Imported before the source that observes it, so that both use the torch of this environment."""
    if "torch" not in sys.modules:
        try:
            importlib.import_module("torch")
        except ModuleNotFoundError:
            return  # the source reports that there is none


def _program_name() -> str:
    """The name of the script; "python" if there is none (-c, a prompt) or it cannot name a run."""
    program = os.path.basename(sys.argv[0]) if sys.argv else ""
    name = "" if program in ("-c", "-m") else re.sub(r"[^A-Za-z0-9._-]", "_", program).lstrip(".-")
    return name or "python"


def _reason(kind: Optional[Type[BaseException]], error: Optional[BaseException]) -> int:
    if kind is None:
        return session.RUN_DONE
    if isinstance(error, SystemExit):  # its code is a text if that is the message
        return session.RUN_DONE if error.code in (None, 0) else session.RUN_FAILED
    if issubclass(kind, KeyboardInterrupt):
        return session.RUN_INTERRUPTED
    if issubclass(kind, MemoryError) or kind.__name__ == "OutOfMemoryError":
        return session.RUN_OUT_OF_MEMORY
    return session.RUN_FAILED
